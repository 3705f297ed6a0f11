package gateway

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A speaker is an origin of a bubble that says how busy it is.
type speaker struct {
	mu       sync.Mutex
	field    string        // X-Load of its answers; empty: it has none
	page     string        // what is pulled; a whole answer if it begins with HTTP
	slow     time.Duration // for the page
	takes    time.Duration // for anything else
	status   string        // of anything else; empty: "200 OK"
	out      bool          // it refuses connections
	pulls    []time.Duration
	requests int // of anything else
	begun    time.Time
}

// set changes what is guarded.
func (o *speaker) set(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

func (o *speaker) dial() script {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.out {
		return nil
	}
	return o.serve
}

func (o *speaker) serve(r *bufio.Reader, w net.Conn) {
	for {
		head := readHead(r)
		if head == "" {
			return
		}
		answer, takes := o.react(strings.HasPrefix(head, "GET /page "))
		time.Sleep(takes)
		if _, err := io.WriteString(w, answer); err != nil {
			return
		}
	}
}

func (o *speaker) react(pulled bool) (answer string, takes time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if pulled {
		at := time.Duration(0) // the first may come before the test has begun
		if !o.begun.IsZero() {
			at = time.Since(o.begun)
		}
		o.pulls = append(o.pulls, at)
		if strings.HasPrefix(o.page, "HTTP") {
			return o.page, o.slow
		}
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(o.page), o.page), o.slow
	}
	o.requests++
	status, field := "200 OK", ""
	if o.status != "" {
		status = o.status
	}
	if o.field != "" {
		field = "X-Load: " + o.field + "\r\n"
	}
	return "HTTP/1.1 " + status + "\r\n" + field + "Content-Length: 2\r\n\r\nok", o.takes
}

// stockText is a cluster app with origins s1, and perhaps s2, and the metric.
func stockText(metric string, origins ...string) string {
	var list []string
	for _, name := range origins {
		list = append(list, fmt.Sprintf("{ name: %s, address: \"%[1]s.example:80\", capacity: 10 }", name))
	}
	return "listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { format: off }\n" +
		"clusters: { app: { origins: [" + strings.Join(list, ", ") + "], balancer: round-robin, failover: { threshold: 1000, connect_failures: same }, keep_alive: 0s, metric: { " + metric + " } } }\n"
}

// told is what a gateway under test has logged of metrics.
type metricLog struct{ reportLog }

