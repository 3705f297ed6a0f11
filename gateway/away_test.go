package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// M-WAN-06: who is sent to an origin of kind redirect is redirected there, path and
// query kept, and nothing is asked of the origin.
func TestRedirectOrigins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, address, request string
		status                 int
		location               string
	}{
		{"GET", "https://west.example", "GET /a?b=c HTTP/1.1", 302, "https://west.example/a?b=c"},
		{"HEAD", "https://west.example", "HEAD /a HTTP/1.1", 302, "https://west.example/a"},
		{"POST", "https://west.example", "POST /a HTTP/1.1\r\nContent-Length: 0", 307, "https://west.example/a"},
		{"PUT", "https://west.example", "PUT /a HTTP/1.1\r\nContent-Length: 0", 307, "https://west.example/a"},
		{"a port", "http://west.example:8080", "GET / HTTP/1.1", 302, "http://west.example:8080/"},
		{"no scheme", "west.example:80", "GET /%7Ea/..%2fb?x= HTTP/1.1", 0, ""},
		{"an address", "http://[2001:db8::1]:8080", "GET /%7Ea?x= HTTP/1.1", 302, "http://[2001:db8::1]:8080/%7Ea?x="},
		{"an upgrade", "https://west.example", "GET /a HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket", 503, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a")
			addr, g := start(t, plainListener+fmt.Sprintf("clusters: { shop: { origins: [{ name: west, address: %q, kind: redirect, capacity: 1 }] } }\n", tt.address), hs.options())
			for range 3 { // no slot is kept
				a := ask(t, addr, tt.request+"\r\nHost: shop.example")
				if tt.status != 0 && (a.status != tt.status || a.header.Get("Location") != tt.location) {
					t.Errorf("%d %q, want %d %q", a.status, a.header.Get("Location"), tt.status, tt.location)
				}
			}
			if o := statusOf(t, g, "west"); o.Load != 0 || o.Attempts != 0 || !o.Up {
				t.Errorf("status: %+v", o)
			}
			if n := g.Metrics().Refusals[SentAway].Routed.Load(); tt.location != "" && n != 3 {
				t.Errorf("%d are counted, want 3", n)
			}
		})
	}
}

// With every balancer it is one of the origins, and what is for another protocol goes to
// the others, also while they are full.
func TestRedirectOriginAmongOthers(t *testing.T) {
	t.Parallel()
	for _, balancer := range []string{"round-robin", "random", "capacity"} {
		t.Run(balancer, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a")
			addr, g := start(t, plainListener+fmt.Sprintf("clusters: { shop: { balancer: %s, origins: [{ name: west, address: \"https://west.example\", kind: redirect }, { name: a, address: %q, capacity: 1 }] } }\n", balancer, hs[0].addr), hs.options())
			var here, away int
			for range 40 {
				switch a := visit(t, addr, "/", ""); {
				case a.status == 200 && a.origin() == "a":
					here++
				case a.status == 302 && a.header.Get("Location") == "https://west.example/":
					away++
				default:
					t.Errorf("%d", a.status)
				}
			}
			if here == 0 || away == 0 {
				t.Errorf("%d here, %d there", here, away)
			}
			const upgrade = "x=y\r\nConnection: upgrade\r\nUpgrade: websocket"
			held := hs[0].hold(t, addr, upgrade)
			next := visitLater(t, addr, "/", upgrade)
			until(t, "it waits for the other origin", func() bool { return waiting(g, "shop") > 0 })
			close(hs[0].letGo)
			wantAnswerOf(t, "what was there", held, "a")
			wantAnswerOf(t, "what waited", next, "a")
		})
	}
}

// It serves as the failover of a mapping, and explain and the access log say so.
func TestRedirectOriginAsFailover(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	log := new(lockedText)
	addr, g := start(t, fmt.Sprintf(`listeners: [{ address: "127.0.0.1:0" }]
clusters:
  shop: { origins: %s }
  west: { origins: [{ name: west, address: "https://west.example", kind: redirect }] }
sites: { w: { hosts: ["**"] } }
mappings: [{ site: w, cluster: shop, failover: [west] }]
`, hs.text()), Options{Dial: hs.dial, Stderr: log})
	if got := answerers(t, addr, "/", 2); got != "aa" {
		t.Errorf("answered by %s", got)
	}
	hs[0].kill()
	visit(t, addr, "/", "")
	if a := visit(t, addr, "/a?b", ""); a.status != 302 || a.header.Get("Location") != "https://west.example/a?b" {
		t.Errorf("%d %v", a.status, a.header)
	}
	until(t, "it is in the log", func() bool { return strings.Contains(log.String(), `"reason":"redirected_to_origin"`) })
	if !strings.Contains(log.String(), `"origin":"west"`) {
		t.Errorf("the log does not name it: %s", log)
	}
	e, err := g.Explain(Question{Raw: []byte("POST /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"), Down: []string{"shop"}})
	if err != nil || e.Outcome.Status != 307 || e.Outcome.Location != "https://west.example/a?b" || e.Outcome.Reason != "redirected_to_origin" {
		t.Errorf("explain: %v %+v", err, e.Outcome)
	}
}
