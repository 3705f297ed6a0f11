package esi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// job is the fetch of one URL. While it is running, what it gets is its goroutine's.
type job struct {
	include Include
	state   jobState
	users   []*place
	first   [1]*place // room for users: mostly there is one
	spent   bool      // its body was sent as it came, and is gone

	failure Failure
	program *Program
	body    []byte // all of it, or if rest is there its beginning
	rest    Body
	stop    context.CancelFunc
	fault   any // what Fetch panicked with
}

type jobState uint8

const (
	jobWaiting jobState = iota
	jobRunning
	jobSettled
)

// join lets a place wait for a URL. Two of one URL are one fetch (C8), as long as the body
// is still here.
func (a *assembly) join(p *place, u URL) {
	j := a.find(u, &p.element.attributes)
	if j == nil {
		j = a.begin(p, u)
	}
	p.job = j
	j.users = append(j.users, p)
	if j.state == jobSettled {
		a.took(p)
	}
}

// find returns the fetch of a URL, nil if there is none to be shared.
func (a *assembly) find(u URL, attributes *Attributes) *job {
	for _, j := range a.jobs {
		same := j.include.Template == attributes.Template && j.include.Plain == attributes.Plain
		if j.include.URL == u && same && !j.spent {
			return j
		}
	}
	return nil
}

// begin begins a fetch, unless the fragment is here already.
func (a *assembly) begin(p *place, u URL) *job {
	j := a.newJob()
	j.include = Include{URL: u, Own: u.SameOrigin(a.page.URL), Depth: p.in.depth + 1, Attributes: &p.element.attributes}
	if f, ok := a.fetcher.Ready(&j.include); ok {
		j.take(f, a.options)
		j.state = jobSettled
		return j
	}
	if a.running < a.options.Concurrent {
		a.start(j)
	} else {
		a.waiting = append(a.waiting, j)
	}
	return j
}

// newJob is one more.
func (a *assembly) newJob() (j *job) {
	n := len(a.jobs)
	if n < usual {
		j, a.jobs = &a.fetched[n], a.listed[:n]
	} else {
		j = new(job)
	}
	j.users = j.first[:0]
	a.jobs = append(a.jobs, j)
	return j
}

// start starts a fetch.
func (a *assembly) start(j *job) {
	if a.ctx == nil {
		a.ctx, a.cancel = context.WithCancel(a.parent)
		a.late, a.noLate = context.WithTimeout(a.ctx, a.options.Timeout)
		a.settled = make(chan *job, a.options.Concurrent+1)
	}
	a.running++
	a.report.Fetches++
	j.state = jobRunning
	a.fetches.Go(func() {
		a.fetch(j)
		select {
		case a.settled <- j:
		case <-a.ctx.Done():
		}
	})
}

// fetch gets a fragment, and as much of its body as is held. Deadlines end with that: how
// fast the rest is taken is the client's matter.
func (a *assembly) fetch(j *job) {
	ctx, stop := context.WithCancel(a.ctx)
	j.stop = stop
	defer func() { j.fault = recover() }()
	wait := a.options.FragmentTimeout
	if t := j.include.Timeout; t > 0 {
		wait = min(t, a.options.Timeout)
	}
	timer := time.AfterFunc(wait, stop)
	late := context.AfterFunc(a.late, stop)
	j.take(a.fetcher.Fetch(ctx, &j.include), a.options)
	inTime := timer.Stop()
	if !(late() && inTime) && (j.failure != None || j.rest != nil) {
		j.fail(TimedOut)
	}
}

// take looks at the answer (I1, I2, R5).
func (j *job) take(f Fragment, o *Options) {
	if j.failure = f.Failure; j.failure == None {
		j.failure = failureOf(f.Status)
	}
	if f.Body != nil {
		j.rest = f.Body
	}
	switch {
	case j.failure != None || f.Status == 204:
		j.close()
	case f.Program != nil:
		j.program = f.Program
		j.close()
	case f.Body == nil:
		j.body = f.Whole
		if int64(len(j.body)) > o.Fragment {
			j.fail(BadBody)
		}
	default:
		j.read(o.Hold, o.Fragment)
	}
	j.body = bytes.TrimPrefix(j.body, byteOrderMark)
}

// read reads the body up to its end, or until so many bytes are here.
func (j *job) read(enough int, most int64) {
	for len(j.body) <= enough || len(j.body) < len(byteOrderMark) {
		piece, err := j.rest.Next()
		j.body = append(j.body, piece...)
		switch {
		case int64(len(j.body)) > most:
			j.fail(BadBody)
			return
		case errors.Is(err, io.EOF):
			j.close()
			return
		case err != nil:
			j.fail(BadBody)
			return
		}
	}
}

// fail makes the fetch one that got nothing.
func (j *job) fail(f Failure) {
	j.failure, j.program, j.body = f, nil, nil
	j.close()
}

// close ends the reading of the body.
func (j *job) close() {
	if j.rest != nil {
		j.rest.Close()
		j.rest = nil
	}
	if j.stop != nil {
		j.stop()
	}
}
