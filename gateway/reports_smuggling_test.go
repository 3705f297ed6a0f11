package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

const hiddenRequest = "GET /hidden HTTP/1.1\r\nHost: example.com\r\n\r\n"

// A request whose end two readers may see in two places is refused, and what is
// behind it is not read as a request.
func TestReportRequestsOfTwoReadings(t *testing.T) {
	t.Parallel()
	post := "POST /p HTTP/1.1\r\nHost: example.com\r\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hiddenRequest), hiddenRequest)
	for _, tt := range []struct {
		name, request string
		codes         string // any of these
		begun         int    // heads that may be with the origin when the body turns out to be bad
	}{
		{"SM-02: xchunked", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "400 501", 0},
		{"SM-02: chunked, identity", post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "400 501", 0},
		{"SM-02: gzip, chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400 501", 0},
		{"SM-02: identity", post + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", "400 501", 0},
		{"SM-02: two lines", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "400 501", 0},
		{"SM-02: a vertical tab", post + "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n", "400 501", 0},
		{"SM-08: length first, then chunked", post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk, "400", 0},
		{"SM-08: chunked first, then length", post + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunk, "400", 0},
		{"SM-08: a length that is right", post + fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n", len(chunk)) + chunk, "400", 0},
		{"SM-09: two lengths", post + "Content-Length: 5\r\nContent-Length: 50\r\n\r\nAAAAA", "400", 0},
		{"SM-09: a list of two", post + "Content-Length: 5,6\r\n\r\nAAAAA", "400", 0},
		{"SM-09: a sign", post + "Content-Length: +5\r\n\r\nAAAAA", "400", 0},
		{"SM-09: a minus", post + "Content-Length: -5\r\n\r\nAAAAA", "400", 0},
		{"SM-09: hexadecimal", post + "Content-Length: 0x5\r\n\r\nAAAAA", "400", 0},
		{"SM-09: inner blank", post + "Content-Length: 5 5\r\n\r\nAAAAA", "400", 0},
		{"SM-09: larger than any", post + "Content-Length: 99999999999999999999\r\n\r\nAAAAA", "400 413", 0},
		{"SM-09: empty", post + "Content-Length:\r\n\r\nAAAAA", "400", 0},
		{"SM-11: data longer than its size", post + "Transfer-Encoding: chunked\r\n\r\n5\r\nAAAAAXXX\r\n0\r\n\r\n", "400", 1},
		{"SM-16: blanks behind a size", post + "Transfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\r\n\r\n", "400", 1},
		{"SM-16: blanks in front", post + "Transfer-Encoding: chunked\r\n\r\n 5\r\nhello\r\n0\r\n\r\n", "400", 1},
		{"SM-05: CR in a trailer", post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: a\rSet-Cookie: s=1\r\n\r\n", "400", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, "", "")
			c := g.client(t)
			c.say(tt.request + hiddenRequest)
			a := c.answer("POST")
			if !strings.Contains(tt.codes, fmt.Sprint(a.code)) || !c.ended() {
				t.Errorf("answered %q, want %s and the end", a.head, tt.codes)
			}
			if seen := o.seen(); len(seen) > tt.begun || strings.Contains(strings.Join(seen, ""), "/hidden") {
				t.Errorf("the origin saw %q", seen)
			}
		})
	}
}

// What may be read in one way only reaches the origin with one framing line.
func TestReportFramingIsWrittenOnce(t *testing.T) {
	t.Parallel()
	post := "POST /p HTTP/1.1\r\nHost: example.com\r\n"
	for _, tt := range []struct{ name, request, framing, body string }{
		{"SM-02: CHUNKED is chunked", post + "Transfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked", "hello"},
		{"SM-09: blanks around a length", post + "Content-Length:  5 \r\n\r\nhello", "Content-Length: 5", "hello"},
		{"SM-16: an extension is not passed on", post + "Transfer-Encoding: chunked\r\n\r\n5 ; a=b\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked", "hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bodies := make(chan string, 1)
			o := newReportOrigin(t, reportAnswering(func(_, body string) string {
				bodies <- body
				return reportOK
			}))
			g := startReport(t, o, "", "")
			a := g.do(t, tt.request)
			if a.code != 200 {
				t.Fatalf("answered %q", a.head)
			}
			head := strings.ToLower(o.seen()[0])
			lines := strings.Count(head, "\r\ncontent-length:") + strings.Count(head, "\r\ntransfer-encoding:")
			if body := <-bodies; lines != 1 || !strings.Contains(head, strings.ToLower("\r\n"+tt.framing+"\r\n")) || body != tt.body {
				t.Errorf("the origin got %q with %q, want one line %q with %q", head, body, tt.framing, tt.body)
			}
		})
	}
}

