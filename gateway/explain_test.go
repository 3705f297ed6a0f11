package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// explainHead asks the gateway why a GET goes where it goes.
func explainHead(tb testing.TB, g *Gateway, target, fields string) *Explanation {
	tb.Helper()
	e, err := g.Explain(Question{Raw: []byte("GET " + target + " HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n")})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// Explain and traffic are of one mind: what it says happens, request by request.
func TestExplainSaysWhatTrafficDoes(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := start(t, wlsText(hs, "", `
editions: { shop: { active: "1.0" } }
rules:
  - { name: banned, when: 'path startsWith "/no"', reject: { status: 410 } }
  - { name: moved, when: 'path == "/old"', redirect: { location: "/new/{host}" } }
  - { name: testers, when: 'query("test") == "1"', permit: { to: "app:shop@2.0" } }
  - { name: second, when: 'query("only") == "b"', permit: { to: main/shop/b } }
`), hs.options())
	for _, target := range []string{"/", "/", "/x?test=1", "/x?only=b", "/no", "/old", "/"} {
		for _, cookie := range []string{"", wlsID(wlsIDs[0], wlsIDs[1]), wlsID(wlsIDs[2]), wlsID("42")} {
			fields := ""
			if cookie != "" {
				fields = "Cookie: JSESSIONID=" + cookie + "\r\n"
			}
			e := explainHead(t, g, target, fields)
			got := visit(t, addr, target, strings.TrimPrefix(strings.TrimSpace(fields), "Cookie: "))
			said := ""
			if e.Pick != nil {
				said = e.Pick.Origin
			}
			if want := got.origin(); said != "" && said != "main/shop/"+want || said == "" && got.status != e.Outcome.Status {
				t.Errorf("%s %s: %d by %q; explained as %d %s by %q (%+v)", target, cookie, got.status, want, e.Outcome.Status, e.Outcome.Reason, said, e.Binding)
			}
			if e.Outcome.Location != got.header.Get("Location") {
				t.Errorf("%s: location %q, explained as %q", target, got.header.Get("Location"), e.Outcome.Location)
			}
		}
	}
}

// Every step is there, with its reason.
func TestExplainTellsEveryStep(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	_, g := start(t, wlsText(hs, "", `
rules:
  - { name: elsewhere, when: 'host == "partners.example"', reject: { status: 403 } }
  - { name: sealed, when: 'header("X") == "1"', reject: { status: 403 } }
  - { name: r, when: 'path startsWith "/shop"', permit: { to: main/shop/a } }
  - { name: never, reject: { status: 403 } }
`), hs.options())
	e := explainHead(t, g, "/shop/1", "Cookie: JSESSIONID="+wlsID(wlsIDs[1], wlsIDs[2])+"\r\n")
	values := ""
	for _, r := range e.Rules {
		values += r.Name + " " + r.Value + ", "
	}
	for _, tt := range []struct{ what, got, want string }{
		{"mapping", fmt.Sprint(e.Mapping.Index, " ", e.Mapping.Site, " ", e.Mapping.Host), "0 w **"},
		{"best set", e.BestSet.Application + " " + strings.Join(e.BestSet.Group.Origins, " "), "shop main/shop/a main/shop/b main/shop/c"},
		{"binding", fmt.Sprint(e.Binding.Primary, " ", e.Binding.Secondary, " ", e.Binding.Origin, " ", e.Binding.Shields), "main/shop/b main/shop/c main/shop/b true"},
		{"rules", values, "elsewhere skipped, sealed false, r true, never unreached, "},
		{"why skipped", e.Rules[0].Why, "only for host partners.example"},
		{"effect", e.Rules[2].Effect, "permit main/shop/a: not applied, the request is bound to another origin (override_affinity is off)"},
		{"variant", e.Variant, "application shop, edition 1.0"},
		{"pick", e.Pick.Origin + " " + e.Pick.Why, "main/shop/b bound"},
		{"others", e.Pick.Candidates[0].Why, "the request is bound elsewhere"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.what, tt.got, tt.want)
		}
	}
	e, err := g.Explain(Question{Raw: []byte("GET /shop/1 HTTP/1.1\r\nHost: h\r\nCookie: JSESSIONID=" + wlsID(wlsIDs[1], wlsIDs[2]) + "\r\n\r\n"), Down: []string{"b"}})
	if err != nil || e.Pick.Origin != "main/shop/c" || e.Binding.Origin != "main/shop/c" {
		t.Errorf("with b down it goes to %+v by %+v, %v; want the replica", e.Pick, e.Binding, err)
	}
	for _, q := range []Question{{}, {Raw: []byte("GET /\r\n\r\n")}, {Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), Down: []string{"nobody"}},
		{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), States: map[string]string{"a": "asleep"}}} {
		if _, err := g.Explain(q); err == nil {
			t.Errorf("%+v can be asked", q)
		}
	}
	if e, err := g.Explain(Question{Raw: []byte("GET /../x HTTP/1.1\r\nHost: h\r\n\r\n")}); err != nil || e.Refused != "bad_target" {
		t.Errorf("a bad target is explained as %+v, %v", e, err)
	}
}

