package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

// causeLine is what the access log tells of an exchange that failed.
type causeLine struct {
	Listener, Reason, Cause        string
	Method, Target, Host, Protocol string
	Status                         int
	Duration                       float64 `json:"duration_ms"`
}

func causeLines(t *testing.T, text string) (all []causeLine) {
	t.Helper()
	for s := range strings.Lines(text) {
		var l causeLine
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		all = append(all, l)
	}
	return all
}

// causeOf sends one request and returns what is recorded of it.
func causeOf(t *testing.T, text, raw string, o Options) causeLine {
	t.Helper()
	log := new(lockedBuffer)
	o.Stderr = log
	addr, g := start(t, text, o)
	c := dialTo(t, addr)
	io.WriteString(c, raw)
	c.CloseWrite()
	io.Copy(io.Discard, c) // the answer may be cut
	g.Close()
	all := causeLines(t, log.String())
	if len(all) != 1 {
		t.Fatalf("%d lines, want 1: %s", len(all), log)
	}
	return all[0]
}

const causeListener = "listeners: [{ name: front, address: \"127.0.0.1:0\" }]\n"

const causeGET = "GET /a HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"

// What an origin has done wrong stands in the log, in words that people find.
func TestCauseOfOriginFailures(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	secure := newSecureTeller(t, "o", ca.issue(t, "127.0.0.1"))
	says := func(text string) string { return broken(t, map[string]string{"/a": text}) }
	fails := func(err error) Options {
		return Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
	}
	silent := rawOrigin(t, func(c net.Conn) { io.Copy(io.Discard, c) }).Addr().String()
	plain := rawOrigin(t, func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }).Addr().String()
	shuts := rawOrigin(t, func(c net.Conn) { bufio.NewReader(c).ReadByte(); c.(*net.TCPConn).CloseWrite(); io.Copy(io.Discard, c) }).Addr().String()
	const head = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name, origin  string
		o             Options
		status        int
		reason, cause string
	}{
		{"nobody listens", closedAddress(t), Options{}, 502, "connect_refused", `^dial tcp 127\.0\.0\.1:\d+: connect: connection refused$`},
		{"no such name", "nowhere.example:80", fails(&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}}), 502, "name_not_found", `lookup nowhere\.example: no such host$`},
		{"any other failure", "a.example:80", fails(fmt.Errorf("no luck")), 502, "connect_failed", `^no luck$`},
		{"certificate of a stranger", "https://" + secure.addr, Options{}, 502, "tls_failed", `^tls: failed to verify certificate: x509: certificate signed by unknown authority$`},
		{"no TLS there", "https://" + plain, Options{}, 502, "tls_failed", `^tls: first record does not look like a TLS handshake$`},
		{"no word of TLS", "https://" + shuts, Options{}, 502, "tls_failed", `^tls: handshake: EOF$`},
		{"closes", says(""), Options{}, 502, "origin_reset", `^wait: EOF$`},
		{"speaks something else", says("220 ready\r\n"), Options{}, 502, "bad_answer", `^wait: malformed status line$`},
		{"two lengths", says(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), Options{}, 502, "bad_answer", `^wait: message length is malformed or stated twice$`},
		{"bad chunks", says(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), Options{}, 502, "bad_answer", `^read: malformed chunked coding$`},
		{"silent", silent, Options{}, 504, "origin_timeout", `^no answer for clusters\.app\.first_byte_timeout, which is 50ms$`},
		{"half an answer", says(head + "Content-Length: 9\r\n\r\nhalf"), Options{}, 200, "answer_cut", `^unexpected EOF$`},
		{"a good one", newTeller(t, "o").addr, Options{}, 200, "", `^$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			patience := "20s"
			if tt.origin == silent {
				patience = "50ms"
			}
			text := causeListener + fmt.Sprintf("clusters: { app: { origins: [{ address: %q }], retry: { retries: 0 }, first_byte_timeout: %s, connect_timeout: 20s } }\n", tt.origin, patience)
			got := causeOf(t, text, causeGET, tt.o)
			if got.Status != tt.status || got.Reason != tt.reason || !regexp.MustCompile(tt.cause).MatchString(got.Cause) || got.Listener != "front" {
				t.Errorf("recorded %+v, want %d %s, because %s", got, tt.status, tt.reason, tt.cause)
			}
		})
	}
}

// What is wrong with a request is told too, with the limit that it met, and as
// much of the request as could be read; also where the server library has refused it.
func TestCauseOfRefusedRequests(t *testing.T) {
	t.Parallel()
	const line, host = "POST /a HTTP/1.1\r\n", "Host: a.example\r\n"
	limits := "limits: { header_count: 8, header_name_bytes: 20, header_bytes: %s, body_bytes: 1KiB }\n"
	whole := func(c causeLine) causeLine {
		c.Method, c.Target, c.Protocol = "POST", "/a", "HTTP/1.1"
		return c
	}
	named := func(c causeLine) causeLine {
		c = whole(c)
		c.Host = "a.example"
		return c
	}
	for _, tt := range []struct {
		name, raw string
		want      causeLine
	}{
		{"fields", line + host + strings.Repeat("A: b\r\n", 12) + "\r\n", whole(causeLine{Status: 431, Reason: "head_too_large", Cause: "13 header fields, limits.header_count is 8"})},
		{"name", line + host + "A-Name-That-Has-22-Bytes: b\r\n\r\n", whole(causeLine{Status: 431, Reason: "head_too_large", Cause: "field name is too long, limits.header_name_bytes is 20"})},
		{"head", line + host + "A: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", named(causeLine{Status: 431, Reason: "head_too_large", Cause: "head is too long, limits.header_bytes is 16KiB"})},
		{"announced body", line + host + "Content-Length: 5000\r\n\r\n", named(causeLine{Status: 413, Reason: "body_too_large", Cause: "Content-Length is 5000, limits.body_bytes is 1KiB"})},
		{"chunked body", line + host + "Transfer-Encoding: chunked\r\n\r\n500\r\n" + strings.Repeat("x", 0x500) + "\r\n0\r\n\r\n", named(causeLine{Status: 413, Reason: "body_too_large", Cause: "body is larger than its limit, limits.body_bytes is 1KiB"})},
		{"bad chunk", line + host + "Transfer-Encoding: chunked\r\n\r\nnonsense\r\n", named(causeLine{Status: 400, Reason: "bad_body", Cause: "request body: malformed chunked coding"})},
		{"half a body", line + host + "Content-Length: 9\r\n\r\nhalf", named(causeLine{Status: 400, Reason: "bad_body", Cause: "request body: unexpected EOF"})},
		{"Host twice", line + host + host + "\r\n", whole(causeLine{Status: 400, Reason: "bad_host", Cause: "host field is missing, stated twice or malformed"})},
		{"no Host", line + "\r\n", whole(causeLine{Status: 400, Reason: "bad_host", Cause: "host field is missing, stated twice or malformed"})},
		{"Content-Length twice", line + host + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", whole(causeLine{Status: 400, Reason: "bad_framing", Cause: "message length is malformed or stated twice"})},
		{"coding", line + host + "Transfer-Encoding: gzip\r\n\r\n", whole(causeLine{Status: 501, Reason: "bad_coding", Cause: "transfer coding is not chunked"})},
		{"blank in a name", line + host + "A b: c\r\n\r\n", whole(causeLine{Status: 400, Reason: "bad_request", Cause: "field name is not a token"})},
		{"version", "POST /a HTTP/3.0\r\n" + host + "\r\n", causeLine{Status: 505, Reason: "bad_version", Cause: "version is not HTTP/1.0 or HTTP/1.1", Method: "POST", Target: "/a", Protocol: "HTTP/3.0"}},
		{"version with a quote", "POST /a HTTP/\"\xff\r\n" + host + "\r\n", causeLine{Status: 505, Reason: "bad_version", Cause: "version is not HTTP/1.0 or HTTP/1.1", Method: "POST", Target: "/a", Protocol: "HTTP/\"\u00ff"}},
		{"half a head", line + host + "A: b", named(causeLine{Status: 400, Reason: "bad_request", Cause: "the client closed in the middle of its head"})},
		{"no request line", "nonsense\r\n\r\n", causeLine{Status: 400, Reason: "bad_request", Cause: "*"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := causeListener + fmt.Sprintf("clusters: { app: { origins: [{ address: %q }] } }\n", newTeller(t, "o").addr) + fmt.Sprintf(limits, "16KiB")
			got := causeOf(t, text, tt.raw, Options{})
			if tt.want.Cause == "*" && got.Cause != "" {
				got.Cause = "*"
			}
			tt.want.Listener, tt.want.Duration = "front", got.Duration
			if tt.want.Host == "" {
				got.Host = "" // a bad one is shown where it was met before what is wrong
			}
			if got != tt.want {
				t.Errorf("recorded\n%+v, want\n%+v", got, tt.want)
			}
		})
	}
}

// A head that is too slow has taken its time, which the record tells.
func TestSlowHeadsTellTheirTime(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	addr, g := start(t, causeListener+"clusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\ntimeouts: { head: 300ms }\n", Options{Stderr: log})
	c := dialTo(t, addr)
	io.WriteString(c, "GET /slow HTTP/1.1\r\nHost: a.example\r\nA: ")
	io.Copy(io.Discard, c)
	g.Close()
	got := causeLines(t, log.String())
	if len(got) != 1 || got[0].Status != 408 || got[0].Duration < 200 || got[0].Target != "/slow" || got[0].Cause != "head took too long, timeouts.head is 300ms" {
		t.Errorf("recorded %+v, want 408 /slow after some 300 ms", got)
	}
}

// Bytes from outside in a cause cannot break a line or forge another.
func TestCausesAreEscaped(t *testing.T) {
	r := sampleRecord()
	r.cloneText(accessCause, []byte("a\"\n\\\xff"+strings.Repeat("b", 600)))
	got := string(appendAccessJSON(nil, r))
	if !strings.HasSuffix(got, `,"cut":["cause"],"cause":"a\"\u000a\\\u00ff`+strings.Repeat("b", 507)+"\"}\n") || !json.Valid([]byte(got)) {
		t.Errorf("the line is %s", got)
	}
	if got := string(appendAccessCombined(nil, r)); strings.Contains(got, "bbb") {
		t.Errorf("the combined line is %s", got)
	}
}