// Equal lengths are folded into one or refused.
func TestReportEqualLengths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, fields string }{
		{"SM-09: the same length twice", "Content-Length: 5\r\nContent-Length: 5\r\n"},
		{"SM-09: the same length as a list", "Content-Length: 5, 5\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, "", "")
			a := g.do(t, "POST / HTTP/1.1\r\nHost: example.com\r\n"+tt.fields+"\r\nhello")
			seen := strings.Join(o.seen(), "")
			if n := strings.Count(seen, "Content-Length"); a.code == 200 && n != 1 || a.code != 200 && (a.code != 400 || n != 0) {
				t.Errorf("answered %d; the origin saw %q", a.code, seen)
			}
		})
	}
}

// What was refused while it was on its way to the origin takes the origin's
// connection with it.
func TestReportBrokenChunksEndTheOriginsConnection(t *testing.T) {
	t.Parallel()
	t.Run("SM-11: data longer than its size, after some", func(t *testing.T) {
		t.Parallel()
		got := make(chan string, 1)
		o := newReportOrigin(t, func(c *reportConn) {
			head := c.head()
			c.origin.file(head)
			var rest strings.Builder
			c.in.WriteTo(&rest)
			got <- rest.String()
		})
		g := startReport(t, o, "", "")
		c := g.client(t)
		c.say("POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
		awaitReport(t, "the head at the origin", func() bool { return len(o.seen()) == 1 })
		c.say("5\r\nAAAAAXXX\r\n0\r\n\r\n" + hiddenRequest)
		if a := c.answer("POST"); a.code != 400 || !c.ended() {
			t.Errorf("answered %q, want 400 and the end", a.head)
		}
		if rest := <-got; strings.Contains(rest, "XXX") || strings.Contains(rest, "hidden") || strings.HasSuffix(rest, "0\r\n\r\n") {
			t.Errorf("the origin got %q", rest)
		}
	})
}

func TestReportRequestTrailers(t *testing.T) {
	t.Parallel()
	for _, trailer := range []string{
		"Content-Length: 5", "Host: evil.example.com", "Authorization: x", "Transfer-Encoding: chunked",
		"Cookie: a=b", "X-Forwarded-For: 192.0.2.9", "Connection: close", "Trailer: Host", "Content-Type: a/b",
		"Set-Cookie: s=1", "Cache-Control: no-store", "TE: gzip", "Content-Encoding: gzip", "X-Request-Id: 1", "Content_Length: 5",
	} {
		t.Run("SM-06: "+trailer, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(trailer, ":")
			all := make(chan string, 1)
			o := newReportOrigin(t, func(c *reportConn) {
				head := c.head()
				c.origin.file(head)
				var body strings.Builder
				for line := ""; line != "\r\n"; {
					var err error
					if line, err = c.in.ReadString('\n'); err != nil {
						break
					}
					body.WriteString(line)
				}
				if strings.HasSuffix(body.String(), "0\r\n\r\n") || strings.Contains(body.String(), name) {
					all <- body.String()
				}
				c.say(reportOK)
			})
			g := startReport(t, o, "", "")
			a := g.do(t, "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"+trailer+"\r\n\r\n")
			if a.code == 200 {
				if body := <-all; strings.Contains(body, name) {
					t.Errorf("the origin got %q", body)
				}
			} else if a.code != 400 {
				t.Errorf("answered %d, want 200 or 400", a.code)
			}
		})
	}
}

