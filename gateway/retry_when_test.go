package gateway

import (
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"

	"weirkeep/abi"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// whenText is a cluster whose origins are asked in turn, and whose answers are passed over
// by a condition.
func whenText(hs homes, when, retry string) string {
	return inTurnText(causeListener, hs, fmt.Sprintf(", retry: { when: %q%s }", when, retry))
}

// An answer that meets the cluster's condition makes the request be tried at another
// origin, where that is safe, as often as is allowed; the last answer stands.
func TestRetriesByCondition(t *testing.T) {
	t.Parallel()
	const (
		get   = "GET /cart?a=1 HTTP/1.1\r\nHost: a.example\r\nX-Kind: beta"
		post  = "POST /cart HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0"
		keyed = post + "\r\nIdempotency-Key: 8e03978e"
		busy  = "503 Busy"
		ill   = "503 Busy\r\nX-Retry: yes"
		page  = "200 OK\r\nContent-Type: Text/HTML; charset=utf-8"
		json  = "200 OK\r\nContent-Type: application/json"
		asked = `response_header("x-retry") == "yes"`
	)
	for _, tt := range []struct {
		name, when, retry, request string
		says                       []string
		status                     int
		from                       string
		seen                       []int64
	}{
		{"a status", `status in [502, 503]`, "", get, []string{busy, json}, 200, "two", []int64{1, 1}},
		{"another status", `status in [502, 503]`, "", get, []string{"500 Oops", json}, 500, "one", []int64{1, 0}},
		{"a field of the answer", asked, "", get, []string{ill, json}, 200, "two", []int64{1, 1}},
		{"a field that the answer lacks", asked, "", get, []string{busy, json}, 503, "one", []int64{1, 0}},
		{"a media type", `status == 200 and content_type == "text/html"`, "", get, []string{page, json}, 200, "two", []int64{1, 1}},
		{"another media type", `status == 200 and content_type == "text/html"`, "", get, []string{json, page}, 200, "one", []int64{1, 0}},
		{"of the request", `status == 503 and path == "/cart" and query("a") == "1" and header("X-Kind") == "beta" and site != ""`, "", get, []string{busy, json}, 200, "two", []int64{1, 1}},
		{"not of the request", `status == 503 and header("X-Kind") != "beta"`, "", get, []string{busy, json}, 503, "one", []int64{1, 0}},
		{"the request's field and the answer's", `header("X-Retry") == "yes"`, "", get, []string{ill, json}, 503, "one", []int64{1, 0}},
		{"of one of its clusters", `cluster("app").up == 2`, "", get, []string{busy, json}, 200, "two", []int64{1, 1}},
		{"beside a status that is listed", asked, ", statuses: [502]", get, []string{"502 Bad", ill, json}, 503, "two", []int64{1, 1, 0}},
		{"beside a status that is listed, twice", asked, ", statuses: [502], retries: 2", get, []string{"502 Bad", ill, json}, 200, "three", []int64{1, 1, 1}},
		{"retries end it", asked, ", retries: 1", get, []string{ill, ill, json}, 503, "two", []int64{1, 1, 0}},
		{"attempts bound it", asked + ` and attempts < 2`, ", retries: 5", get, []string{ill, ill, json}, 503, "two", []int64{1, 1, 0}},
		{"attempts do not bound it", asked + ` and attempts < 3`, ", retries: 5", get, []string{ill, ill, json}, 200, "three", []int64{1, 1, 1}},
		{"all ill", asked, ", retries: 5", get, []string{ill, ill, ill}, 503, "three", []int64{1, 1, 1}},
		{"always", `true`, ", retries: 5", get, []string{json, page, busy}, 503, "three", []int64{1, 1, 1}},
		{"no retries", asked, ", retries: 0", get, []string{ill, json}, 503, "one", []int64{1, 0}},
		{"one origin", asked, "", get, []string{ill}, 503, "one", []int64{1}},
		{"HEAD", asked + ` and method == "HEAD"`, "", "HEAD / HTTP/1.1\r\nHost: a.example", []string{ill, json}, 200, "two", []int64{1, 1}},
		{"POST", asked, "", post, []string{ill, json}, 503, "one", []int64{1, 0}},
		{"POST that the condition wants", asked + ` and method == "POST"`, "", post, []string{ill, json}, 503, "one", []int64{1, 0}},
		{"POST with a key", asked, ", idempotency_key: true", keyed, []string{ill, json}, 200, "two", []int64{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs, log := statusHomes(t, tt.says...), new(lockedBuffer)
			addr, g := start(t, whenText(hs, tt.when, tt.retry), Options{Stderr: log})
			a := ask(t, addr, tt.request)
			if a.status != tt.status || a.origin() != tt.from {
				t.Errorf("answered %d by %q, want %d by %q", a.status, a.origin(), tt.status, tt.from)
			}
			if got := hs.counts(); !slices.Equal(got, tt.seen) {
				t.Errorf("the origins saw %v requests, want %v", got, tt.seen)
			}
			if got := loads(g); strings.Trim(got, "0") != "" {
				t.Errorf("slots that are still taken: %s", got)
			}
			g.Close()
			if got := logged(t, log.String()); len(got) != 1 || int64(got[0]) != hs.count() {
				t.Errorf("the log has %v attempts, want %d", got, hs.count())
			}
		})
	}
}

// They cost as much of the budget as others, and end with it.
func TestRetriesByConditionKeepTheBudget(t *testing.T) {
	t.Parallel()
	const exchanges = leastReserve + 20
	hs := statusHomes(t, "503 Busy", "503 Busy")
	for _, h := range hs {
		h.settings = ", capacity: 10"
	}
	addr, g := start(t, inTurnText(plainListener, hs, ", retry: { when: status == 503, budget: 0% }"), Options{})
	for range exchanges {
		if a := askFor(t, addr, "a.example", "/"); a.status != 503 || a.origin() == "" {
			t.Fatalf("answered %d by %q, want a 503 of an origin", a.status, a.origin())
		}
	}
	if got := hs.count(); got != exchanges+leastReserve || endRetries(g) != leastReserve {
		t.Errorf("the origins saw %d requests with %d retries, want %d with %d", got, endRetries(g), exchanges+leastReserve, leastReserve)
	}
}

// A connection that an origin has upgraded is no answer to do better than.
func TestUpgradedConnectionsStand(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "one", "two")
	for _, h := range hs {
		h.status = func() string { return "101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket" }
	}
	addr, _ := start(t, inTurnText(plainListener, hs, ", retry: { when: \"true\" }, upgrades: [websocket]"), Options{})
	c := dialTo(t, addr)
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
	head := make([]byte, len("HTTP/1.1 101"))
	if _, err := c.Read(head); err != nil || string(head) != "HTTP/1.1 101" || hs.count() != 1 {
		t.Errorf("answered %q (%v) after %d attempts, want 101 of one", head, err, hs.count())
	}
}

