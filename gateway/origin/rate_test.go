package origin

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var halfFail = RatePolicy{Share: 50_00, Window: 10 * time.Second, Attempts: 20, Out: 10 * time.Second, LongestOut: 5 * time.Minute}

// rated is a policy by which failures with successes between them eject.
func rated() *Policy {
	r := halfFail
	return &Policy{Threshold: 100, Count: Faults(0).With(FaultStatus503), Rate: &r}
}

func unwell() Failure {
	return Failure{Fault: FaultStatus503, Status: 503, Began: time.Now(), At: time.Now(), Cluster: "shop"}
}

// attempts tells an origin of attempts, . good and x bad, so far apart, and returns
// after how many it was ejected; 0: it was not.
func attempts(o *Origin, p *Policy, each time.Duration, word string, spared bool) (ejected int) {
	for i, c := range word {
		time.Sleep(each)
		if c == '.' {
			o.Succeeded(false)
		} else if o.Failed(unwell(), p, spared) {
			return i + 1
		}
	}
	return 0
}

func TestErrorRateEjects(t *testing.T) {
	for _, tt := range []struct {
		name   string
		word   string
		each   time.Duration
		spared bool
		want   int
	}{
		{"every second of 20", strings.Repeat("x.", 20), time.Millisecond, false, 21},
		{"19 attempts say nothing", strings.Repeat("x.", 9) + "x", time.Millisecond, false, 0},
		{"every third", strings.Repeat("x..", 100), time.Millisecond, false, 0},
		{"nothing is counted before the first failure", strings.Repeat(".", 1000) + strings.Repeat("x.", 20), time.Millisecond, false, 1021},
		{"too slowly for the window", strings.Repeat("x.", 100), time.Second, false, 0},
		{"a window that ends in between", strings.Repeat("x.", 8) + "......" + strings.Repeat("x.", 30), 400 * time.Millisecond, false, 49},
		{"too few others are usable", strings.Repeat("x.", 100), time.Millisecond, true, 0},
		{"it gets worse", strings.Repeat(".", 30) + "x" + strings.Repeat(".", 30) + strings.Repeat("x", 40), time.Millisecond, false, 90},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := new(Origin)
				if got := attempts(o, rated(), tt.each, tt.word, tt.spared); got != tt.want {
					t.Errorf("ejected after %d attempts, want %d", got, tt.want)
				}
			})
		})
	}
}

// The evidence says what was counted.
func TestErrorRateSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(Origin)
		attempts(o, rated(), time.Millisecond, strings.Repeat("x.", 20), false)
		const want = "answered 503; 11 of 21 attempts failed within 10s"
		if last := o.Transitions(); len(last) != 1 || last[0].Why != want || last[0].Cluster != "shop" {
			t.Errorf("transitions %+v, want one that says %q", last, want)
		}
	})
}

// Who comes back and fails again stays out twice as long each time, up to five minutes;
// who was well for so long begins with ten seconds.
func TestEjectedAgainStaysOutLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(Origin)
		for _, want := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
			if got := outFor(t, o); got != want*time.Second {
				t.Errorf("out for %v, want %v", got, want*time.Second)
			}
		}
		time.Sleep(halfFail.LongestOut + time.Second)
		if got := outFor(t, o); got != 10*time.Second {
			t.Errorf("after a good time out for %v, want 10s", got)
		}
	})
}

// outFor ejects an origin, and finds out when one request may try it, which brings it
// back.
func outFor(t *testing.T, o *Origin) time.Duration {
	t.Helper()
	if attempts(o, rated(), time.Millisecond, strings.Repeat("x.", 20), false) == 0 {
		t.Fatal("not ejected")
	}
	began := time.Now()
	for !o.Claim(time.Now(), false) {
		if time.Sleep(time.Second); time.Since(began) > time.Hour {
			t.Fatal("it is never tried")
		}
	}
	if o.Succeeded(true); o.Health() != Up {
		t.Fatal("a trial that went well has not brought it back")
	}
	return time.Since(began)
}

// A health check finds nothing wrong with an origin that fails every second request:
// it stays out all the same, unless a request can go nowhere else.
func TestChecksWaitForWhoIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, end := inMemory(t, always("HTTP/1.1 200 OK\r\n\r\n"))
		defer end()
		c := p.Check(CheckOptions{Path: "/", Interval: time.Second, Timeout: time.Second, UpAfter: 2})
		defer c.Stop()
		o := p.Origin()
		eject := func() {
			if attempts(o, rated(), time.Millisecond, strings.Repeat("x.", 20), false) == 0 {
				t.Fatal("not ejected")
			}
		}
		eject()
		time.Sleep(9 * time.Second)
		if o.Health() != Ejected || o.Due(time.Now(), false) {
			t.Error("it is back, or tried, too early")
		}
		time.Sleep(3 * time.Second)
		if o.Health() != Up {
			t.Error("it does not come back")
		}
		eject()
		time.Sleep(time.Second)
		if !o.Claim(time.Now(), true) {
			t.Fatal("who can go nowhere else may not try it")
		}
		if o.Succeeded(true); o.Health() != Up {
			t.Error("who could go nowhere else was answered, and it is not back")
		}
		eject()
		time.Sleep(30 * time.Second)
		o.Failed(Failure{Fault: FaultConnect, Err: errors.New("gone"), At: time.Now()}, &strict, false)
		if time.Sleep(41 * time.Second); o.Health() != Up {
			t.Error("it is held longer than it has to be")
		}
	})
}

func TestContentOfChecks(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name, answer string
		want         Health
	}{
		{"by length", ok + "Content-Length: 11\r\n\r\nall is well", Up},
		{"to the end", ok + "\r\nall is well", Up},
		{"across chunks", ok + "Transfer-Encoding: chunked\r\n\r\n8\r\nall is w\r\n3\r\nell\r\n0\r\n\r\n", Up},
		{"another text", ok + "Content-Length: 12\r\n\r\nall is wrong", Down},
		{"none", ok + "Content-Length: 0\r\n\r\n", Down},
		{"in the head alone", ok + "X-Note: well\r\nContent-Length: 0\r\n\r\n", Down},
		{"too far behind", ok + "\r\n" + strings.Repeat("-", lookBytes) + "well", Down},
		{"just near enough", ok + "\r\n" + strings.Repeat("-", lookBytes-4) + "well", Up},
		{"cut", ok + "Content-Length: 100\r\n\r\nall is well", Down},
		{"wrong status", "HTTP/1.1 503 No\r\nContent-Length: 11\r\n\r\nall is well", Down},
		{"coding that is none", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", Down},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, end := inMemory(t, func(_ int, p *peer) { p.head(); p.say(tt.answer) })
				defer end()
				c := p.Check(CheckOptions{Path: "/", Interval: time.Second, Timeout: time.Second, Contains: "well"})
				defer c.Stop()
				time.Sleep(time.Minute)
				if got := p.Origin().Health(); got != tt.want {
					t.Errorf("%v, want %v", got, tt.want)
				}
			})
		})
	}
}
