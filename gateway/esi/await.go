package esi

import (
	"slices"
	"time"
)

// lookEvery is how often the sink is asked during a wait whether anybody waits for the page.
const lookEvery = 100 * time.Millisecond

// await waits until it is known what an include stands for. What has come meanwhile for
// others is looked at too, so that what it includes is asked for.
func (a *assembly) await(p *place) error {
	a.collect()
	for !p.settled {
		if p.job.state == jobWaiting {
			a.prefer(p.job)
		}
		if err := a.flush(); err != nil {
			return err
		}
		if a.look == nil {
			a.look = time.NewTicker(lookEvery)
		}
		select {
		case j := <-a.settled:
			a.settle(j)
		case <-a.parent.Done():
			return a.parent.Err()
		case <-a.look.C:
			if a.out.Gone() {
				return ErrGone
			}
		}
	}
	return a.parent.Err() // what fails then is no failure
}

// collect looks at what has come.
func (a *assembly) collect() {
	for {
		select {
		case j := <-a.settled:
			a.settle(j)
		default:
			return
		}
	}
}

// prefer starts a fetch that the page waits for, whatever else runs.
func (a *assembly) prefer(j *job) {
	i := slices.Index(a.waiting, j)
	a.waiting = slices.Delete(a.waiting, i, i+1)
	a.start(j)
}

// settle deals with a fetch that has ended.
func (a *assembly) settle(j *job) {
	a.running--
	if j.fault != nil {
		panic(j.fault)
	}
	j.state = jobSettled
	for _, p := range j.users[:len(j.users):len(j.users)] { // others that join now know it is settled
		a.took(p)
	}
	for a.running < a.options.Concurrent && len(a.waiting) > 0 {
		a.prefer(a.waiting[0])
	}
}
