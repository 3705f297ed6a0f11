package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins"
)

// outletText is a cluster that a plugin may call, which is also one of a mapping.
func outletText(hs homes, plugin, cluster string) string {
	return routerText(hs, moody, ", http: [\"cluster:app\"]"+plugin, cluster)
}

// errandOf makes a call as a guest would, and waits for its answer.
func errandOf(tb testing.TB, g *Gateway, url string, timeout time.Duration) plugins.Answer {
	tb.Helper()
	call, code := g.fetch(&plugins.Request{Method: "GET", URL: url}, 1<<20)
	if code != 0 {
		return plugins.Answer{Code: code}
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return call(ctx)
}

// answeredBy is which origin has answered a call.
func answeredBy(a plugins.Answer) string {
	for _, f := range a.Headers {
		if string(f.Name) == "X-Origin" {
			return string(f.Value)
		}
	}
	return ""
}

// loads are the slots taken of each.
func loads(g *Gateway) (all string) {
	for _, o := range g.Status().Origins {
		all += fmt.Sprint(o.Load)
	}
	return all
}

// abi.md, section 9: cluster://NAME/path is balanced over the cluster, and what its
// origins do counts like for any other request.
func TestErrandsAreBalanced(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	_, g := start(t, outletText(hs, "", ""), hs.options())
	by := ""
	for range 6 {
		a := errandOf(t, g, "cluster://app/x?y=1", 30*time.Second)
		by += answeredBy(a)
		head := string(a.Body)
		if a.Status != 200 || !a.Whole || !strings.HasPrefix(head, "GET /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:") || !strings.Contains(head, "Via: 1.1 ") || !strings.Contains(head, "X-Request-Id: ") {
			t.Fatalf("%d %d %q", a.Code, a.Status, head)
		}
		if strings.Contains(head, "X-Forwarded") {
			t.Errorf("something is said of a client: %q", head)
		}
	}
	if by != "abcabc" || loads(g) != "000" {
		t.Errorf("answered by %s, loads %s", by, loads(g))
	}
	for _, o := range g.Status().Origins {
		if o.Attempts != 2 || o.Idle != 1 {
			t.Errorf("%s: %d attempts, %d idle connections", o.Name, o.Attempts, o.Idle)
		}
	}
}

// A call takes a slot and waits for none: who finds all taken knows at once, also if
// there is a queue.
func TestErrandsNeverWait(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs[0].settings = ", capacity: 1"
	addr, g := start(t, outletText(hs, "", ", queue: { size: 5 }"), hs.options())
	held := hs[0].hold(t, addr, "")
	for range 3 {
		if _, code := g.fetch(&plugins.Request{Method: "GET", URL: "cluster://app/"}, 10); code != abi.Busy {
			t.Errorf("code %d, want %d", code, abi.Busy)
		}
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	call, code := g.fetch(&plugins.Request{Method: "GET", URL: "cluster://app/"}, 10)
	if code != 0 || loads(g) != "1" {
		t.Fatalf("code %d, load %s: the slot is taken before the call is made", code, loads(g))
	}
	if a := call(t.Context()); a.Status != 200 || a.Whole || len(a.Body) != 10 {
		t.Errorf("%d, %d bytes, whole %v; of more than 10 bytes 10 are of use", a.Status, len(a.Body), a.Whole)
	}
	if loads(g) != "0" {
		t.Errorf("load %s", loads(g))
	}
}

// Origins that are down are learned of, and another one gets the call where that is
// safe; where none is left the answer says unreachable.
func TestErrandsAndOriginsThatAreDown(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	_, g := start(t, outletText(hs, "", ""), hs.options())
	hs[0].kill()
	for range 2 {
		if a := errandOf(t, g, "cluster://app/", 30*time.Second); answeredBy(a) != "b" {
			t.Errorf("%d %d from %q", a.Code, a.Status, answeredBy(a))
		}
	}
	if o := g.Status().Origins[0]; o.Health != "ejected" {
		t.Errorf("a is %s", o.Health)
	}
	hs[1].kill()
	for range 2 {
		if a := errandOf(t, g, "cluster://app/", 30*time.Second); a.Code != abi.Unreachable {
			t.Errorf("%d %d, want unreachable", a.Code, a.Status)
		}
	}
	if loads(g) != "00" {
		t.Errorf("loads %s", loads(g))
	}
}

// A guest's own time-out ends its call and says nothing of the origin.
func TestErrandsTimeOut(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	_, g := start(t, outletText(hs, "", ""), hs.options())
	if a := errandOf(t, g, "cluster://app/hold", 50*time.Millisecond); a.Code != abi.Timeout {
		t.Errorf("%d %d, want a time-out", a.Code, a.Status)
	}
	if o := g.Status().Origins[0]; o.Health != "up" || o.Load != 0 || o.Failures != 0 {
		t.Errorf("the origin is %s, load %d, %d failures", o.Health, o.Load, o.Failures)
	}
}

// That holds while a connection is made, too.
func TestErrandsTimeOutConnecting(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	never := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, g := start(t, outletText(hs, "", ", connect_timeout: 60s"), Options{Dial: never})
	began := time.Now()
	if a := errandOf(t, g, "cluster://app/", 50*time.Millisecond); a.Code != abi.Timeout || time.Since(began) > 30*time.Second {
		t.Errorf("%d %d after %v, want a time-out", a.Code, a.Status, time.Since(began))
	}
	if o := g.Status().Origins[0]; o.Health != "up" || o.Load != 0 || o.Failures != 0 {
		t.Errorf("the origin is %s, load %d, %d failures", o.Health, o.Load, o.Failures)
	}
}

// What ends at this hop no guest is told, whoever answers.
func TestGuestsAreToldNoHopByHopFields(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs.say(func(string) (fields, body string) {
		return "Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=5\r\nProxy-Anything: 1\r\nX-Yours: 1\r\n", "ok"
	})
	_, g := start(t, outletText(hs, "", ""), hs.options())
	for _, url := range []string{"cluster://app/", "http://" + hs[0].addr + "/"} {
		var names []string
		for _, f := range errandOf(t, g, url, 30*time.Second).Headers {
			names = append(names, string(f.Name))
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "Content-Length X-Origin X-Yours" {
			t.Errorf("%s: %s", url, got)
		}
	}
}

// A call goes on by the configuration that it began with, and holds that up no longer;
// the next goes by the new one.
func TestErrandsUnderReloads(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	_, g := start(t, outletText(hs.except("b"), "", ""), hs.options())
	old := g.current.Load()
	call, code := g.fetch(&plugins.Request{Method: "GET", URL: "cluster://app/hold"}, 1<<20)
	if code != 0 {
		t.Fatal(code)
	}
	answer := make(chan plugins.Answer, 1)
	go func() { answer <- call(context.Background()) }()
	until(t, "the call is held", func() bool { return hs[0].held.Load() == 1 })
	apply(t, g, outletText(hs.except("a"), "", ""))
	if a := errandOf(t, g, "cluster://app/", 30*time.Second); answeredBy(a) != "b" {
		t.Errorf("the next one: %d %d from %q", a.Code, a.Status, answeredBy(a))
	}
	if n := old.users.Load(); n != 1 {
		t.Errorf("%d hold the old configuration, want the call alone", n)
	}
	hs[0].letGo <- struct{}{}
	if a := <-answer; answeredBy(a) != "a" {
		t.Errorf("the one that was held: %d %d from %q", a.Code, a.Status, answeredBy(a))
	}
	if n := old.users.Load(); n != 0 {
		t.Errorf("%d hold the old configuration", n)
	}
	apply(t, g, routerText(hs, moody, "", ""))
	if a := errandOf(t, g, "cluster://app/", 30*time.Second); a.Code != abi.Unreachable {
		t.Errorf("who was granted the cluster before: %d %d", a.Code, a.Status)
	}
}

// A cluster may lead back here: the request is refused when it comes.
func TestErrandsDoNotGoInCircles(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	addr, g := start(t, outletText(hs, "", ""), hs.options())
	apply(t, g, strings.Replace(outletText(hs, "", ""), hs[0].addr, addr, 1))
	if a := errandOf(t, g, "cluster://app/", 30*time.Second); a.Status != 508 {
		t.Errorf("%d %d, want 508", a.Code, a.Status)
	}
}

// Origins that speak TLS are called like others.
func TestErrandsByTLS(t *testing.T) {
	t.Parallel()
	safe := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	}))
	defer safe.Close()
	_, g := start(t, fmt.Sprintf(plainListener+`
clusters: { app: { router: chooser, tls: { verify: false }, origins: [{ name: a, address: %q }] } }
plugins: { chooser: { kind: router, module: %q, http: ["cluster:app"] } }
`, safe.URL, guestFile(moody)), Options{})
	body := strings.Repeat("x", 64<<10)
	call, code := g.fetch(&plugins.Request{Method: "PUT", URL: "cluster://app", Body: []byte(body), Headers: []abi.Field{{Name: []byte("X-Request-Id"), Value: []byte("mine")}}}, 1<<20)
	if code != 0 {
		t.Fatal(code)
	}
	if a := call(t.Context()); a.Status != 200 || string(a.Body) != body || !a.Whole {
		t.Errorf("%d %d, %d bytes came back of %d", a.Code, a.Status, len(a.Body), len(body))
	}
}

// abi.md, section 9: what a guest learns of a cluster in its ticks decides where
// requests go, and reloads that replace the guest while it calls end it.
func TestRouterCallsACluster(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs.say(func(head string) (fields, body string) {
		if strings.HasPrefix(head, "POST /where HTTP/1.1\r\n") && strings.Contains(head, "Content-Length: 6\r\n") {
			return "", "c"
		}
		return "", head
	})
	text := func(instances int) string {
		return routerText(hs, "good/caller", fmt.Sprintf(`, tick: 100ms, kv: 1MiB, http: ["cluster:app"], params: { url: "cluster://app/where" }, limits: { instances: %d }`, instances), "")
	}
	addr, g := start(t, text(1), hs.options())
	until(t, "the answer decides", func() bool { return turns(t, addr, "/", 3) == "ccc" })
	for n := range 20 {
		before := hs.count()
		apply(t, g, text(2+n))
		until(t, "the new one calls", func() bool { return hs.count() > before })
	}
	if faults := g.Plugins()[0].Faults; len(faults) != 0 {
		t.Errorf("%+v", faults)
	}
}