// A condition sees the request as the origin did: with what filters have made of it.
func TestConditionsSeeWhatOriginsSee(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy", "200 OK")
	text := strings.Replace(filterText(hs, puppet, ", on_error: reject", ""), "origins:",
		`balancer: round-robin, retry: { when: 'status == 503 and header("X-Edited") == "yes" and path == "/new" and not has_header("X-Gone")' }, origins:`, 1)
	addr, _ := start(t, text, hs.options())
	edits := say(op(abi.OpSetHeader, "X-Edited", "yes"), op(abi.OpDeleteHeader, "X-Gone", ""), op(abi.OpSetPath, "", "/new"), op(abi.OpSetQuery, "", "0"))
	if a := ask(t, addr, "GET /old?"+edits+" HTTP/1.1\r\nHost: a.example\r\nX-Gone: 1"); a.status != 200 || a.origin() != "two" {
		t.Errorf("answered %d by %q, want 200 by two", a.status, a.origin())
	}
}

// A condition may ask a matcher; one that fails makes it false, whatever else its
// on_error says, and the answer stands.
func TestConditionsAskMatchers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		guest, when string
		status      int
	}{
		{"good/count", `not plugin("judge")`, 200}, // no match in the first call of an instance, then match
		{"good/count", `plugin("judge")`, 503},
		{"evil/call/match-trap", `plugin("judge")`, 503},
		{"evil/call/match-trap", `not plugin("judge")`, 503},
	} {
		t.Run(tt.guest+" "+tt.when, func(t *testing.T) {
			t.Parallel()
			hs := statusHomes(t, "503 Busy", "200 OK")
			text := strings.Replace(matcherText(hs, tt.guest, ", on_error: match, limits: { instances: 1 }", ""), "origins:",
				fmt.Sprintf("balancer: round-robin, retry: { when: %q }, origins:", tt.when), 1)
			addr, _ := start(t, text, hs.options())
			if a := askFor(t, addr, "a.example", "/"); a.status != tt.status {
				t.Errorf("answered %d, want %d", a.status, tt.status)
			}
		})
	}
}