// That an origin is down is told once, not with every request, and so is its
// return; Status says since when and why.
func TestTransitionsOfOriginsAreTold(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	address := freeAddress(t)
	addr, g := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: %q }] }, too: { origins: [{ address: %q }] } }\nsites: { a: { hosts: [a.example] } }\nmappings: [{ site: a, prefix: /too, cluster: too }, { site: a, cluster: app }]\n", address, address),
		Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	if o := g.Status().Origins[0]; !o.Up || !o.Since.IsZero() || o.LastError != "" || !o.LastErrorAt.IsZero() {
		t.Errorf("before anything was tried: %+v", o)
	}
	for range 5 {
		askFor(t, addr, "a.example", "/")
		askFor(t, addr, "a.example", "/too")
	}
	down := g.Status().Origins[1]
	if down.Up || time.Since(down.Since) > time.Minute || !strings.Contains(down.LastError, "connect: connection refused") || time.Since(down.LastErrorAt) > time.Minute {
		t.Errorf("down: %+v", down)
	}
	tellAt(t, address, "back")
	until(t, "the origin is back", func() bool { return askFor(t, addr, "a.example", "/").origin() == "back" })
	if up := g.Status().Origins[0]; !up.Up || !up.Since.After(down.Since) || up.LastError == "" {
		t.Errorf("up again: %+v", up)
	}
	told := log.String()
	if strings.Count(told, "level=WARN msg=\"origin ejected\" origin="+address+" ") != 1 || strings.Count(told, "level=INFO msg=\"origin up\" origin="+address+" ") != 1 || !strings.Contains(told, "connection refused") {
		t.Errorf("the log tells\n%s", told)
	}
}