// A head that finds no room is explained as it is answered, to the byte.
func TestExplainKnowsHowLongAHeadMayBe(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := start(t, wlsText(hs, "", "limits: { header_bytes: 4KiB }"), hs.options())
	const head, end = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX: ", "\r\n\r\n"
	for size, status := range map[int]int{4096: 200, 4097: 431} {
		raw := head + strings.Repeat("a", size-len(head)-len(end)) + end
		if got := send(t, addr, raw); !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", status)) {
			t.Errorf("%d bytes are answered %.40q, want %d", size, got, status)
		}
		e, err := g.Explain(Question{Raw: []byte(raw)})
		if refused := status != 200; err != nil || refused != (e.Refused == "head_too_large") || refused && e.Outcome.Status != status {
			t.Errorf("%d bytes are explained as %q, %+v, %v; want %d", size, e.Refused, e.Outcome, err, status)
		}
	}
}

// What a decision was made from is in the log; what is secret only as a hash.
func TestLogHasWhatDecisionsAreMadeFrom(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	log := new(reportLog)
	o := hs.options()
	o.Stderr = log
	text := strings.Replace(wlsText(hs, "", `rules: [{ name: r, when: 'header("X-Kind") == "b" and cookie("beta") == "1"', permit: { to: main/shop/b } }]`),
		"access_log: { path: stderr }", `access_log: { path: stderr, inputs: ["header:Authorization"], inputs_key: "0123456789abcdef0123456789abcdef" }`, 1)
	addr, g := start(t, text, o)
	send(t, addr, "GET /x HTTP/1.1\r\nHost: h\r\nX-Kind: b\"\xff\r\nAuthorization: Basic secret\r\nCookie: beta=1; other=2; JSESSIONID="+wlsID(wlsIDs[0])+"\r\nConnection: close\r\n\r\n")
	r := (&reportGateway{g, addr, log}).logged(t, "/x")
	in, _ := r["inputs"].(map[string]any)
	key := []byte("0123456789abcdef0123456789abcdef")
	for name, want := range map[string]any{
		"header:x-kind":        "b\"\u00ff",
		"header:authorization": SealedValue(key, []byte("Basic secret")),
		"cookie:beta":          SealedValue(key, []byte("1")),
		"cookie:JSESSIONID":    SealedValue(key, []byte(wlsID(wlsIDs[0]))),
		"cookie:other":         nil,
	} {
		if in[name] != want {
			t.Errorf("%s is logged as %v, want %v", name, in[name], want)
		}
	}
	hash := SealedValue(key, []byte(wlsID(wlsIDs[1])))
	send(t, addr, "GET /y;jsessionid="+wlsID(wlsIDs[1])+"?q=1&jsessionid=zz HTTP/1.1\r\nHost: h\r\nReferer: http://h/z;jsessionid="+wlsID(wlsIDs[1])+"/w\r\nConnection: close\r\n\r\n")
	target := "/y;jsessionid=" + hash + "?q=1&jsessionid=" + SealedValue(key, []byte("zz"))
	if r := (&reportGateway{g, addr, log}).logged(t, target); r["bound"] != "b" || r["referer"] != "http://h/z;jsessionid="+hash+"/w" {
		line, _ := json.Marshal(r)
		t.Errorf("ids in URLs: %s", line)
	}
	if r["bound"] != "a" || r["rule"] != nil {
		line, _ := json.Marshal(r)
		t.Errorf("bound and rule in %s", line)
	}
}

// an origin that is out, and that the next request would try, is explained so.
func TestExplainTellsOfTrials(t *testing.T) {
	t.Parallel()
	down := freeAddress(t)
	addr, g := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ name: a, address: %q }] } }\n", down), Options{})
	pick := func() string {
		e, err := g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")})
		if err != nil || e.Pick == nil {
			t.Fatalf("%+v, %v", e, err)
		}
		return e.Pick.Origin + " " + e.Pick.Why
	}
	if got := askFor(t, addr, "a.example", "/").status; got != 502 {
		t.Fatalf("answered %d", got)
	}
	if got := pick(); !strings.HasPrefix(got, " no origin") {
		t.Errorf("just after it went out: %s", got)
	}
	tellAt(t, down, "a")
	until(t, "a trial is due", func() bool { return strings.HasPrefix(pick(), "main/app/a trial") })
	if got := askFor(t, addr, "a.example", "/").status; got != 200 {
		t.Errorf("the trial was answered %d", got)
	}
	if got := pick(); got != "main/app/a capacity" {
		t.Errorf("when it is back: %s", got)
	}
}
