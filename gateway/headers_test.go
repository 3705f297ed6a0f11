package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// editing is a gateway with a teller whose site has the given edits.
func editing(t *testing.T, edits, answerFields string) string {
	t.Helper()
	o := newTeller(t, "o")
	o.fields = answerFields
	addr, _ := start(t, plainListener+fmt.Sprintf(`
node: { name: edge-1 }
clusters: { app: { origins: [{ address: %q }] } }
sites: { edited: { hosts: [a.example], headers: { %s } }, plain: { hosts: [b.example] } }
mappings: [{ site: edited, cluster: app }, { site: plain, cluster: app }]
trusted_proxies: [127.0.0.1]
`, o.addr, edits), Options{})
	return addr
}

// A site sets and removes fields of its requests.
func TestRequestHeaderEdits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		edits, sent string
		want        map[string]string // lines of the field, joined by " | "
	}{
		{"set: { X-Env: prod }", "", map[string]string{"X-Env": "prod"}},
		{"set: { X-Env: prod }", "\r\nX-Env: test\r\nx-env: test", map[string]string{"X-Env": "prod"}},
		{"set: { X-Empty: \"\" }", "", map[string]string{"X-Empty": ""}},
		{"remove: [X-Debug, Cookie]", "\r\nX-Debug: 1\r\nx-DEBUG: 2\r\nCookie: a=b\r\nX-Debugger: 3", map[string]string{"X-Debug": "", "Cookie": "", "X-Debugger": "3"}},
		{"set: { X-Forwarded-Proto: https }", "", map[string]string{"X-Forwarded-Proto": "https"}},
		{"set: { X-Forwarded-Proto: https }", "\r\nX-Forwarded-Proto: http", map[string]string{"X-Forwarded-Proto": "https"}},
		{"set: { X-Forwarded-Host: c.example, X-Forwarded-For: \"192.0.2.1\" }", "", map[string]string{"X-Forwarded-Host": "c.example", "X-Forwarded-For": "192.0.2.1"}},
		{"remove: [X-Forwarded-For, X-Forwarded-Host]", "\r\nX-Forwarded-For: 192.0.2.1", map[string]string{"X-Forwarded-For": "", "X-Forwarded-Host": "", "X-Forwarded-Proto": "http"}},
		{"set: { X-Request-Id: fixed }", "\r\nX-Request-Id: mine", map[string]string{"X-Request-Id": "fixed"}},
		{"remove: [X-Request-Id]", "", map[string]string{"X-Request-Id": ""}},
		{"set: { User-Agent: robot }", "\r\nUser-Agent: browser", map[string]string{"User-Agent": "robot"}},
	} {
		addr := editing(t, "request: { "+tt.edits+" }", "")
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example"+tt.sent)
		for name, want := range tt.want {
			if lines := strings.Join(fieldsIn(got.body, name), " | "); lines != want {
				t.Errorf("%s, sent %q: %s is %q, want %q", tt.edits, tt.sent, name, lines, want)
			}
		}
		untouched := ask(t, addr, "GET / HTTP/1.1\r\nHost: b.example\r\nX-Debug: 1")
		if fieldIn(untouched.body, "X-Debug") != "1" || fieldIn(untouched.body, "X-Env") != "" || fieldIn(untouched.body, "X-Request-Id") == "" {
			t.Errorf("%s: the other site's request is %q", tt.edits, untouched.body)
		}
	}
}

// A site sets and removes fields of its answers; there is one Date.
func TestResponseHeaderEdits(t *testing.T) {
	t.Parallel()
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, tt := range []struct {
		edits, origin string
		want          map[string]string
	}{
		{"set: { Strict-Transport-Security: \"max-age=63072000\" }", "", map[string]string{"Strict-Transport-Security": "max-age=63072000"}},
		{"set: { X-A: new }", "X-A: old\r\nx-a: older\r\n", map[string]string{"X-A": "new"}},
		{"remove: [Server, X-Powered-By]", "Server: o\r\nX-Powered-By: p\r\nX-Other: q\r\n", map[string]string{"Server": "", "X-Powered-By": "", "X-Other": "q"}},
		{"remove: [X-Nothing]", "Date: " + date + "\r\n", map[string]string{"Date": date}},
		{"set: { Date: \"" + date + "\" }", "", map[string]string{"Date": date}},
		{"set: { Date: \"" + date + "\" }", "Date: Mon, 07 Nov 1994 08:49:37 GMT\r\n", map[string]string{"Date": date}},
		{"remove: [X-Nothing]", "", map[string]string{"Via": "1.1 edge-1"}},
	} {
		addr := editing(t, "response: { "+tt.edits+" }", tt.origin)
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example")
		for name, want := range tt.want {
			if lines := strings.Join(got.header.Values(name), " | "); lines != want {
				t.Errorf("%s, origin sent %q: %s is %q, want %q", tt.edits, tt.origin, name, lines, want)
			}
		}
		if n := len(got.header.Values("Date")); n != 1 {
			t.Errorf("%s, origin sent %q: %d Dates, want 1", tt.edits, tt.origin, n)
		}
	}
}

// Edits change neither the framing nor what other requests on the connection get.
func TestEditsDoNotPileUp(t *testing.T) {
	t.Parallel()
	addr := editing(t, "request: { set: { X-Env: prod } }, response: { set: { X-Out: y } }", "")
	c := dialTo(t, addr)
	for i := range 20 {
		got, err := getOn(c)
		if err != nil || len(fieldsIn(got.body, "X-Env")) != 1 || len(got.header.Values("X-Out")) != 1 || len(got.header.Values("Via")) != 1 {
			t.Fatalf("exchange %d: %v, request %q, answer %v", i+1, err, got.body, got.header)
		}
	}
}
