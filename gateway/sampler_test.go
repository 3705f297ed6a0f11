package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/admission"
	"weirkeep/gateway/capacity"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// sampled is what a collector was told, and when.
type sampled struct {
	at time.Duration
	v  abi.CollectorView
}

// sampling runs a sampler over origins of the names in a bubble. answer says what its
// collector finds, n counts the questions from 0.
func sampling(t *testing.T, plan samplePlan, names string, answer func(n int) (int, bool, *plugins.Failure), test func(s *sampler, asked *[]sampled)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(dialTCP, slog.New(slog.DiscardHandler))
		plan.cluster = &cluster{name: "app", queue: r.lobby.NewQueue(admission.Options{})}
		for i, name := range strings.Split(names, "") {
			m := &member{name: name, state: r.newState("127.0.0.1:1", name, capacity.Bounds{Least: 7, Most: 7}, serving), tally: newTally(name, "http://127.0.0.1:1", "a collector", nil, plan.initial)}
			plan.members, plan.positions = append(plan.members, m), append(plan.positions, i)
		}
		began, asked := time.Now(), new([]sampled)
		s := &sampler{plan: &plan, log: r.log, collect: func(v *abi.CollectorView) (int, bool, *plugins.Failure) {
			*asked = append(*asked, sampled{time.Since(began), *v})
			return answer(len(*asked) - 1)
		}}
		s.begin()
		test(s, asked)
		s.end()
	})
}

// pass lets time pass, and what is to happen at its end happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// M-MET-10: each origin is sampled once an interval, and not all at the same time.
func TestSamplesAreSpread(t *testing.T) {
	for _, tt := range []struct {
		names string
		want  string // who is asked, and after how many seconds
	}{
		{"a", "a30 a60 a90"},
		{"abc", "a10 b20 c30 a40 b50 c60 a70 b80 c90"},
	} {
		plan := samplePlan{interval: 30 * time.Second, stale: time.Hour}
		sampling(t, plan, tt.names, func(int) (int, bool, *plugins.Failure) { return 1, true, nil }, func(s *sampler, asked *[]sampled) {
			pass(90 * time.Second)
			var got []string
			for _, a := range *asked {
				got = append(got, fmt.Sprintf("%s%d", a.v.Name, a.at/time.Second))
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("%s were asked %s, want %s", tt.names, text, tt.want)
			}
		})
	}
}

// M-COL-14, M-MET-12, X-50: which metric is in force when, by what the collector says
// once a second: a digit, ten times which is the metric; . no opinion; x failure.
func TestMetricInForce(t *testing.T) {
	for _, tt := range []struct {
		onError, says string
		want          string // the metric after each second
		down          string // the seconds after which the origin is down
	}{
		{"default", "34", "30 40", "--"},
		{"default", "3....4", "30 30 30 50 50 40", "------"},
		{"default", "...", "80 80 50", "---"},
		{"default", "3x4", "30 50 40", "---"},
		{"default", "x", "50", "-"},
		{"keep", "3x4", "30 30 40", "---"},
		{"keep", "3xxx4", "30 30 30 50 40", "-----"},
		{"down", "3x4", "30 30 40", "-d-"},
		{"down", "3x.4", "30 30 30 40", "-dd-"},
		{"down", "xx4x", "80 80 40 40", "dd-d"},
	} {
		plan := samplePlan{interval: time.Second, initial: 80, standard: 50, stale: 3 * time.Second, onError: tt.onError}
		answer := func(n int) (int, bool, *plugins.Failure) {
			switch c := tt.says[min(n, len(tt.says)-1)]; c {
			case '.':
				return 0, false, nil
			case 'x':
				return 0, false, &plugins.Failure{Code: abi.Failed}
			default:
				return int(c-'0') * 10, true, nil
			}
		}
		sampling(t, plan, "a", answer, func(s *sampler, asked *[]sampled) {
			m := s.plan.members[0]
			if got := m.metric(); got != 80 {
				t.Errorf("before the first sample the metric is %d", got)
			}
			var metrics []string
			down := ""
			for range tt.says {
				pass(time.Second)
				metrics = append(metrics, fmt.Sprint(m.metric()))
				down += map[bool]string{true: "d", false: "-"}[m.state.origin.Health() == origin.Down]
			}
			if text := strings.Join(metrics, " "); text != tt.want || down != tt.down {
				t.Errorf("%s %s: %s, %s; want %s, %s", tt.onError, tt.says, text, down, tt.want, tt.down)
			}
		})
	}
}

// A sampler that falls behind asks no more often than once an interval.
func TestSlowCollectorsAreNotHurried(t *testing.T) {
	plan := samplePlan{interval: time.Second, stale: time.Hour}
	slow := func(int) (int, bool, *plugins.Failure) { time.Sleep(2500 * time.Millisecond); return 1, true, nil }
	sampling(t, plan, "a", slow, func(s *sampler, asked *[]sampled) {
		pass(9 * time.Second)
		if n := len(*asked); n != 4 {
			t.Errorf("it was asked %d times in 9 s", n)
		}
		began := time.Now()
		s.end()
		if took := time.Since(began); took != 0 {
			t.Errorf("it ended after %v", took)
		}
		pass(10 * time.Second)
	})
}

