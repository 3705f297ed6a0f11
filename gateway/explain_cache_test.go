package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// What Explain says of the cache is what traffic does, and it counts and changes nothing.
func TestExplainTellsOfTheCache(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, `, stale: { while_revalidate: 20s }, rules: [
  { name: account, when: 'path startsWith "/account"', pass: true },
  { name: pictures, when: 'path startsWith "/img/"', ttl: 1h },
  { name: html, when: 'content_type == "text/html"', tags: [pages] }]`, Options{})
	s.answer = func(head string) (string, string) {
		return map[string]string{
			"/private": "Cache-Control: private\r\n",
			"/tagged":  "Cache-Control: max-age=10\r\nETag: \"a\"\r\nContent-Type: text/html\r\n",
			"/vary":    "Cache-Control: max-age=60\r\nVary: X-Kind\r\n",
			"/tag":     "Cache-Control: max-age=10\r\nETag: \"a\"\r\n",
			"/strict":  "Cache-Control: max-age=10, must-revalidate\r\nETag: \"a\"\r\n",
			"/error":   "Cache-Control: max-age=10, stale-if-error=60\r\n",
		}[targetOfHead(head)], "page"
	}
	for _, target := range []string{"/private", "/tagged", "/vary", "/img/a", "/tag", "/strict", "/error"} {
		send(t, s.addr, "GET "+target+" HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
	}
	for _, tt := range []struct {
		at         int64
		ask        string // method, target, and a field
		does, why  string
		rule, late string
		stored     int
		status     string // that the cache then gives traffic
	}{
		{0, "GET /account/7", "pass", `cache rule "account" says pass`, "account", "", 0, "fwd=bypass"},
		{0, "POST /tagged2", "pass", "only answers to GET, without content, are stored", "", "html", 0, "fwd=method"},
		{0, "GET /tagged", "fresh", "it is sent as it is stored", "", "html", 1, "hit"},
		{0, "GET /img/a", "fresh", "it is sent as it is stored", "pictures", "", 1, "hit"},
		{0, "GET /none", "miss", "nothing is stored of the target", "", "html", 0, "fwd=uri-miss"},
		{0, "GET /private", "miss", "nothing is stored of the target; the last answer was not stored, so nobody waits for this one: the answer says private", "", "html", 0, "fwd=uri-miss"},
		{0, "GET /vary|X-Kind: b", "miss", "what is stored of the target was chosen by something else", "", "html", 1, "fwd=vary-miss"},
		{0, "GET /vary|Authorization: a", "miss", "it may not be used for such a request", "", "html", 2, "fwd=request"},
		{50, "GET /strict", "validate", "an origin is asked whether it still holds", "", "html", 1, "fwd=stale"},
		{50, "GET /error", "miss", "it has expired, and an origin is asked for it anew; it is sent all the same if none can be reached, or one fails", "", "html", 1, "fwd=stale"},
		{50, "GET /tag", "validate", "an origin is asked whether it still holds; it is sent all the same if none can be reached", "", "html", 1, "fwd=stale"},
		{100, "GET /vary", "miss", "it has expired, and an origin is asked for it anew; it is sent all the same if none can be reached", "", "html", 2, "fwd=stale"},
		{15, "GET /tagged", "stale", "it is sent, and asked for anew meanwhile", "", "html", 1, "hit"}, // the last: it asks behind the client's back
	} {
		t.Run(fmt.Sprint(tt.ask, tt.at), func(t *testing.T) {
			s.clock.Store(tt.at)
			line, field, _ := strings.Cut(tt.ask, "|")
			head := line + " HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n" + map[bool]string{true: field + "\r\n"}[field != ""] + "\r\n"
			before, _ := s.g.StoredStats()
			e, err := s.g.Explain(Question{Raw: []byte(head)})
			if err != nil {
				t.Fatal(err)
			}
			again, _ := s.g.Explain(Question{Raw: []byte(head)})
			c := e.Cache
			if c.Does != tt.does || c.Why != tt.why || c.Rule != tt.rule || strings.Join(c.Late, " ") != tt.late || len(c.Stored) != tt.stored || (c.Key == nil) != (tt.does == "pass") {
				t.Errorf("%+v, want %+v", c, tt)
			}
			if o := e.Outcome; o.Stored != (tt.status == "hit") || o.Stored == (o.Address != "") {
				t.Errorf("outcome %+v, and traffic gets %s", o, tt.status)
			}
			if after, _ := s.g.StoredStats(); fmt.Sprint(before) != fmt.Sprint(after) || tt.stored > 0 && again.Cache.Stored[0].Hits != c.Stored[0].Hits {
				t.Errorf("it was counted: %+v, then %+v", before, after)
			}
			if got := send(t, s.addr, head); !strings.Contains(got, "edge; "+tt.status) {
				t.Errorf("traffic gets %s, want %s", got, tt.status)
			}
		})
	}
}