// What an origin says of its length in two ways, or breaks, never reaches the
// client as it is.
func TestReportAnswersOfTwoReadings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		body         string // if it is passed on
	}{
		{"SM-15: chunked with a length that is too long", "Content-Length: 500\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
		{"SM-15: chunked with a length that is too short", "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
		{"SM-15: two lengths", "Content-Length: 5\r\nContent-Length: 4\r\n\r\nhello", "never"},
		{"SM-16: blanks behind a size", "Transfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\r\n\r\n", "hello"},
		{"SM-05: CR in a trailer", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: a\rSet-Cookie: s=1\r\n\r\n", "never"},
		{"SM-05: a bare LF in a trailer", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: a\nSet-Cookie: s=1\r\n\r\n", "never"},
		{"SM-06: a cookie in a trailer", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nSet-Cookie: s=1\r\n\r\n", "hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, reportAnswering(func(head, _ string) string {
				if strings.HasPrefix(head, "GET /next ") {
					return reportOK
				}
				return "HTTP/1.1 200 OK\r\n" + tt.answer
			}))
			g := startReport(t, o, "", "")
			c := g.client(t)
			c.say("GET / HTTP/1.1\r\nHost: example.com\r\nTE: trailers\r\nConnection: TE\r\n\r\n")
			raw := readReportAnswer(c)
			if strings.Contains(raw, "Set-Cookie") || strings.Contains(raw, "Content-Length") && strings.Contains(raw, "Transfer-Encoding") {
				t.Errorf("the client got %q", raw)
			}
			whole := strings.HasPrefix(raw, "HTTP/1.1 200") && strings.HasSuffix(raw, "\r\n5\r\nhello\r\n0\r\n\r\n")
			cut := strings.HasPrefix(raw, "HTTP/1.1 200") && !strings.HasSuffix(raw, "0\r\n\r\n")
			if bad := strings.HasPrefix(raw, "HTTP/1.1 502"); !bad && !cut && !(whole && tt.body == "hello") {
				t.Errorf("the client got %q, want 502, a cut, or %q", raw, tt.body)
			}
			if a := g.do(t, reportGET("/next")); a.body != "ok" {
				t.Errorf("the next client got %+v", a)
			}
			if opened, _ := o.conns(); opened != 2 && tt.body != "hello" {
				t.Errorf("the origin's connection was used again")
			}
		})
	}
	t.Run("SM-15: the origin's connection is not used again", func(t *testing.T) {
		t.Parallel()
		o := newReportOrigin(t, reportAnswering(func(string, string) string {
			return "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
		}))
		g := startReport(t, o, "", "")
		g.do(t, reportGET("/"))
		g.do(t, reportGET("/"))
		if opened, _ := o.conns(); opened != 2 {
			t.Errorf("two exchanges took %d connections, want 2", opened)
		}
	})
}

// readReportAnswer reads what comes until the end, or until there is a whole answer.
func readReportAnswer(c *reportConn) string {
	var all strings.Builder
	for {
		c.SetReadDeadline(time.Now().Add(reportPatience))
		b, err := c.in.ReadByte()
		if err != nil {
			return all.String()
		}
		all.WriteByte(b)
		if c.in.Buffered() > 0 {
			continue
		}
		s := all.String()
		if _, body, _ := strings.Cut(s, "\r\n\r\n"); strings.HasSuffix(s, "\r\n0\r\n\r\n") || strings.Contains(s, "Content-Length: "+fmt.Sprint(len(body))+"\r\n") {
			return s
		}
	}
}

// What a configuration writes into a head cannot end a line there.
func TestReportConfiguredBytes(t *testing.T) {
	t.Parallel()
	const site = "listeners: [{ address: \":0\" }]\nclusters: { app: { origins: [{ address: %s }]%s } }\nsites: { s: { hosts: [\"**\"]%s } }\nmappings: [{ site: s, cluster: app }]\n"
	for _, tt := range []struct{ name, address, cluster, site, code string }{
		{name: "SM-12: CRLF in a request field", site: `, headers: { request: { set: { X-User: "a\r\nX-Admin: 1" } } }`, code: "E112"},
		{name: "SM-12: LF in a response field", site: `, headers: { response: { set: { X-User: "a\nX-Admin: 1" } } }`, code: "E112"},
		{name: "SM-12: CR", site: `, headers: { request: { set: { X-User: "a\rb" } } }`, code: "E112"},
		{name: "SM-12: NUL", site: `, headers: { request: { set: { X-User: "a\0b" } } }`, code: "E112"},
		{name: "SM-12: CRLF in a name", site: `, headers: { request: { set: { "X-User: a\r\nX-Admin": "1" } } }`, code: "E112"},
		{name: "SM-12: CRLF in a removed name", site: `, headers: { request: { remove: ["X-User\r\n"] } }`, code: "E112"},
		{name: "SM-14: CRLF in host_header", cluster: `, host_header: "a.example\r\nX-Admin: 1"`, code: "E112"},
		{name: "SM-14: a blank in host_header", cluster: `, host_header: "a example"`, code: "E112"},
		{name: "SM-14: CRLF in an origin", address: `"a.example\r\nX: 1:80"`, code: "E112"},
		{name: "SM-14: a blank in an origin", address: `"a b:80"`, code: "E112"},
		{name: "SM-14: # in an origin", address: `"a.example#:80"`, code: "E112"},
		{name: "SM-14: / in an origin", address: `"a.example/x:80"`, code: "E112"},
		{name: "SM-14: a user in an origin", address: `"http://u@a.example"`, code: "E112"},
		{name: "PH-10: Host is not edited, so that there is one", site: `, headers: { request: { set: { Host: "b.example" } } }`, code: "E114"},
		{name: "PH-10: whatever its case", site: `, headers: { request: { set: { hOST: "b.example" } } }`, code: "E114"},
		{name: "PH-10: nor removed", site: `, headers: { request: { remove: [host] } }`, code: "E114"},
		{name: "ST-02: a length is not made up", site: `, headers: { response: { set: { Content-Length: "123" } } }`, code: "E114"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.address == "" {
				tt.address = `"127.0.0.1:9001"`
			}
			file := filepath.Join(t.TempDir(), "weirkeep.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, site, tt.address, tt.cluster, tt.site), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, problems := config.Load(file)
			if cfg != nil || problems.Errors() == 0 || problems[0].Code != tt.code {
				t.Errorf("loaded with %v, want %s", problems, tt.code)
			}
		})
	}
}

// A proxy is told to connect to what a client named: that is checked first.
func TestReportHostsThatAreDialled(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"a.example\rX", "a b", "a#b", "a/b", "a@b", "a\x00b", "a?b", "[::1", "a:b:c", "a:99999", `a\b`} {
		for _, request := range []string{
			"GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
			"GET http://" + host + "/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
		} {
			t.Run(fmt.Sprintf("SM-14: %q", request), func(t *testing.T) {
				t.Parallel()
				o := newReportOKOrigin(t)
				g := startReportYAML(t, strings.Replace(reportYAML(o, "", ""), "\" }] }", "\", kind: proxy }] }", 1))
				a := g.do(t, request)
				if fmt.Sprint(a.code/100) == "4" && len(o.seen()) == 0 {
					return
				}
				if seen := strings.Join(o.seen(), ""); a.code != 200 || !strings.HasPrefix(request, "GET http://a") || !strings.Contains(seen, "\r\nHost: a\r\n") {
					t.Errorf("answered %d; the proxy saw %q", a.code, seen)
				}
			})
		}
	}
}
