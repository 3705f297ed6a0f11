package gateway

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// written is what a gateway hands over to the next one.
func written(t *testing.T, g *Gateway) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := g.WriteBindings(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A gateway that takes another's place knows its sessions from the first request
// on, and hands them on.
func TestHandOverKeepsSessions(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs.say(atCookie)
	text := hs.boundText("", byCookie, "")
	addr, g := start(t, text, hs.options())
	first := make(map[string]string)
	for i := range 12 {
		id := fmt.Sprint("s", i)
		first[id] = enter(t, addr, id)
	}
	for range 2 {
		addr, g = start(t, text, Options{Dial: hs.dial, Bindings: bytes.NewReader(written(t, g))})
		for id, origin := range first {
			stays(t, addr, "SID="+id, origin)
		}
		if n := sessionCounts(g, "s").Unknown.Load(); n != 0 {
			t.Errorf("%d requests found no binding", n)
		}
	}
}

// What the next configuration has no place for is dropped; what cannot be read
// costs a line of the log.
func TestBindingsThatAreNotTakenOver(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	text := hs.boundText("", byCookie, "")
	addr, g := start(t, text, hs.options())
	enterAt(t, addr, "a")
	enterAt(t, addr, "b")
	whole := written(t, g)
	const lost = "bindings of the gateway before are lost"
	atA, atB := statusOf(t, g, "a").Sessions, statusOf(t, g, "b").Sessions
	restored := func(bound, dropped int) string { return fmt.Sprintf("bindings=%d dropped=%d", bound, dropped) }
	for _, tt := range []struct {
		name, text string
		stream     []byte
		kept       func(origin string) bool
		log        string
	}{
		{"all are", text, whole, func(string) bool { return true }, restored(atA+atB, 0)},
		{"an origin has gone", hs[:1].boundText("", byCookie, ""), whole, func(o string) bool { return o == "a" }, restored(atA, atB)},
		{"the session has another name", strings.NewReplacer("session: s", "session: other", "{ s:", "{ other:").Replace(text), whole, nil, restored(0, atA+atB)},
		{"the session has gone", plainListener + "clusters: { app: { origins: " + hs.text() + " } }\n", whole, nil, restored(0, atA+atB)},
		{"the stream is short", text, whole[:len(whole)-1], nil, lost},
		{"the stream is empty", text, nil, nil, lost},
		{"the stream is none", text, []byte("listeners: []\n"), nil, lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := new(lockedBuffer)
			_, next := start(t, tt.text, Options{Dial: hs.dial, Bindings: bytes.NewReader(tt.stream), Logger: slog.New(slog.NewTextHandler(log, nil))})
			if !strings.Contains(log.String(), tt.log) {
				t.Errorf("the log is %s, want %q", log, tt.log)
			}
			for _, o := range next.Status().Origins {
				want := 0
				if tt.kept != nil && tt.kept(o.Name) {
					want = statusOf(t, g, o.Name).Sessions
				}
				if o.Sessions != want {
					t.Errorf("%d sessions are at home at %q, want %d", o.Sessions, o.Name, want)
				}
			}
		})
	}
}

// A session that was handed over has as long to be used as it had.
func TestHandOverDoesNotProlongSessions(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	text := hs.boundText("", byCookie+", idle_timeout: 1m", "")
	var passed atomic.Int64 // nanoseconds
	began := time.Now()
	clock := func() time.Time { return began.Add(time.Duration(passed.Load())) }
	addr, g := start(t, text, Options{Dial: hs.dial, Now: clock})
	enter(t, addr, "x")
	passed.Add(int64(40 * time.Second))
	stream := written(t, g)
	for _, tt := range []struct {
		more  time.Duration
		bound uint64
	}{{20*time.Second - 1, 1}, {20 * time.Second, 0}} {
		passed.Store(int64(40 * time.Second))
		next, h := start(t, text, Options{Dial: hs.dial, Now: clock, Bindings: bytes.NewReader(stream)})
		passed.Add(int64(tt.more))
		visit(t, next, "/", "SID=x")
		if n := sessionCounts(h, "s").Bound.Load(); n != tt.bound {
			t.Errorf("%v after the hand-over %d requests found it bound, want %d", tt.more, n, tt.bound)
		}
	}
}

// Only the first configuration that is taken takes sessions over.
func TestBindingsWaitForAGoodConfiguration(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs.say(atCookie)
	text := hs.boundText("", byCookie, "")
	addr, g := start(t, text, hs.options())
	enter(t, addr, "x")
	log := new(lockedBuffer)
	next := New(Options{Dial: hs.dial, Bindings: bytes.NewReader(written(t, g)), Logger: slog.New(slog.NewTextHandler(log, nil))})
	defer next.Close()
	if problems := next.Apply(load(t, strings.Replace(text, "127.0.0.1:0", addr, 1))); problems.Errors() == 0 {
		t.Fatalf("two gateways listen on %s", addr)
	}
	for range 2 {
		apply(t, next, text)
		if o := statusOf(t, next, "a"); o.Sessions != 1 {
			t.Errorf("%d sessions are at home, want 1", o.Sessions)
		}
	}
	if got := strings.Count(log.String(), "session bindings"); got != 1 {
		t.Errorf("bindings are spoken of %d times, want once, in the log:\n%s", got, log)
	}
}

func TestBindingsOfAGatewayWithoutAConfiguration(t *testing.T) {
	hs := newHomes(t, "a")
	log := new(lockedBuffer)
	_, g := start(t, hs.boundText("", byCookie, ""), Options{Bindings: bytes.NewReader(written(t, New(Options{}))), Logger: slog.New(slog.NewTextHandler(log, nil))})
	if o := statusOf(t, g, "a"); o.Sessions != 0 || !strings.Contains(log.String(), "bindings=0 dropped=0") {
		t.Errorf("%d sessions are at home; the log is %s", o.Sessions, log)
	}
}