// Calls of plugins are repeated like requests of clients; what is known of a client is
// empty, for there is none.
func TestErrandsAreRetriedByCondition(t *testing.T) {
	t.Parallel()
	for _, when := range []string{
		`status == 503 and response_header("X-Retry") == "yes" and attempts == 1`,
		`method == "GET" and scheme == "http" and http.version == "1.1" and path == "/a~b/%2F" and raw_path == "/a%7eb/%2f" and query("x") == "1 2" and url contains "?"`,
		`not cidr(client.ip, "0.0.0.0/0", "::/0") and client.port == 0 and client.ip == peer.ip and client.cert.subject == "" and len(client.cert.san) == 0 and tls.version == ""`,
		`host == "" and port == 80 and site == "" and request.id != "" and request.size == -1 and header("X") == "" and cookie("a") == "" and len(headers("X")) == 0`,
		`session.new and session.id == "" and session.primary == "" and bucket("a") >= 0 and percent(100) and now.unix > 1000000000 and node.name != "" and cell == "main"`,
		`cluster("app").up == 2 and cluster("app").inflight == 1`,
	} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			hs := statusHomes(t, "503 Busy\r\nX-Retry: yes", "200 OK")
			_, g := start(t, outletText(hs, "", fmt.Sprintf(", balancer: round-robin, retry: { when: %q }", when)), hs.options())
			if a := errandOf(t, g, "cluster://app/a%7eb/%2f?x=1+2", endPatience); a.Status != 200 || answeredBy(a) != "two" || loads(g) != "00" {
				t.Errorf("answered %d by %q, loads %s", a.Status, answeredBy(a), loads(g))
			}
		})
	}
}

// A call whose path no client could ask for goes out as it is, and has no canonical one.
func TestErrandsWithoutACanonicalPath(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy", "200 OK")
	_, g := start(t, outletText(hs, "", `, balancer: round-robin, retry: { when: 'path == "" and raw_path == "/a/../b"' }`), hs.options())
	if a := errandOf(t, g, "cluster://app/a/../b?c", endPatience); a.Status != 200 || !strings.HasPrefix(string(a.Body), "GET /a/../b?c HTTP/1.1\r\n") {
		t.Errorf("answered %d %q", a.Status, a.Body)
	}
}

