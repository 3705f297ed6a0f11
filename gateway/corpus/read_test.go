package corpus

import (
	"encoding/json"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLintFindings(t *testing.T) {
	for _, tt := range []struct {
		name string
		head string
		want []string
	}{
		{name: "clean", head: "GET / HTTP/1.1\r\nHost: a.example:80\r\nTE: trailers\r\nConnection: TE\r\n\r\n"},
		{name: "no host in 1.0", head: "GET / HTTP/1.0\r\n\r\n"},
		{name: "no host", head: "GET / HTTP/1.1\r\n\r\n", want: []string{"host-missing"}},
		{name: "two hosts", head: "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", want: []string{"host-dup"}},
		{name: "slash in host", head: "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", want: []string{"host-bad"}},
		{name: "bare LF", head: "GET / HTTP/1.1\nHost: a\r\n\r\n", want: []string{"bare-lf"}},
		{name: "bare CR", head: "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", want: []string{"bare-cr"}},
		{name: "NUL", head: "GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n", want: []string{"nul", "ctl-in-value"}},
		{name: "two spaces", head: "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", want: []string{"bad-request-line"}},
		{name: "high byte in target", head: "GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n"},
		{name: "fragment", head: "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", want: []string{"fragment"}},
		{name: "fold", head: "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", want: []string{"obs-fold"}},
		{name: "space before colon", head: "GET / HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n", want: []string{"bad-name"}},
		{name: "no name", head: "GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n", want: []string{"empty-name"}},
		{name: "no colon", head: "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", want: []string{"no-colon"}},
		{name: "two lengths", head: "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: +1\r\n\r\n", want: []string{"cl-dup", "cl-bad"}},
		{name: "both framings in 1.0", head: "GET / HTTP/1.0\r\nContent-Length: 1\r\nTransfer-Encoding: gzip\r\n\r\n", want: []string{"te-bad", "cl+te", "te-in-1.0"}},
		{name: "underscore", head: "GET / HTTP/1.1\r\nHost: a\r\nContent_Length: 1\r\n\r\n", want: []string{"look-alike"}},
		{name: "listed field", head: "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nConnection: close, x\r\n\r\n", want: []string{"hop-listed"}},
		{name: "hop by hop", head: "GET / HTTP/1.1\r\nHost: a\r\nKeep-Alive: 1\r\nUpgrade: a\r\nTE: gzip\r\n\r\n", want: []string{"hop-leak:keep-alive", "hop-leak:upgrade", "hop-leak:te"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &message{head: []byte(tt.head)}
			readHead(m)
			if !slices.Equal(m.lint, tt.want) {
				t.Errorf("lint = %q, want %q", m.lint, tt.want)
			}
		})
	}
}

func TestOriginReadsBodies(t *testing.T) {
	const post = "POST / HTTP/1.1\r\nHost: a\r\n"
	for _, tt := range []struct {
		name     string
		raw      string
		body     string
		complete bool
		lint     []string
	}{
		{name: "none", raw: post + "\r\n", complete: true},
		{name: "length", raw: post + "Content-Length: 2\r\n\r\nab", body: "ab", complete: true},
		{name: "short", raw: post + "Content-Length: 3\r\n\r\nab", body: "ab"},
		{name: "chunks", raw: post + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n", body: "ab", complete: true},
		{name: "no last chunk", raw: post + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", body: "a"},
		{name: "extension", raw: post + "Transfer-Encoding: chunked\r\n\r\n1;x\r\na\r\n0\r\n\r\n", body: "a", complete: true, lint: []string{"chunk-ext"}},
		{name: "bare LF", raw: post + "Transfer-Encoding: chunked\r\n\r\n0\n\r\n", complete: true, lint: []string{"bare-lf-in-chunk"}},
		{name: "no hexadecimal", raw: post + "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n", lint: []string{"bad-chunk"}},
		{name: "no CRLF after data", raw: post + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", body: "a", lint: []string{"bad-chunk"}},
		{name: "framing in trailers", raw: post + "Transfer-Encoding: chunked\r\n\r\n0\r\nHost: b\r\n\r\n", complete: true, lint: []string{"bad-trailer"}},
		{name: "no head", raw: post, lint: []string{"no-head-end"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := received(t, tt.raw)
			if string(m.body) != tt.body || m.complete != tt.complete || !slices.Equal(m.lint, tt.lint) {
				t.Errorf("body %q, complete %v, lint %q", m.body, m.complete, m.lint)
			}
		})
	}
}

// received is what an origin reads of raw, which is all that a client sends.
func received(t *testing.T, raw string) message {
	t.Helper()
	o, err := newOrigin()
	if err != nil {
		t.Fatal(err)
	}
	go o.accept()
	defer o.close()
	conn, err := net.Dial("tcp", o.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.Write([]byte(raw))
	conn.(*net.TCPConn).CloseWrite()
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	for buf := make([]byte, 512); err == nil; _, err = conn.Read(buf) {
	}
	msgs, _ := o.current().seen()
	if len(msgs) != 1 {
		t.Fatalf("%d messages, want 1", len(msgs))
	}
	return msgs[0]
}

func TestAnswersAreParsed(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, tt := range []struct {
		name    string
		raw     string
		methods []string
		end     string
		want    string // status and framing, with ! if not complete
		rest    string
	}{
		{name: "length", raw: ok + "Content-Length: 1\r\n\r\na", want: "200 length"},
		{name: "short", raw: ok + "Content-Length: 2\r\n\r\na", want: "200 length!"},
		{name: "endless length", raw: ok + "Content-Length: 99999999999999999999\r\n\r\na", want: "200 length!"},
		{name: "surplus", raw: ok + "Content-Length: 1\r\n\r\nab", want: "200 length", rest: "b"},
		{name: "two", raw: ok + "Content-Length: 0\r\n\r\nHTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", want: "200 length, 404 length"},
		{name: "HEAD", raw: ok + "Content-Length: 9\r\n\r\n", methods: []string{"HEAD"}, want: "200 none"},
		{name: "interim", raw: "HTTP/1.1 103 \r\nX: 1\r\n\r\nHTTP/1.1 204 \r\n\r\n", want: "204 none"},
		{name: "chunks", raw: ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: 1\r\n\r\n", want: "200 chunked"},
		{name: "cut chunks", raw: ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", want: "200 chunked!"},
		{name: "bad chunks", raw: ok + "Transfer-Encoding: chunked\r\n\r\nx\r\n", want: "200 bad-chunked!", rest: "x\r\n"},
		{name: "ended by FIN", raw: ok + "\r\na", end: "fin", want: "200 close"},
		{name: "ended by RST", raw: ok + "\r\na", end: "rst", want: "200 close!"},
		{name: "tunnel", raw: "HTTP/1.1 101 Go\r\n\r\nx", want: "101 tunnel"},
		{name: "no HTTP", raw: "SSH-2.0\r\n\r\n", rest: "SSH-2.0\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			finals, _, rest := parseResponses([]byte(tt.raw), tt.methods, tt.end)
			if got := describe(finals); got != tt.want || string(rest) != tt.rest {
				t.Errorf("answers %q, rest %q, want %q and %q", got, rest, tt.want, tt.rest)
			}
		})
	}
}

func describe(rs []response) string {
	var all []string
	for _, r := range rs {
		one := strconv.Itoa(r.status) + " " + r.framing
		if !r.complete {
			one += "!"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

func TestPatternsReadBytes(t *testing.T) {
	for _, tt := range []struct {
		name string
		expr string
		in   string
		want bool
	}{
		{name: "one byte, one character", expr: `^a.b$`, in: "a\xffb", want: true},
		{name: "a byte by its number", expr: `\xff`, in: "\xff", want: true},
		{name: "letters fold", expr: `(?i)host`, in: "HOST", want: true},
		{name: "other bytes do not", expr: "(?i)\u00c3", in: "\xe3", want: false},
		{name: "vertical tab is white space", expr: `^\S$`, in: "\v", want: false},
		{name: "an address alone", expr: `(?i)forwarded: *for=6\.6\.6\.6(?!,)`, in: "Forwarded: for=6.6.6.6\r\n", want: true},
		{name: "an address that is appended to", expr: `(?i)forwarded: *for=6\.6\.6\.6(?!,)`, in: "Forwarded: for=6.6.6.6, for=b", want: false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := json.Marshal(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			var p pattern
			if err := json.Unmarshal(text, &p); err != nil {
				t.Fatal(err)
			}
			if got := p.in([]byte(tt.in)); got != tt.want {
				t.Errorf("%s in %q = %v, want %v", tt.expr, tt.in, got, tt.want)
			}
		})
	}
}

func TestUnknownCasesAreRefused(t *testing.T) {
	for name, line := range map[string]string{
		"verdict": `{"id": "a", "expect": "perhaps", "req": ""}`,
		"key":     `{"id": "a", "expect": "forward", "requ": ""}`,
		"check":   `{"id": "a", "expect": "forward", "req": "", "checks": {"haed": []}}`,
		"step":    `{"id": "a", "expect": "forward", "req": [{"jump": 1}]}`,
		"byte":    `{"id": "a", "expect": "forward", "req": "\u0100"}`,
		"pattern": `{"id": "a", "expect": "forward", "req": "", "hazard": "(?!a)b"}`,
	} {
		if _, err := parseSpec([]byte(line)); err == nil {
			t.Errorf("an unknown %s was accepted", name)
		}
	}
}
