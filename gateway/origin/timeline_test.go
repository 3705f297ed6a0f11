package origin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/gateway/metrics"
)

var rewrite = flag.Bool("rewrite", false, "write what happens in the timelines of testdata into them")

// Each file of testdata is a day in the life of one origin: what is done to it,
// and, indented below, what comes of it. The indented lines are written by
// -rewrite and read by people. The words are those of [timeline.do].
func TestTimelines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no timelines", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, string(want)) })
			if got == string(want) {
				return
			}
			if !*rewrite {
				t.Error(firstDifference(got, string(want)))
			} else if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(g), len(w))-1 && g[i] == w[i] {
		i++
	}
	return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], w[i])
}

// timeline is an origin whose life is written down.
type timeline struct {
	t      *testing.T
	start  time.Time
	policy Policy
	pool   *Pool
	checks map[string]*Check

	mu     sync.Mutex
	mode   string // how the origin is
	lines  []string
	peers  sync.WaitGroup
	ending chan struct{}
}

// play does what the script says and returns it with what came of it. A blank
// line begins another life.
func play(t *testing.T, script string) string {
	var out strings.Builder
	life := newTimeline(t)
	for line := range strings.Lines(script) {
		switch {
		case strings.HasPrefix(line, " "):
			continue // what came of it last time
		case line == "\n":
			life.flush(&out)
			life.end()
			life = newTimeline(t)
		case line[0] != '#':
			life.play(&out, strings.Fields(line))
			out.WriteString(line)
			continue
		}
		out.WriteString(line)
	}
	life.flush(&out)
	life.end()
	return out.String()
}

func newTimeline(t *testing.T) *timeline {
	l := &timeline{t: t, start: time.Now(), checks: make(map[string]*Check), mode: "answers 200", ending: make(chan struct{})}
	l.policy = Policy{Threshold: 5, ConnectFailures: 1, Count: usual()}
	o := &Origin{Address: "a.example:80", OnChange: func(_ *Origin, t Transition) { l.log(describe(t)) }}
	l.pool = NewPool(PoolOptions{Origin: o, ConnectTimeout: time.Second, Dial: l.dial})
	return l
}

// usual is what counts unless configured otherwise.
func usual() (fs Faults) {
	for f := FaultConnect; f < FaultStatus; f++ {
		fs = fs.With(f)
	}
	return fs
}

func describe(t Transition) string {
	s := fmt.Sprintf("%v -> %v by %v: %s", t.From, t.To, t.By, t.Why)
	if t.Failures > 0 {
		s += fmt.Sprintf(" (%d in a row)", t.Failures)
	}
	return s
}

// play waits until an event's time, then lets it happen.
func (l *timeline) play(out *strings.Builder, words []string) {
	at, err := time.ParseDuration(words[0])
	if err != nil {
		l.t.Fatal(err)
	}
	time.Sleep(at - time.Since(l.start))
	synctest.Wait()
	l.flush(out)
	l.do(words[1], words[2:])
	synctest.Wait()
}

// flush writes what was logged since the last event.
func (l *timeline) flush(out *strings.Builder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		out.WriteString("          " + line + "\n")
	}
	l.lines = nil
}

func (l *timeline) log(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf("%-7v %s", time.Since(l.start), what))
}

func (l *timeline) end() {
	for _, c := range l.checks {
		c.Stop()
	}
	close(l.ending)
	l.peers.Wait()
	synctest.Wait()
}