// Who is cut when patience has ended did not go away.
func TestCutByDrainIsNotGone(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 3)
	o := rawOrigin(t, func(c net.Conn) {
		head, err := readRawHead(bufio.NewReader(c))
		if err != nil {
			return
		}
		switch {
		case strings.HasPrefix(head, "GET /begun"):
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		case strings.HasPrefix(head, "GET /tunnel"):
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi")
		}
		arrived <- struct{}{}
		io.Copy(io.Discard, c)
	})
	for target, status := range map[string]int{"/before": 503, "/begun": 200, "/tunnel": 101} {
		for _, end := range []struct {
			name string
			end  func(*Gateway) error
		}{
			{"drain", func(g *Gateway) error { return g.Drain(context.Background()) }},
			{"close", (*Gateway).Close},
		} {
			t.Run(end.name+target, func(t *testing.T) {
				t.Parallel()
				log := new(lockedBuffer)
				addr, g := start(t, strings.Replace(drainText(o.Addr().String(), "0s", "50ms"), "format: off", "format: json", 1), Options{Stderr: log})
				c := dialTo(t, addr)
				io.WriteString(c, "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
				<-arrived
				if status < 500 {
					c.Read(make([]byte, 1))
				}
				end.end(g)
				got := causeLines(t, log.String())
				if len(got) != 1 || got[0].Reason != "cut_by_drain" || got[0].Status != status {
					t.Errorf("recorded %+v, want %d cut_by_drain", got, status)
				}
			})
		}
	}
}