// Of rules for which the answer decides those are named that may still be true: none that is false of
// the request already, and none behind one that is true of it.
func TestExplainNamesRulesThatMayBeTrue(t *testing.T) {
	t.Parallel()
	e, problems := NewExplainer(load(t, plainListener+`
clusters: { a: { origins: [{ address: "127.0.0.1:1" }] } }
cache: { enabled: true, rules: [
  { name: gone, when: 'status == 404', ttl: 1s },
  { name: api, when: 'path startsWith "/api/" and status == 200', ttl: 2s },
  { name: heads, when: 'method == "HEAD" and content_type == "text/html"', ttl: 3s },
  { name: either, when: 'path == "/a" or status == 500', ttl: 3s },
  { name: pictures, when: 'path startsWith "/img/"', ttl: 4s },
  { name: rest, when: 'status == 410', ttl: 5s }] }
`))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	for line, want := range map[string]string{
		"GET /api/x": "gone api either rest", "GET /x": "gone either rest", "HEAD /x": "gone heads either rest", "GET /img/x": "gone either pictures",
	} {
		x, err := e.Explain(Question{Raw: []byte(line + " HTTP/1.1\r\nHost: h\r\n\r\n")})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(x.Cache.Late, " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// Where there is no cache Explain says that there is none, and why.
func TestExplainTellsOfNoCache(t *testing.T) {
	t.Parallel()
	for config, why := range map[string]string{
		"": "no site has a cache: cache.enabled is false",
		"sites: { shop: { hosts: [h] }, other: { hosts: [o], cache: { enabled: true } } }\nmappings: [{ site: shop, cluster: a }, { site: other, cluster: a }]\n": "site shop has no cache: cache.enabled is false there",
	} {
		e, problems := NewExplainer(load(t, plainListener+"clusters: { a: { origins: [{ address: \"127.0.0.1:1\" }] } }\n"+config))
		if problems.Errors() > 0 {
			t.Fatal(problems)
		}
		for _, answer := range []string{"", "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\n"} {
			x, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), Answer: []byte(answer)})
			if err != nil {
				t.Fatal(err)
			}
			if x.Cache == nil || x.Cache.Does != "off" || x.Cache.Why != why {
				t.Errorf("%q: %+v", config, x.Cache)
			}
		}
	}
}

// Of an answer it is said whether it would be stored, or why not, also without a gateway.
func TestExplainJudgesAnswers(t *testing.T) {
	t.Parallel()
	e, problems := NewExplainer(load(t, plainListener+`clusters: { a: { origins: [{ address: "127.0.0.1:1" }] } }
cache:
  enabled: true
  compress: [br, gzip]
  rules:
    - { name: account, when: 'path == "/account"', pass: true }
    - { name: pictures, when: 'content_type startsWith "image/"', ttl: 1h, tags: [pictures], vary: [x-kind] }
`))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct{ target, field, answer, want string }{
		{"/", "", "200 OK|Cache-Control: max-age=60", "stored 60"},
		{"/", "", "200 OK|Cache-Control: private", "the answer says private"},
		{"/", "", "200 OK|", "neither the answer nor the configuration says how long it is fresh, and it cannot be validated"},
		{"/", "", "200 OK|Cache-Control: no-cache|ETag: \"a\"", "stored 0"},
		{"/", "", "200 OK|Content-Type: image/png|Cache-Control: no-store", "stored 3600 by pictures, [pictures], [x-kind]"},
		{"/account", "", "200 OK|Cache-Control: max-age=60", `cache rule "account" says pass by account`},
		{"/", "Authorization: x", "200 OK|Cache-Control: max-age=60", "the request has Authorization, and the answer does not say public, must-revalidate or s-maxage"},
		{"/", "Authorization: x", "200 OK|Cache-Control: public, max-age=60", "stored 60"},
		{"/", "", "200 OK|Content-Type: text/html|Cache-Control: max-age=60", "stored 60 in [br gzip]"},
		{"/", "", "200 OK|Content-Type: text/html|Cache-Control: max-age=60, no-transform", "stored 60"},
		{"/", "", "200 OK|Cache-Control: max-age=60|Set-Cookie: a=b", "the answer has Set-Cookie, and the site does not store such answers"},
	} {
		raw := "GET " + tt.target + " HTTP/1.1\r\nHost: h\r\n" + map[bool]string{true: tt.field + "\r\n"}[tt.field != ""] + "\r\n"
		answer := "HTTP/1.1 " + strings.TrimSuffix(strings.ReplaceAll(tt.answer, "|", "\r\n"), "\r\n") + "\r\n\r\n"
		x, err := e.Explain(Question{Raw: []byte(raw), Answer: []byte(answer)})
		if err != nil {
			t.Fatal(err)
		}
		a := x.Cache.Answer
		got := a.Why
		if a.Stored {
			got = fmt.Sprint("stored ", a.TTL)
		}
		if a.Rule != "" {
			got += " by " + a.Rule
		}
		if len(a.Codings) > 0 {
			got += fmt.Sprint(" in ", a.Codings)
		}
		if len(a.Tags) > 0 {
			got += fmt.Sprintf(", %v, %v", a.Tags, a.Vary)
		}
		if got != tt.want || x.Cache.Does != "look" && tt.target == "/" {
			t.Errorf("%s: %s (%s), want %s", tt.answer, got, x.Cache.Does, tt.want)
		}
	}
	for _, answer := range []string{"nonsense", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"} {
		if _, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), Answer: []byte(answer)}); err == nil {
			t.Errorf("%q is an answer", answer)
		}
	}
}