// lines are those with the part, in order.
func (l *metricLog) lines(part string) (found []string) {
	for _, line := range l.reportLog.lines() {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

// inStockBubble runs a test with the origins s1 and s2, which both speak; of a cluster
// with one there is no s2.
func inStockBubble(t *testing.T, text string, test func(t *testing.T, b *bubble, log *metricLog, s1, s2 *speaker)) {
	t.Helper()
	inStockBubbleAt(t, text, "", test)
}

// inStockBubbleAt is the same, with what is pulled at once.
func inStockBubbleAt(t *testing.T, text, page string, test func(t *testing.T, b *bubble, log *metricLog, s1, s2 *speaker)) {
	t.Helper()
	log, s1, s2 := new(metricLog), &speaker{page: page}, &speaker{page: page}
	o := Options{Logger: slog.New(slog.NewTextHandler(log, nil))}
	inBubbleOf(t, text, o, func(addr string) script {
		if addr == "s1.example:80" {
			return s1.dial()
		}
		return s2.dial()
	}, func(t *testing.T, b *bubble) {
		s1.set(func() { s1.begun = b.begun })
		s2.set(func() { s2.begun = b.begun })
		test(t, b, log, s1, s2)
	})
}

// metricIs checks the metric of an origin, and where it comes from.
func metricIs(t *testing.T, b *bubble, when, name string, metric int, from string) {
	t.Helper()
	synctest.Wait()
	for _, o := range b.g.Status().Origins {
		if o.Name == name {
			if o.Metric == nil || *o.Metric != metric || o.MetricFrom != from {
				t.Errorf("%s the metric of %s is %v from %q, want %d from %q", when, name, o.Metric, o.MetricFrom, metric, from)
			}
		}
	}
}

// counted are the counters of an origin: clamped, nonsense, stale, mixed.
func countedOf(b *bubble, name string) [4]uint64 {
	for l, o := range b.g.Metrics().Current().Origins() {
		if l.Origin == name {
			return [4]uint64{o.Clamped.Load(), o.Nonsense.Load(), o.Stale.Load(), o.Odd.Load()}
		}
	}
	return [4]uint64{}
}

// M-MET-09, M-COL-14: a field of an answer counts for the very next request; before any
// there is the initial metric.
func TestFieldCountsAtOnce(t *testing.T) {
	inStockBubble(t, stockText(`collector: value, source: "header:X-Load", initial: 80`, "s1"), func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
		metricIs(t, b, "before any answer", "s1", 80, "initial")
		for _, says := range []string{"7", "100", "0", "43.595"} {
			s1.set(func() { s1.field = says })
			b.get(bubbleGET)
			metricIs(t, b, "after an answer", "s1", map[string]int{"7": 7, "100": 100, "0": 0, "43.595": 44}[says], "header:X-Load")
		}
		s1.set(func() { s1.field = "" })
		b.get(bubbleGET)
		metricIs(t, b, "after one without the field", "s1", 44, "header:X-Load")
		if took := b.took(); took != 0 {
			t.Errorf("it took %v", took)
		}
		if told := log.lines("category=metric"); len(told) > 0 {
			t.Errorf("people are told %q", told)
		}
	})
}

// M-MET-01, M-MET-06: what is out of range is clamped, what is no number is the default;
// both are counted each time, and told once until that changes.
func TestFieldsThatAreNoMetric(t *testing.T) {
	const clamped, lost, back = "not from 0 to 100", "does not say how busy it is: default 50", "says again"
	for _, tt := range []struct {
		says   []string
		metric int
		counts [4]uint64
		told   string // what is logged
	}{
		{[]string{"-3"}, 0, [4]uint64{1}, clamped},
		{[]string{"130"}, 100, [4]uint64{1}, clamped},
		{[]string{"130", "-3", "130"}, 100, [4]uint64{3}, clamped},
		{[]string{"130", "40", "130"}, 100, [4]uint64{2}, clamped + "|" + back + "|" + clamped},
		{[]string{"NaN"}, 50, [4]uint64{0, 1}, lost},
		{[]string{"busy", "NaN", "1e999", "0x10"}, 50, [4]uint64{0, 4}, lost},
		{[]string{"busy", "40", "41"}, 41, [4]uint64{0, 1}, lost + "|" + back},
		{[]string{"busy", "140"}, 100, [4]uint64{1, 1}, lost + "|" + clamped},
		{[]string{"140", "busy", "40"}, 40, [4]uint64{1, 1}, clamped + "|" + lost + "|" + back},
		{[]string{"40", "60"}, 60, [4]uint64{}, ""},
	} {
		inStockBubble(t, stockText(`collector: value, source: "header:x-load"`, "s1"), func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
			for _, says := range tt.says {
				s1.set(func() { s1.field = says })
				b.get(bubbleGET)
				synctest.Wait()
			}
			from := "header:x-load"
			if tt.metric == 50 {
				from = "default"
			}
			metricIs(t, b, fmt.Sprint("after ", tt.says), "s1", tt.metric, from)
			if got := countedOf(b, "s1"); got != tt.counts {
				t.Errorf("after %q the counters are %v, want %v", tt.says, got, tt.counts)
			}
			var told []string
			for _, line := range log.lines("category=metric") {
				for _, part := range []string{clamped, lost, back} {
					if strings.Contains(line, part) && strings.Contains(line, "cluster=app origin=s1") {
						told = append(told, part)
					}
				}
			}
			if text := strings.Join(told, "|"); text != tt.told {
				t.Errorf("after %q people are told %s, want %s", tt.says, text, tt.told)
			}
		})
	}
}

// M-MET-10: who can be asked is asked at once, and then once an interval.
func TestPullsKeepTheirInterval(t *testing.T) {
	for metric, want := range map[string]string{
		"collector: value, pull: { path: /page }":               "[0s 30s 1m0s]",
		"collector: value, pull: { path: /page }, interval: 5s": "[0s 5s 10s 15s 20s 25s 30s 35s 40s 45s 50s 55s 1m0s]",
	} {
		inStockBubbleAt(t, stockText(metric, "s1", "s2"), " 60.4\n", func(t *testing.T, b *bubble, _ *metricLog, s1, s2 *speaker) {
			pass(time.Minute + time.Second)
			metricIs(t, b, "then", "s1", 60, "pull /page")
			metricIs(t, b, "then", "s2", 60, "pull /page")
			s1.set(func() {
				if text := fmt.Sprint(s1.pulls); text != want {
					t.Errorf("%s: it was asked at %s, want %s", metric, text, want)
				}
			})
			if s2.set(func() { slices.Sort(s2.pulls) }); len(s2.pulls) == 0 || s2.pulls[0] == 0 {
				t.Errorf("the second was asked at %v, with the first", s2.pulls)
			}
		})
	}
}

