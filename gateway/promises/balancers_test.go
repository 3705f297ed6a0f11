package promises

import (
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway/balance"
)

// Whichever balancer chooses: while one of three origins is killed, frozen, slow or
// flaps, with 70 % of all slots in use, no GET fails, and nothing else but what was in
// flight there. The short form tries one of each kind: by room, by key, by time, by turns.
func TestEveryBalancerBearsFailures(t *testing.T) {
	names := []string{"capacity", "hash", "peak-ewma", "weighted-round-robin"}
	if *soak {
		names = balance.Names()
	}
	watchLeaks(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bearFailures(t, name)
		})
	}
}

// misfortunes are what befalls an origin, each until it is well again.
var misfortunes = []struct {
	name    string
	befalls func(p *process)
	ends    func(p *process)
}{
	{"is killed", (*process).kill, (*process).start},
	{"is frozen", func(p *process) { p.signal(syscall.SIGSTOP) }, func(p *process) { p.signal(syscall.SIGCONT) }},
	{"is slow", func(p *process) { p.toils(300 * time.Millisecond) }, func(p *process) { p.toils(usual) }},
	{"flaps", flap, func(*process) {}},
}

func flap(p *process) {
	for range 4 {
		p.signal(syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond)
		p.signal(syscall.SIGCONT)
		time.Sleep(50 * time.Millisecond)
	}
}

func bearFailures(t *testing.T, balancer string) {
	ps, addr, g, _ := three(t, "    balancer: "+balancer+"\n    retry: { retries: 2, budget: 100%, per_try_timeout: 300ms }\n"+checked)
	w := startCrew(t, busy70, to(addr), getsAndPosts)
	w.await(t, 300, 0)
	for _, m := range misfortunes {
		m.befalls(ps[1])
		w.await(t, 200, 400*time.Millisecond)
		m.ends(ps[1])
		if !within(10*time.Second, func() bool { return statusOf(g, "b").Up }) {
			t.Errorf("after b %s it is not up again", m.name)
		}
		w.await(t, 200, 0)
	}
	all := w.end()
	failed := selected(all, isNotRight)
	for _, o := range selected(failed, isGET) {
		t.Errorf("a GET failed: %d %s %v, after %v", o.status, o.reason, o.err, o.took())
	}
	if most := eachHas * len(misfortunes); len(failed) > most {
		t.Errorf("%d of %d failed, more than can have been in flight at b", len(failed), len(all))
	}
	w.expectNothingWrong(t)
	expectAtRest(t, g)
}
