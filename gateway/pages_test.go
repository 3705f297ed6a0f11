package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pageFiles writes files and returns them as a site's pages, in flow style.
func pageFiles(t *testing.T, pages map[string][2]string) string {
	t.Helper()
	dir := t.TempDir()
	var list []string
	for _, name := range sortedKeys(pages) {
		file := filepath.Join(dir, pages[name][0])
		if err := os.WriteFile(file, []byte(pages[name][1]), 0o600); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%q: %q", name, file))
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// broken is an origin that closes each connection when a request has come, or
// answers something for a target.
func broken(tb testing.TB, answers map[string]string) string {
	return rawOrigin(tb, func(c net.Conn) {
		r := bufio.NewReader(c)
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		io.WriteString(c, answers[strings.Fields(head)[1]])
	}).Addr().String()
}

// Each site shows its own page for what goes wrong; a page for the status wins
// over the one for the network; what has none gets a few words.
func TestPagesOfErrors(t *testing.T) {
	t.Parallel()
	one := pageFiles(t, map[string][2]string{"network": {"n.html", "<p>one: network"}, "504": {"504.json", `{"one":504}`}, "404": {"404.txt", "one: 404"}})
	two := pageFiles(t, map[string][2]string{"network": {"n.htm", "<p>two: network"}, "413": {"413.html", "<p>two: 413"}})
	down := closedAddress(t)
	bad := broken(t, map[string]string{"/app/bad": "nonsense\r\n\r\n", "/app/late": "", "/app/own": "HTTP/1.1 502 Mine\r\nContent-Length: 6\r\n\r\norigin"})
	silent := rawOrigin(t, func(c net.Conn) { io.Copy(io.Discard, c) }).Addr().String()
	addr, _ := start(t, plainListener+fmt.Sprintf(`
clusters:
  down: { origins: [{ address: %q }], failover: { connect_failures: same, threshold: 1000 } }
  bad: { origins: [{ address: %q }], retry: { retries: 0 }, failover: { connect_failures: same, threshold: 1000 } }
  silent: { origins: [{ address: %q }], first_byte_timeout: 50ms }
sites: { one: { hosts: [one.example], pages: %s }, two: { hosts: [two.example], pages: %s }, three: { hosts: [three.example] } }
mappings:
  - { site: one, prefix: /down, cluster: down }
  - { site: one, prefix: /app, cluster: bad }
  - { site: one, prefix: /silent, cluster: silent }
  - { site: two, prefix: /down, cluster: down }
  - { site: two, prefix: /silent, cluster: silent }
  - { site: three, prefix: /down, cluster: down }
limits: { body_bytes: 10B }
`, down, bad, silent, one, two), Options{})
	const html, json, text = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"
	for _, tt := range []struct {
		host, target string
		status       int
		kind, body   string // body: its beginning
	}{
		{"one.example", "/down", 502, html, "<p>one: network"},
		{"one.example", "/app/bad", 502, html, "<p>one: network"},
		{"one.example", "/app/late", 502, html, "<p>one: network"},
		{"one.example", "/app/own", 502, "", "origin"},
		{"one.example", "/silent", 504, json, `{"one":504}`},
		{"one.example", "/none", 404, text, "one: 404"},
		{"two.example", "/down", 502, html, "<p>two: network"},
		{"two.example", "/silent", 504, html, "<p>two: network"},
		{"two.example", "/none", 404, text, "404 no mapping of the site fits\nreason: no_mapping\nrequest id: "},
		{"three.example", "/down", 502, text, "502 the origin refused the connection or cannot be reached\nreason: connect_refused\nrequest id: "},
		{"four.example", "/down", 421, text, "421 no site has this host and port\nreason: no_site\nrequest id: "},
	} {
		got := askFor(t, addr, tt.host, tt.target)
		if got.status != tt.status || got.header.Get("Content-Type") != tt.kind || !strings.HasPrefix(got.body, tt.body) {
			t.Errorf("%s%s: %d %s %q, want %d %s %q", tt.host, tt.target, got.status, got.header.Get("Content-Type"), got.body, tt.status, tt.kind, tt.body)
		}
		if tt.kind != "" && (got.header.Get("Cache-Control") != "no-store" || got.header.Get("X-Request-Id") == "" || got.header.Get("Date") == "") {
			t.Errorf("%s%s: fields %v, want Cache-Control: no-store, X-Request-Id and Date", tt.host, tt.target, got.header)
		}
		head := ask(t, addr, "HEAD "+tt.target+" HTTP/1.1\r\nHost: "+tt.host)
		if tt.kind != "" && (head.status != tt.status || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(got.body)) && tt.kind != text) {
			t.Errorf("HEAD %s%s: %d, length %s, %q; want the length of GET and no content", tt.host, tt.target, head.status, head.header.Get("Content-Length"), head.body)
		}
	}
	for _, body := range []string{"Content-Length: 11\r\n\r\n01234567890", "Transfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n"} {
		raw := "POST /down HTTP/1.1\r\nHost: two.example\r\nConnection: close\r\n" + body
		if got := parseTold(t, raw, send(t, addr, raw)); got.status != 413 || got.body != "<p>two: 413" {
			t.Errorf("%q: %d %q, want the site's page for 413", body, got.status, got.body)
		}
	}
}

// The connection of a client goes on after an error with a page.
func TestErrorsKeepTheConnection(t *testing.T) {
	t.Parallel()
	addr, _ := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: %q }], failover: { connect_failures: same, threshold: 1000 } } }\n", closedAddress(t)), Options{})
	got := send(t, addr, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: a\r\n\r\nPOST /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET /4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if n := strings.Count(got, "HTTP/1.1 502 "); n != 4 {
		t.Errorf("%d of 4 requests on one connection were answered 502: %q", n, got)
	}
}

// A method that the gateway does not do is told which it does.
func TestMethodNotAllowedHasAllow(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	addr, _ := start(t, plainListener+"clusters: { app: { origins: "+inline(o)+" } }\n", Options{})
	for _, head := range []string{
		"TRACE / HTTP/1.1\r\nHost: a.example",
		"OPTIONS * HTTP/1.1\r\nHost: a.example",
		"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443",
	} {
		got := ask(t, addr, head)
		if got.status != 405 || !strings.Contains(got.header.Get("Allow"), "GET, HEAD, POST") {
			t.Errorf("%q: %d with Allow %q", head, got.status, got.header.Get("Allow"))
		}
	}
	if n := o.heads.Load(); n != 0 {
		t.Errorf("%d requests reached the origin", n)
	}
}