// Whatever is pulled in place of a number: the default is in force, it is counted each
// time and told once, no request is held up, and one number mends it.
func TestPullsThatAreNoMetric(t *testing.T) {
	for _, tt := range []struct{ what, page, why string }{
		{"text", "busy", "the answer is not JSON"},
		{"NaN", "NaN", "the answer is not JSON"},
		{"a page", "<html>busy</html>", "the answer is not JSON"},
		{"a number in quotes", `"40"`, "the answer is a text, must be a number"},
		{"nothing", "", "the answer is not JSON"},
		{"10 MB", strings.Repeat("1", 10<<20), "the answer has more than 1048576 bytes"},
		{"an answer without end", "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("1", 2<<20), "the answer has more than 1048576 bytes"},
		{"no such page", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "status 404, must be 200 to 299"},
		{"silence", "", "timed out"},
		{"nobody", "", "refused"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			inStockBubbleAt(t, stockText("collector: value, pull: { path: /page }", "s1"), "70", func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
				pass(time.Second)
				metricIs(t, b, "at first", "s1", 70, "pull /page")
				s1.set(func() { s1.page, s1.out = tt.page, tt.what == "nobody" })
				if tt.what == "silence" {
					s1.set(func() { s1.slow = time.Hour })
				}
				pass(29*time.Second + 500*time.Millisecond) // it is being asked, or was
				if tt.what != "nobody" && b.get(bubbleGET) != "200" || b.took() > 31*time.Second {
					t.Errorf("a request was held up: %v", b.took())
				}
				pass(65 * time.Second)
				metricIs(t, b, "then", "s1", 50, "default")
				if got := countedOf(b, "s1"); got != [4]uint64{0, 3, 0, 0} {
					t.Errorf("the counters are %v", got)
				}
				told := log.lines("default 50")
				if len(told) != 1 || !strings.Contains(told[0], "origin=s1") || !strings.Contains(told[0], tt.why) || !strings.Contains(told[0], "GET /page") {
					t.Errorf("people are told %q, want one line with %s", told, tt.why)
				}
				s1.set(func() { s1.page, s1.out, s1.slow = "30", false, 0 })
				pass(90 * time.Second)
				metricIs(t, b, "at last", "s1", 30, "pull /page")
				if told := log.lines("says again"); len(told) != 1 {
					t.Errorf("that it is back is told %q", told)
				}
			})
		})
	}
}

// M-MET-12: after three intervals without a word the default is in force, which is told
// once, as is that it is back.
func TestSilenceIsStale(t *testing.T) {
	for _, tt := range []struct{ metric, from, advice string }{
		{`collector: value, source: "header:X-Load"`, "header:X-Load", "x-load"},
		{"collector: value, source: push", "push", "weirkeep metric push app s1 NUMBER"},
	} {
		inStockBubble(t, stockText(tt.metric+", initial: 90", "s1"), func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
			s1.set(func() { s1.field = "20" })
			say := func() {
				if tt.from == "push" {
					b.g.ReportMetric(MetricReport{Cluster: "app", Origin: "s1", Value: 20})
				} else {
					b.get(bubbleGET)
				}
			}
			pass(89 * time.Second)
			metricIs(t, b, "before it has ever said anything", "s1", 90, "initial")
			pass(2 * time.Second)
			metricIs(t, b, "after three intervals", "s1", 50, "default")
			pass(10 * time.Minute)
			say()
			metricIs(t, b, "once it speaks", "s1", 20, tt.from)
			pass(80 * time.Second)
			say()
			pass(89 * time.Second)
			metricIs(t, b, "not yet three intervals later", "s1", 20, tt.from)
			pass(32 * time.Second)
			metricIs(t, b, "three intervals later", "s1", 50, "default")
			if got := countedOf(b, "s1"); got != [4]uint64{0, 0, 2, 0} {
				t.Errorf("the counters are %v", got)
			}
			lost := log.lines("default 50")
			if len(lost) != 2 || !strings.Contains(lost[0], "nothing for 1m30s") || !strings.Contains(lost[0], tt.advice) || !strings.Contains(lost[0], "origin=s1") {
				t.Errorf("people are told %q", lost)
			}
			if back := log.lines("says again"); len(back) != 1 {
				t.Errorf("that it is back is told %q", back)
			}
		})
	}
}

