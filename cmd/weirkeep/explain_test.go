package main

import (
	"strings"
	"testing"

	"weirkeep/gateway"
)

func TestHeadOfWhatPeopleWrite(t *testing.T) {
	for _, tt := range []struct {
		name, method, url string
		headers           []string
		want              string // the head, with | for its line ends; or part of the error
		secure            bool
	}{
		{name: "URL", method: "GET", url: "http://a.example/x/%2e?q=1#part", want: "GET /x/%2e?q=1 HTTP/1.1|Host: a.example||"},
		{name: "https", method: "GET", url: "https://a.example:8443", want: "GET / HTTP/1.1|Host: a.example:8443||", secure: true},
		{name: "query alone", method: "GET", url: "http://a.example?q=/x", want: "GET /?q=/x HTTP/1.1|Host: a.example||"},
		{name: "path alone", method: "HEAD", url: "/x?y", want: "HEAD /x?y HTTP/1.1|Host: localhost||"},
		{name: "host of its own", method: "GET", url: "http://a.example/", headers: []string{"host: b", "X-A:  1 "}, want: "GET / HTTP/1.1|host: b|X-A: 1||"},
		{name: "lower case", method: "get", url: "/", want: "is written GET"},
		{name: "two words", method: "GET /", url: "/", want: "is no method"},
		{name: "no scheme", method: "GET", url: "a.example/x", want: "is no URL"},
		{name: "other scheme", method: "GET", url: "ftp://a.example/x", want: "is no URL"},
		{name: "no host", method: "GET", url: "http:///x", want: "is no URL"},
		{name: "blank", method: "GET", url: "/a b", want: "%20"},
		{name: "line end", method: "GET", url: "/a\r\nX: y", want: "invalid control character"},
		{name: "user", method: "GET", url: "http://eva:1@a.example/", want: "Authorization"},
		{name: "field without colon", method: "GET", url: "/", headers: []string{"X-A"}, want: "is no header field"},
		{name: "field with line end", method: "GET", url: "/", headers: []string{"X-A: 1\r\nX-B: 2"}, want: "is no header field"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head, secure, err := headOf(tt.method, tt.url, "1.1", tt.headers)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || head != nil {
					t.Errorf("error %v with a head of %d bytes, want %q", err, len(head), tt.want)
				}
				return
			}
			if got := strings.ReplaceAll(string(head), "\r\n", "|"); got != tt.want || secure != tt.secure {
				t.Errorf("head %s, secure %v; want %s, %v", got, secure, tt.want, tt.secure)
			}
		})
	}
}