// M-COL-15: where it is asked for each sample is a line of the log, whatever came of
// it; else none is.
func TestSamplesAreLogged(t *testing.T) {
	for _, debug := range []bool{false, true} {
		plan := samplePlan{interval: time.Second, standard: 50, stale: time.Hour, onError: "default", debug: debug}
		answer := func(n int) (int, bool, *plugins.Failure) {
			return [...]int{70, 0, 0}[n], n == 0, [...]*plugins.Failure{nil, nil, {Code: abi.Failed}}[n]
		}
		sampling(t, plan, "a", answer, func(s *sampler, _ *[]sampled) {
			var log strings.Builder
			s.mu.Lock()
			s.log = slog.New(slog.NewTextHandler(&log, nil))
			s.mu.Unlock()
			pass(3 * time.Second)
			var got []string
			for line := range strings.Lines(log.String()) {
				if _, sample, ok := strings.Cut(line, "msg=sample "); ok {
					got = append(got, sample)
				}
			}
			want := ""
			if debug {
				want = "category=metric cluster=app origin=a said=70 metric=70\n" +
					"category=metric cluster=app origin=a said=\"no opinion\" metric=70\n" +
					"category=metric cluster=app origin=a said=\"answered -1, failed\" metric=50\n"
			}
			if text := strings.Join(got, ""); text != want {
				t.Errorf("debug %v: %s, want %s", debug, text, want)
			}
			s.end()
		})
	}
}

// The window is what has come since the last sample.
func TestWindow(t *testing.T) {
	plan := samplePlan{interval: 10 * time.Second, stale: time.Hour}
	sampling(t, plan, "a", func(int) (int, bool, *plugins.Failure) { return 1, true, nil }, func(s *sampler, asked *[]sampled) {
		tally := s.plan.members[0].tally
		for i := range 100 {
			tally.answered(time.Duration(i+1)*time.Millisecond, nil, time.Now())
		}
		for f, n := range map[origin.Fault]int{origin.FaultReset: 1, origin.FaultStatus502: 1, origin.FaultStatus503: 1, origin.FaultStatus504: 1, origin.FaultStatus: 9, origin.FaultTimeout: 2, origin.FaultConnect: 3} {
			for range n {
				tally.blame(f)
			}
		}
		pass(20 * time.Second)
		v := (*asked)[0].v
		if v.Window != 10_000 || v.Answers != 100 || v.Failed != 4 || v.Timeouts != 2 || v.FailedConnects != 3 || v.Flags != abi.FlagFirstSample || v.Capacity != 7 {
			t.Errorf("the first sample was told %+v", v)
		}
		for what, at := range map[float64]uint64{50: v.P50, 95: v.P95, 99: v.P99} {
			if got := float64(at) / 1e6; got < what || got > what*1.125 {
				t.Errorf("p%v is %v ms", what, got)
			}
		}
		if v := (*asked)[1].v; v.Window != 10_000 || v.Answers+v.Failed+v.Timeouts+v.FailedConnects+v.P50+v.P99 != 0 || v.Flags != 0 || v.Metric != 1 {
			t.Errorf("the second was told %+v", v)
		}
	})
}

func TestSpans(t *testing.T) {
	for d := time.Duration(0); d < time.Minute; d = d*17/16 + 1 {
		var s spans
		s.add(d)
		c, n := s.empty()
		got := c.part(n, 99)
		if n != 1 || got < uint64(d) || got > max(uint64(d)*9/8, 1<<spanShift) && d >= 1<<spanShift {
			t.Errorf("%v counts as %v", d, time.Duration(got))
		}
	}
	var s spans
	s.add(-time.Second)
	s.add(math.MaxInt64)
	if c, n := s.empty(); n != 2 || c[0] != 1 || c[spanSlots-1] != 1 {
		t.Errorf("a clock set back, and a century: %v", c)
	}
}

// Budget: counting an answer, and what it reports, costs no allocation.
func TestTallyAllocs(t *testing.T) {
	tally := newTally("a", "http://a", "a collector", []string{"x-load", "x-none"}, 50)
	fields := []wire.Field{{Name: []byte("Date"), Value: []byte("today")}, {Name: []byte("X-Load"), Value: []byte("-1099.125e-2")}}
	n := testing.AllocsPerRun(1000, func() {
		tally.answered(3*time.Millisecond, fields, time.Time{})
		tally.blame(origin.FaultStatus503)
	})
	if n != 0 {
		t.Errorf("counting allocates %v times, want 0", n)
	}
	var v abi.CollectorView
	if tally.empty(&v, time.Now()); len(v.Sources) != 1 || v.Sources[0] != (abi.Source{Name: "header:x-load", Value: -10.99125}) {
		t.Errorf("it reported %v", v.Sources)
	}
}

// wait is what samplers wait with: it ends with its context.
func TestPauseEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if pause(ctx, time.Hour) {
		t.Error("it lasted")
	}
}