// M-COL-02..08, M-COL-15: log-delta goes by how much a number has grown at each sample,
// keeps fractions, and logs each report for who debugs.
func TestLogDeltaOfAPull(t *testing.T) {
	const text = "# TYPE work counter\nwork{app=\"a\"} %v\nwork{app=\"b\"} 3\n"
	for _, tt := range []struct {
		settings string
		numbers  []float64
		want     []int
	}{
		{"", []float64{1000, 1000, 1000, 1000}, []int{50, 85, 96, 99}},
		{", history: 0", []float64{1000, 1099, 1099, 1098}, []int{50, 18, 100, 12}}, // 1098 has begun anew
		{", history: 0, base: 10", []float64{1000, 1099, 2098}, []int{50, 33, 25}},
		{", history: 1", []float64{1000, 1099, 2098}, []int{50, 50, 50}},
		{", history: 0.2, initial: 50", []float64{1, 1}, []int{50, 90}},
	} {
		config := stockText(`collector: log-delta, pull: { path: /page, series: 'work{app="a"}' }, debug: true`+tt.settings, "s1")
		inStockBubbleAt(t, config, fmt.Sprintf(text, tt.numbers[0]), func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
			for i := range tt.numbers {
				pass(time.Second)
				metricIs(t, b, fmt.Sprint("after ", tt.numbers[:i+1], tt.settings), "s1", tt.want[i], "pull /page")
				s1.set(func() { s1.page = fmt.Sprintf(text, tt.numbers[min(i+1, len(tt.numbers)-1)]) })
				pass(29 * time.Second)
			}
			if got := log.lines("msg=metric category=metric cluster=app origin=s1"); len(got) < len(tt.numbers) || !strings.Contains(got[0], fmt.Sprintf("number=%v metric=%d", tt.numbers[0], tt.want[0])) {
				t.Errorf("it logs %q", got)
			}
		})
	}
}

// A number that log-delta cannot go by is nonsense; one that is said by itself is looked
// at once an interval, and silence between two samples says nothing.
func TestLogDeltaOfWhatIsSaid(t *testing.T) {
	inStockBubble(t, stockText(`collector: log-delta, source: "header:X-Load", history: 0`, "s1"), func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
		say := func(n string) {
			s1.set(func() { s1.field = n })
			b.get(bubbleGET)
		}
		say("1000")
		pass(31 * time.Second)
		metricIs(t, b, "after the first", "s1", 50, "header:X-Load")
		say("1009")
		say("1099")
		metricIs(t, b, "before the next sample", "s1", 50, "header:X-Load")
		pass(30 * time.Second)
		metricIs(t, b, "after that", "s1", 18, "header:X-Load")
		pass(30 * time.Second)
		metricIs(t, b, "after an interval without requests", "s1", 18, "header:X-Load")
		say("-5")
		pass(30 * time.Second)
		metricIs(t, b, "after a number below zero", "s1", 50, "default")
		if told := log.lines("default 50"); len(told) != 1 || !strings.Contains(told[0], "-5 is negative") {
			t.Errorf("people are told %q", told)
		}
		say("1108")
		pass(30 * time.Second)
		metricIs(t, b, "with a growth of 9 again", "s1", 30, "header:X-Load")
		pass(3 * time.Minute)
		metricIs(t, b, "when it is stale", "s1", 50, "default")
		say("9000")
		pass(30 * time.Second)
		metricIs(t, b, "with the first number after that", "s1", 50, "header:X-Load")
	})
}

// What the gateway sees of an origin itself.
func TestSeenMetrics(t *testing.T) {
	for _, tt := range []struct {
		metric string
		is     func(o *speaker)
		n      int // requests in the first interval
		want   int
		from   string
	}{
		{"collector: value, source: latency, busy: 500ms", func(o *speaker) { o.takes = 100 * time.Millisecond }, 5, 80, "latency"},
		{"collector: value, source: latency, idle: 50ms, busy: 250ms", func(o *speaker) { o.takes = 100 * time.Millisecond }, 1, 75, "latency"},
		{"collector: value, source: latency, busy: 500ms", func(o *speaker) { o.takes = time.Second }, 5, 0, "latency"},
		{"collector: value, source: latency, busy: 500ms, initial: 60", func(o *speaker) {}, 0, 60, "initial"},
		{"collector: value, source: errors", func(o *speaker) { o.status = "503 Busy" }, 4, 0, "errors"},
		{"collector: value, source: errors", func(o *speaker) { o.status = "500 Bug" }, 4, 0, "errors"},
		{"collector: value, source: errors", func(o *speaker) { o.status = "404 Gone" }, 4, 100, "errors"},
		{"collector: value, source: errors, busy: 50%", func(o *speaker) { o.out = true }, 4, 0, "errors"},
		{"collector: value, source: errors, initial: 60", func(o *speaker) {}, 0, 60, "initial"},
		{"collector: value, source: in-flight", func(o *speaker) {}, 3, 100, "in-flight"},
		{"collector: log-delta, source: latency, history: 0", func(o *speaker) { o.takes = 100 * time.Millisecond }, 5, 50, "latency"},
	} {
		inStockBubble(t, stockText(tt.metric, "s1"), func(t *testing.T, b *bubble, log *metricLog, s1, _ *speaker) {
			s1.set(func() { tt.is(s1) })
			for range tt.n {
				b.get(bubbleGET)
			}
			pass(31*time.Second - b.took())
			metricIs(t, b, tt.metric, "s1", tt.want, tt.from)
		})
	}
}