// Each mistake of a condition has its place, and one that is in the wrong place says
// where it can stand.
func TestMistakesOfConditions(t *testing.T) {
	t.Parallel()
	const cluster = "\nclusters: { app: { origins: [{ address: \"10.0.0.1:80\" }], retry: { when: '%s' } } }\n"
	for _, tt := range []struct{ text, want string }{
		{fmt.Sprintf(cluster, `status == 503 and stauts == 1`), `3:93 E301 clusters.app.retry.when: unknown name "stauts": did you mean "status"`},
		{fmt.Sprintf(cluster, `status`), `3:75 E302 clusters.app.retry.when: the condition is an int, it must be true or false: compare it with something, as in header("X") == "a"`},
		{fmt.Sprintf(cluster, `in_list(client.ip, "offce")`), `3:94 E307 clusters.app.retry.when: in_list(): there is no list "offce": the lists of the configuration are none`},
		{fmt.Sprintf(cluster, `plugin("judge")`), `3:82 E307 clusters.app.retry.when: plugin(): there is no matcher "judge": the plugins of kind matcher are none`},
		{fmt.Sprintf(cluster, `cluster("other").up > 0`), `3:83 E307 clusters.app.retry.when: cluster(): there is no cluster "other": the clusters are: main/app`},
		{fmt.Sprintf(cluster, `true`), `3:74 W375 clusters.app.retry.when is always true: good answers are passed over as well, and each request that may be repeated is sent to as many origins as retries allows: say which answers are bad, as in status >= 500`},
		{fmt.Sprintf(cluster, `status >= 200 or attempts == 2`), `3:74 W375 clusters.app.retry.when is always true: good answers are passed over as well, and each request that may be repeated is sent to as many origins as retries allows: say which answers are bad, as in status >= 500`},
		{fmt.Sprintf(cluster, `status >= 500`), ``},
		{fmt.Sprintf(cluster, `status >= 500`) + "rules: [{ name: r, when: 'status == 503', reject: {} }]\n",
			`4:27 E301 rule "r": status cannot be named here: rules are asked before an origin is: it can be named in cache.rules[].when, sites.*.cache.rules[].when or clusters.*.retry.when`},
	} {
		got := ""
		for _, p := range Check(load(t, strings.TrimSpace(plainListener)+tt.text)) {
			got += fmt.Sprintf("%d:%d %s %s: %s", p.Line, p.Column, p.Code, p.Message, p.Hint)
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// What cannot be evaluated is counted each time, and told once.
func TestConditionsThatCannotBeEvaluated(t *testing.T) {
	t.Parallel()
	hs, log := statusHomes(t, "503 Busy"), new(lockedBuffer)
	_, g := start(t, inTurnText(plainListener, hs, ", retry: { when: status == 503 }"), Options{Stderr: log})
	cl := g.current.Load().clusters[0]
	for range 3 {
		cl.retry.when.failed(slog.New(slog.NewTextHandler(log, nil)), fmt.Errorf("odd"))
	}
	if n, told := cl.metrics.RetryErrors.Load(), strings.Count(log.String(), "at=clusters.app.retry.when error=odd"); n != 3 || told != 1 {
		t.Errorf("counted %d, told %d times; want 3 and once", n, told)
	}
}

// conditioned is an exchange whose attempt was answered.
func conditioned(tb testing.TB, when string) (*Exchange, *answerCondition) {
	tb.Helper()
	hs := statusHomes(tb, "200 OK", "200 OK")
	text := outletText(hs, "", fmt.Sprintf(", retry: { when: %q }", when))
	_, g := start(tb, text, hs.options())
	snap := g.acquire()
	tb.Cleanup(snap.release)
	group := snap.outlets["app"]
	x := errandExchange(g, snap, group, &plugins.Request{Method: "GET"}, &url.URL{Scheme: "cluster", Host: "app", Path: "/cart"})
	x.trip.Status.Code, x.attempts = 503, 1
	x.trip.Answer.Fields = []wire.Field{
		{Name: []byte("Content-Type"), Value: []byte("Text/HTML; charset=utf-8")}, {Name: []byte("X-Retry"), Value: []byte("yes")},
	}
	return x, group.lead.retry.when
}

const manyClauses = `status in [502, 503] and attempts < 2 and method == "GET" and path startsWith "/c" and content_type == "text/html" and response_header("X-Retry") == "yes"`

// Budget: to ask about an answer makes nothing.
func TestMeetsAllocs(t *testing.T) {
	x, c := conditioned(t, manyClauses)
	if !x.meets(c) {
		t.Fatal("the answer does not meet the condition")
	}
	if n := testing.AllocsPerRun(1000, func() { x.meets(c) }); n != 0 && !raceDetector {
		t.Errorf("it allocates %v times, want 0", n)
	}
}

// BenchmarkMeets has a budget of 1 µs and 0 allocations for six clauses.
func BenchmarkMeets(b *testing.B) {
	x, c := conditioned(b, manyClauses)
	b.ReportAllocs()
	for b.Loop() {
		x.meets(c)
	}
}