func TestHeadOfAFile(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"by a person", "GET / HTTP/1.1\nHost: a\n\nbody", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
		{"without its end", "GET / HTTP/1.1\nHost: a", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
		{"as bytes", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\nbody", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"},
		{"empty", "", "\r\n\r\n"},
	} {
		if got := string(cutHead([]byte(tt.text))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzLatin1: whatever a request's bytes are, the text that stands for them gives
// them back.
func FuzzLatin1(f *testing.F) {
	f.Add([]byte("GET /\xff\x00 HTTP/1.1\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := latin1Bytes(latin1Text(b)); err != nil || string(got) != string(b) {
			t.Errorf("%q, %v; want %q", got, err, b)
		}
	})
}

// shielded is a decision with everything in it that can be told.
var shielded = gateway.Explanation{
	Request: gateway.ExplainedRequest{Method: "GET", Scheme: "https", Host: "shop.example", Port: 8443, Path: "/shop/7", Query: "a=1", Client: "10.1.2.3", Peer: "10.0.0.9", Proxied: true},
	Mapping: &gateway.ExplainedMapping{Index: 1, Total: 3, Site: "shop", Host: "*.example", Considered: []gateway.ExplainedStep{{Mapping: 0, Site: "portal", Why: `prefix "/portal" does not match`}}},
	BestSet: &gateway.ExplainedBestSet{
		Application: "store", Pattern: "/shop/*", Group: gateway.ExplainedGroup{Clusters: []string{"main/shop", "dr/shop"}, Origins: []string{"main/shop/web1", "main/shop/web2", "dr/shop/west1"}},
		Considered: []gateway.ExplainedApplication{{Application: "admin", Why: "its context root is /admin"}},
	},
	Binding: &gateway.ExplainedBinding{
		Session: "wls", Kind: "passive", Carrier: "cookie", Primary: "main/shop/web2", PrimaryState: "up, serving",
		Secondary: "main/shop/web1", SecondaryState: "up, draining", Origin: "main/shop/web2", Shields: true, Why: "its origin can be used",
	},
	Rules: []gateway.ExplainedRule{
		{Index: 0, Name: "banned", Value: "false", When: `cidr(client.ip, "203.0.113.0/24")`, Nanoseconds: 1234},
		{Index: 1, Name: "partners", Value: "skipped", Why: "only for host partners.example"},
		{Index: 2, Name: "office", Value: "true", When: "client.ip ==\n  ip(\"10.1.2.3\")", Nanoseconds: 200, Effect: "permit main/shop: not applied, the request is bound"},
		{Index: 3, Name: "late", Value: "unreached"},
	},
	Rule: "office", Action: "permit", Variant: "application store, edition 2.0",
	Groups: []gateway.ExplainedGroup{{Clusters: []string{"main/shop"}, Origins: []string{"main/shop/web2"}}, {Clusters: []string{"dr/shop"}, Origins: []string{"dr/shop/west1"}, Failover: true}},
	Pick: &gateway.ExplainedPick{Origin: "main/shop/web2", Address: "10.0.1.2:80", Why: "bound", Sure: true, Candidates: []gateway.ExplainedCandidate{
		{Origin: "main/shop/web1", State: "up, draining", Why: "the request is bound elsewhere", Load: 3, Capacity: 50, Free: 0.94},
		{Origin: "main/shop/web2", State: "up, serving", Why: "picked", Load: 12, Capacity: 50, Free: 0.76},
	}},
	Outcome: gateway.ExplainedOutcome{Reason: "served", Address: "10.0.1.2:80", Target: "/shop/7?a=1"},
}

const shieldedText = `request   GET https://shop.example:8443/shop/7?a=1   client 10.1.2.3 (by the trusted proxy 10.0.0.9)
mapping   2 of 3, mappings[1]   site shop (host "*.example")
            1: prefix "/portal" does not match
best set  application store, /shop/*   ->   main/shop [web1 web2]   dr/shop [west1]
            application admin: its context root is /admin
binding   session wls, cookie   ->   main/shop/web2 (up, serving), replica main/shop/web1 (up, draining)   its origin can be used: shields from permits
rules     1 banned     false     cidr(client.ip, "203.0.113.0/24")   1.2 µs
          2 partners   skipped   only for host partners.example
          3 office     TRUE      client.ip == ip("10.1.2.3")         0.2 µs   <- ends the pass
            permit main/shop: not applied, the request is bound
          1 rule after it: not evaluated
groups    main/shop [web2], else dr/shop [west1]
variant   application store, edition 2.0
pick      main/shop/web2   bound
            main/shop/web1   0.94 free   3 of 50    up, draining   the request is bound elsewhere
            main/shop/web2   0.76 free   12 of 50   up, serving    picked
would     be sent to 10.0.1.2:80 as /shop/7?a=1
`

// routed is a decision in which plugins have a say.
var (
	forty  = 40
	routed = gateway.Explanation{
		Request: gateway.ExplainedRequest{Method: "GET", Scheme: "http", Host: "a", Path: "/", Client: "10.1.2.3"},
		Filters: []gateway.ExplainedFilter{{Plugin: "tag", Stage: "deliver", Sees: []string{"requests", "answers"}, OnError: "skip"}, {Plugin: "redact", Stage: "store", Sees: []string{"answers"}, OnError: "reject"}},
		Router:  &gateway.ExplainedRouter{Plugin: "chooser", Cluster: "main/shop", Called: true, Listed: []string{"main/shop/web2", "main/shop/web1"}, Skipped: []string{"web9: there is none"}},
		Still:   []string{"chooser", "busy"},
		Pick: &gateway.ExplainedPick{Origin: "main/shop/web2", Why: "listed by the router", Sure: true, Candidates: []gateway.ExplainedCandidate{
			{Origin: "main/shop/web1", State: "up, serving", Why: "free", Capacity: 50, Free: 1, Metric: &forty},
			{Origin: "main/shop/web2", State: "up, serving", Why: "picked", Capacity: 50, Free: 1, Metric: &forty},
		}},
		Outcome: gateway.ExplainedOutcome{Reason: "served", Address: "10.0.1.2:80", Target: "/"},
	}
	failing = gateway.Explanation{
		Request: gateway.ExplainedRequest{Method: "GET", Scheme: "http", Host: "a", Path: "/", Client: "10.1.2.3"},
		Router:  &gateway.ExplainedRouter{Plugin: "chooser", Cluster: "main/shop", Called: true, Why: "fault trap in gw_route: unreachable: the request is refused, by on_error: reject"},
		Outcome: gateway.ExplainedOutcome{Status: 503, Reason: "plugin_error", Text: "a plugin failed"},
	}
)

const routedText = `request   GET http://a/   client 10.1.2.3 (no trusted proxy before it)
filters   tag      requests and answers, at delivery; on_error: skip
          redact   answers, before the store, and not on hits; on_error: reject
router    chooser, of main/shop   lists main/shop/web2, main/shop/web1
            skipped web9: there is none
plugins   chooser, busy: kept still here, without ticks, calls and samples; a running gateway may know more (--live)
pick      main/shop/web2   listed by the router
            main/shop/web1   1.00 free   0 of 50   metric 40   up, serving   free
            main/shop/web2   1.00 free   0 of 50   metric 40   up, serving   picked
would     be sent to 10.0.1.2:80 as /
`

const failingText = `request   GET http://a/   client 10.1.2.3 (no trusted proxy before it)
router    chooser, of main/shop   fault trap in gw_route: unreachable: the request is refused, by on_error: reject
would     be answered 503, plugin_error: a plugin failed
`

func TestExplanationForPeople(t *testing.T) {
	refused := gateway.Explanation{Refused: "bad_host", Outcome: gateway.ExplainedOutcome{Status: 400, Reason: "bad_host", Text: "it has \x1b[31m two"}}
	lost := gateway.Explanation{
		Request: gateway.ExplainedRequest{Method: "GET", Scheme: "http", Path: "/", Client: "10.1.2.3"},
		Mapping: &gateway.ExplainedMapping{Index: -1, Total: 3},
		Outcome: gateway.ExplainedOutcome{Status: 421, Reason: "no_site", Text: "no site has this host and port"},
	}
	astray := lost
	astray.Request.Host, astray.Request.Path = "parts.example", "/top"
	astray.Outcome = gateway.ExplainedOutcome{Reason: "served", Text: "no site has it", Address: "parts.example", Target: "/top"}
	for _, tt := range []struct {
		name string
		e    *gateway.Explanation
		want string
	}{
		{"everything", &shielded, shieldedText},
		{"refused", &refused, "refused   bad_host: 400, it has ?[31m two\n"},
		{"a router and a collector", &routed, routedText},
		{"a router that fails", &failing, failingText},
		{"no site", &lost, "request   GET http://(no host)/   client 10.1.2.3 (no trusted proxy before it)\nmapping   none of 3   no site has this host and port\nwould     be answered 421, no_site: no site has this host and port\n"},
		{"a fragment at no site", &astray, "request   GET http://parts.example/top   client 10.1.2.3 (no trusted proxy before it)\nmapping   none of 3   no site has this host and port\nwould     be asked of parts.example as /top: no site has it\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if err := (&app{stdout: &out}).sayExplanation(tt.e); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