// do is every event there is.
func (l *timeline) do(event string, words []string) {
	o, has := l.pool.origin, func(word string) bool { return slices.Contains(words, word) }
	switch event {
	case "policy": // threshold, connect failures, further words of failover.count
		l.policy.Threshold, l.policy.ConnectFailures = number(words[0]), number(words[1])
		for _, word := range words[2:] {
			fs, _ := FaultsNamed(word)
			l.policy.Count |= fs
		}
	case "origin": // refuses, hangs, is-silent, closes, answers STATUS, is-large STATUS, cannot-be-dialed
		l.mu.Lock()
		l.mode = strings.Join(words, " ")
		l.mu.Unlock()
	case "succeeds": // trial
		o.Succeeded(has("trial"))
	case "fails": // FAULT or STATUS, trial, last, began TIME, beyond, xTIMES
		l.fail(words, has)
	case "claims": // a trial; alone
		l.log(fmt.Sprintf("due %v, claimed %v", o.Due(time.Now(), has("alone")), o.Claim(time.Now(), has("alone"))))
	case "check", "ping": // NAME, path, interval, timeout, down_after, up_after, expect
		l.begin(event == "ping", words)
	case "stop": // NAME
		l.checks[words[0]].Stop()
	case "look":
		l.log(o.Health().String())
	default:
		l.t.Fatalf("there is no event %q", event)
	}
}

func number(word string) int {
	n, _ := strconv.Atoi(word)
	return n
}

func (l *timeline) fail(words []string, has func(string) bool) {
	f := Failure{At: time.Now(), Cluster: "shop", Trial: has("trial"), Beyond: has("beyond")}
	e := &Error{Address: l.pool.origin.Address, Err: refusedErr}
	switch words[0] {
	case "connect":
		f.Fault, f.Err = FaultConnect, e
	case "reset":
		e.Phase, e.Err = metrics.Wait, io.EOF
		f.Fault, f.Err = FaultReset, e
	case "timeout":
		e.Phase, e.Err = metrics.Wait, ErrTimeout
		f.Fault, f.Err = FaultTimeout, e
	default:
		f.Status = number(words[0])
		f.Fault, _ = StatusFault(f.Status)
	}
	if i := slices.Index(words, "began"); i >= 0 {
		d, _ := time.ParseDuration(words[i+1])
		f.Began = l.start.Add(d)
	}
	for range times(words) {
		l.pool.origin.Failed(f, &l.policy, has("last"))
	}
}

// times is what the word x5 says.
func times(words []string) int {
	for _, word := range words {
		if n, found := strings.CutPrefix(word, "x"); found {
			return number(n)
		}
	}
	return 1
}

func (l *timeline) begin(ping bool, words []string) {
	o := CheckOptions{WhileDown: ping, Timeout: 2 * time.Second, Interval: 5 * time.Second, DownAfter: 3, UpAfter: 2, Path: "/" + words[0]}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		d, _ := time.ParseDuration(value)
		switch key {
		case "interval":
			o.Interval = d
		case "timeout":
			o.Timeout = d
		case "expect":
			from, to, _ := strings.Cut(value, "-")
			o.Expect = append(o.Expect, [2]int{number(from), number(to)})
		default:
			l.t.Fatalf("a check has no %q", word)
		}
	}
	l.checks[words[0]] = l.pool.check(o, func(time.Duration) time.Duration { return 0 })
}

// dial connects to the origin as it is at the moment.
func (l *timeline) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	l.mu.Lock()
	mode := l.mode
	l.mu.Unlock()
	switch mode {
	case "refuses":
		l.log("connect: refused")
		return nil, refusedErr
	case "hangs":
		l.log("connect: nothing")
		<-ctx.Done()
		return nil, ctx.Err()
	case "cannot-be-dialed":
		l.log("connect: out of descriptors")
		return nil, syscall.EMFILE
	}
	ours, theirs := net.Pipe()
	l.peers.Go(func() { defer theirs.Close(); l.serve(newPeer(theirs), mode) })
	return ours, nil
}

// serve is the origin's end of a check. It keeps the connection as long as it
// is let.
func (l *timeline) serve(p *peer, mode string) {
	line, _, _ := strings.Cut(p.head(), " HTTP/")
	l.log(line)
	go func() { <-l.ending; p.Close() }()
	how, status, _ := strings.Cut(mode, " ")
	switch how {
	case "answers":
		p.say("HTTP/1.1 " + status + " X\r\nContent-Length: 2\r\n\r\nok")
	case "is-large":
		p.say("HTTP/1.1 " + status + " X\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 1000000))
	case "closes":
		return
	}
	if _, err := p.in.ReadByte(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		l.t.Error(err)
	}
}