// Every configuration that is refused is counted and kept in mind, also one
// that nobody could compile.
func TestRefusedConfigurationsAreCounted(t *testing.T) {
	t.Parallel()
	_, g := start(t, replayConfig, Options{})
	p := &g.Metrics().Process
	if p.ReloadsFailed.Load() != 0 || p.LastReloadOK.Load() != 1 || g.Status().LastRefusal != nil {
		t.Errorf("after a good one: failed %d, last ok %d, refusal %v", p.ReloadsFailed.Load(), p.LastReloadOK.Load(), g.Status().LastRefusal)
	}
	_, problems := config.Load("testdata/there-is-none.yaml")
	g.ReloadFailed(append(config.Problems{{Severity: config.Warning, Code: "W310", Message: "first"}}, problems...))
	r := g.Status().LastRefusal
	if p.ReloadsFailed.Load() != 1 || p.LastReloadOK.Load() != 0 || r == nil || r.Errors != 1 || !strings.Contains(r.Problem, "error E101: ") || time.Since(r.At) > time.Minute {
		t.Errorf("after one that cannot be read: failed %d, last ok %d, refusal %+v", p.ReloadsFailed.Load(), p.LastReloadOK.Load(), r)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	g.Apply(load(t, strings.Replace(replayConfig, "127.0.0.1:0", taken.Addr().String(), 1)))
	if r := g.Status().LastRefusal; p.ReloadsFailed.Load() != 2 || !strings.Contains(r.Problem, "E802: listeners[0].address") || strings.Contains(r.Problem, "\n") {
		t.Errorf("after one that cannot be applied: failed %d, refusal %+v", p.ReloadsFailed.Load(), r)
	}
	apply(t, g, replayConfig)
	if p.LastReloadOK.Load() != 1 || p.ReloadsOK.Load() != 1 || p.ReloadsFailed.Load() != 2 {
		t.Errorf("after a good one again: last ok %d, ok %d, failed %d", p.LastReloadOK.Load(), p.ReloadsOK.Load(), p.ReloadsFailed.Load())
	}
}
