package gateway

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

const reportHEAD = "HEAD / HTTP/1.1\r\nHost: example.com\r\n\r\n"

// An answer's framing comes out as it was meant, and the connection can be used
// again.
func TestReportAnswerFraming(t *testing.T) {
	t.Parallel()
	chunks := "Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n3\r\n1b6\r\n5\r\n0\r\n\r\n\r\n0\r\n\r\n"
	for _, tt := range []struct {
		name, method, answer string
		code                 int
		has, hasNot          string // in the client's head, lower case
		body                 string
		cut                  bool // the origin's connection ends with the answer
	}{
		{"ST-01: HEAD keeps the length", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n", 200, "content-length: 4096", "transfer-", "", false},
		{"ST-02: HEAD keeps a length that GET does not have", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 123\r\nX-Drop: 1\r\n\r\n", 200, "content-length: 123", "x-drop", "", false},
		{"ST-02: HEAD gets no length that nobody said", "HEAD", "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n", 200, "x-a: 1", "content-length", "", false},
		{"ST-03: HEAD with chunked waits for nothing", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, "200", "content-length", "", false},
		{"ST-07: ended by the end", "GET", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nhello", 200, "transfer-encoding: chunked", "content-length", "hello", true},
		{"ST-07: ended by the end, HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello", 200, "transfer-encoding: chunked", "content-length", "hello", true},
		{"ST-07: ended by the end, without saying so", "GET", "HTTP/1.1 200 OK\r\n\r\nhello", 200, "transfer-encoding: chunked", "content-length", "hello", true},
		{"ST-07: ended by the end, empty", "GET", "HTTP/1.1 200 OK\r\n\r\n", 200, "200", "content-length: 5", "", true},
		{"ST-08: three chunks", "GET", "HTTP/1.1 200 OK\r\n" + chunks, 200, "transfer-encoding: chunked", "content-length", "part1b60\r\n\r\n", false},
		{"ST-08: three chunks, and close", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\n" + chunks, 200, "transfer-encoding: chunked", "content-length", "part1b60\r\n\r\n", true},
		{"ST-25: 304 without framing", "GET", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", 304, "etag", "content-length", "", false},
		{"ST-25: 304 with a length", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n", 304, "304", "transfer-encoding", "", false},
		{"ST-25: 204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, "204", "content-length", "", false},
		{"ST-25: 204 with a length", "GET", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 204, "204", "content-length", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				for {
					if head, _ := c.request(); head == "" {
						return
					}
					c.say(tt.answer)
					if tt.cut {
						return
					}
				}
			})
			g := startReport(t, o, "", `
sites: { s: { hosts: ["**"], headers: { response: { remove: [X-Drop] } } } }
mappings: [{ site: s, cluster: app }]`)
			c := g.client(t)
			for i := range 2 {
				c.say(tt.method + " / HTTP/1.1\r\nHost: example.com\r\n\r\n")
				a := c.answer(tt.method)
				head := strings.ToLower(a.head)
				if a.code != tt.code || a.body != tt.body || a.err != nil {
					t.Fatalf("answer %d: %q %q %v, want %d %q", i, a.head, a.body, a.err, tt.code, tt.body)
				}
				if !strings.Contains(head, tt.has) || strings.Contains(head, tt.hasNot) || tt.code != 200 && strings.Contains(head, "transfer-encoding") {
					t.Errorf("answer %d: %q, want %q and no %q", i, a.head, tt.has, tt.hasNot)
				}
			}
			if opened, _ := o.conns(); (opened == 2) != tt.cut {
				t.Errorf("two exchanges took %d connections to the origin", opened)
			}
		})
	}
}

func TestReportInterimAnswers(t *testing.T) {
	t.Parallel()
	t.Run("ST-25: 103 has no framing", func(t *testing.T) {
		t.Parallel()
		o := newReportOrigin(t, reportAnswering(func(string, string) string {
			return "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 3\r\n\r\n" + reportOK
		}))
		g := startReport(t, o, "", "")
		c := g.client(t)
		c.say(reportGET("/"))
		early, last := c.answer("GET"), c.answer("GET")
		low := strings.ToLower(early.head)
		if early.code != 103 || !strings.Contains(low, "link:") || strings.Contains(low, "content-length") || strings.Contains(low, "transfer-encoding") {
			t.Errorf("the interim answer is %q", early.head)
		}
		if last.code != 200 || last.body != "ok" {
			t.Errorf("the answer is %q", last.head)
		}
	})
}

// Whoever refuses an upload refuses it before the client sends it.
func TestReportRefusedUploadIsNotSent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, request, top string
		code               int
	}{
		{"ST-05: the origin says 401", "POST /secret", "", 401},
		{"ST-05: no site", "POST /secret", "sites: { s: { hosts: [other.example] } }\nmappings: [{ site: s, cluster: app }]", 421},
		{"ST-05: no mapping", "POST /secret", "sites: { s: { hosts: [\"**\"] } }\nmappings: [{ site: s, prefix: /open, cluster: app }]", 404},
		{"ST-05: too large", "POST /secret", "limits: { body_bytes: 1MB }", 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				c.origin.file(c.head())
				c.say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
				c.in.ReadByte()
			})
			g := startReport(t, o, "", tt.top)
			c := g.client(t)
			c.say(tt.request + " HTTP/1.1\r\nHost: example.com\r\nExpect: 100-continue\r\nContent-Length: 10000000\r\n\r\n")
			if a := c.answer("POST"); a.code != tt.code || a.err != nil || !strings.Contains(a.head, "\r\nConnection: close\r\n") || !c.ended() {
				t.Errorf("answered %q %v, want %d at once and the end", a.head, a.err, tt.code)
			}
		})
	}
}

// A client that goes silent in its body is let go.
func TestReportSilentUploadsEnd(t *testing.T) {
	t.Parallel()
	t.Run("ST-06: 408 and the end", func(t *testing.T) {
		t.Parallel()
		const n = 50
		o := newReportOrigin(t, func(c *reportConn) {
			c.origin.file(c.head())
			c.say("HTTP/1.1 100 Continue\r\n\r\n")
			io.Copy(io.Discard, c.in)
		})
		g := startReport(t, o, "", "timeouts: { body_idle: 300ms }")
		conns := make([]*reportConn, n)
		for i := range conns {
			conns[i] = g.client(t)
			conns[i].say("POST / HTTP/1.1\r\nHost: example.com\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
		}
		for i, c := range conns {
			if a := c.answer("POST"); a.code != 100 {
				t.Fatalf("client %d got %q, want 100", i, a.head)
			}
			c.say("0123456789")
		}
		for i, c := range conns {
			if a := c.answer("POST"); a.code != 408 || !c.ended() {
				t.Errorf("client %d got %q, want 408 and the end", i, a.head)
			}
			c.Close()
		}
		awaitReport(t, "the end of all connections", func() bool {
			open, _ := g.openConns()
			_, atOrigin := o.conns()
			return open == 0 && atOrigin == 0 && g.Status().Origins[0].Load == 0
		})
	})
}

// An answer that came before the upload's end reaches the client.
func TestReportEarlyAnswersOfOrigins(t *testing.T) {
	t.Parallel()
	const repeats = 40
	for _, tt := range []struct {
		name   string
		code   int
		size   int
		expect bool
		linger bool // the origin reads on for a moment before it closes
	}{
		{"ST-12: 413 and close", 413, 28 << 20, false, false},
		{"ST-12: 413 and close, with Expect", 413, 28 << 20, true, false},
		{"ST-13: 404 and a short linger", 404, 8 << 20, false, true},
		{"ST-13: 404 and a short linger, small", 404, 100 << 10, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				c.head()
				c.say(fmt.Sprintf("HTTP/1.1 %d No\r\nConnection: close\r\nContent-Length: 6\r\n\r\nno way", tt.code))
				if tt.linger {
					c.CloseWrite()
					io.CopyN(io.Discard, c.in, 128<<10)
				}
			})
			g := startReport(t, o, "", "")
			for i := range repeats {
				c := g.client(t)
				head := fmt.Sprintf("PUT /%d HTTP/1.1\r\nHost: example.com\r\nContent-Length: %d\r\n", i, tt.size)
				if tt.expect {
					c.say(head + "Expect: 100-continue\r\n\r\n")
				} else {
					c.say(head + "\r\n")
					go reportUpload(c, tt.size)
				}
				a := c.answer("PUT")
				c.Close()
				if a.code != tt.code || a.body != "no way" || a.err != nil {
					t.Fatalf("upload %d was answered %q %q %v, want %d", i, a.head, a.body, a.err, tt.code)
				}
			}
		})
	}
}

// reportUpload sends n bytes, as long as somebody takes them.
func reportUpload(c *reportConn, n int) {
	piece := []byte(strings.Repeat("u", 64<<10))
	for n > 0 {
		k, err := c.Write(piece[:min(n, len(piece))])
		if err != nil {
			return
		}
		n -= k
	}
}

// A refusal is seen also by a client that reads only after it has written.
func TestReportEarlyRefusalsAreSeen(t *testing.T) {
	t.Parallel()
	const repeats = 500
	body := strings.Repeat("b", 36<<10)
	for _, tt := range []struct {
		name, request, top string
		code               int
	}{
		{"ST-29: 404", "POST /closed HTTP/1.1\r\nHost: example.com\r\nContent-Length: 36864\r\n\r\n", "", 404},
		{"ST-29: 404, close", "POST /closed HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nContent-Length: 36864\r\n\r\n", "", 404},
		{"ST-29: 421", "POST / HTTP/1.1\r\nHost: other.example\r\nContent-Length: 36864\r\n\r\n", "", 421},
		{"ST-29: 413", "POST /open HTTP/1.1\r\nHost: example.com\r\nContent-Length: 36864\r\n\r\n", "limits: { body_bytes: 1KiB }", 413},
		{"ST-29: 400", "POST / HTTP/1.1\r\nHost: example.com\r\nX Y: 1\r\nContent-Length: 36864\r\n\r\n", "", 400},
		{"ST-29: 405", "TRACE / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 36864\r\n\r\n", "", 405},
		{"ST-29: 501", "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: gzip\r\n\r\n", "", 501},
		{"ST-29: the origin's 403", "POST /open HTTP/1.1\r\nHost: example.com\r\nContent-Length: 36864\r\n\r\n", "", 403},
		{"ST-29: the origin's 403, close", "POST /open HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nContent-Length: 36864\r\n\r\n", "", 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				for {
					head := c.head()
					if head == "" {
						return
					}
					c.say("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno") // before it has the body
					c.content(head, false)
				}
			})
			g := startReport(t, o, "", tt.top+`
sites: { s: { hosts: [example.com] } }
mappings: [{ site: s, prefix: /open, cluster: app }]`)
			late := 0 // clients that this machine held up for longer than the gateway reads on
			for i := range repeats {
				began := time.Now()
				err := writesThenReads(g.client(t), tt.request, body, tt.code)
				if err != nil && time.Since(began) > lingerTime {
					late++
				} else if err != nil {
					t.Fatalf("client %d: %v", i, err)
				}
			}
			if late > repeats/10 {
				t.Errorf("%d of %d clients were not refused in time", late, repeats)
			}
		})
	}
}

// writesThenReads sends a request with its body in pieces, and only then reads the
// answer, which has to have the code.
func writesThenReads(c *reportConn, request, body string, code int) error {
	defer c.Close()
	if err := c.say(request); err != nil {
		return err
	}
	for rest := body; len(rest) > 0; rest = rest[4<<10:] {
		if err := c.say(rest[:4<<10]); err != nil {
			return fmt.Errorf("cannot send: %w", err)
		}
	}
	if a := c.answer("POST"); a.code != code || a.err != nil {
		return fmt.Errorf("got %q %v, want %d", a.head, a.err, code)
	}
	return nil
}

// An answer that breaks off is seen to break off.
func TestReportCutAnswers(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 20<<20)
	const ok = "HTTP/1.1 200 OK\r\n"
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	for _, tt := range []struct {
		name, answer string
		sent         int  // of answer
		stall        bool // instead of closing
		body         int  // content that the client gets, at most
		whole        bool
	}{
		{"ST-09: chunked, one chunk", ok + "Transfer-Encoding: chunked\r\n\r\n" + chunk("part1"), -1, false, 5, false},
		{"ST-09: chunked, inside a chunk", ok + "Transfer-Encoding: chunked\r\n\r\na\r\npart1", -1, false, 5, false},
		{"ST-09: chunked, before the last line", ok + "Transfer-Encoding: chunked\r\n\r\n" + chunk("part1") + "0\r\n", -1, false, 5, false},
		{"ST-28: 2 KiB", ok + "Content-Length: 2048\r\n\r\n" + large[:2048], -1, false, 2048, true},
		{"ST-28: 20 MiB", ok + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(large)) + large, -1, false, len(large), true},
		{"ST-28: chunked", ok + "Transfer-Encoding: chunked\r\n\r\n" + chunk(large[:1<<20]) + chunk("end") + "0\r\n\r\n", -1, false, 1<<20 + 3, true},
		{"ST-28: 2 KiB, cut", ok + "Content-Length: 2048\r\n\r\n" + large[:2047], -1, false, 2047, false},
		{"ST-28: 20 MiB, cut", ok + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(large)) + large[:15<<20], -1, false, 15 << 20, false},
		{"ST-28: chunked, cut", ok + "Transfer-Encoding: chunked\r\n\r\n" + chunk(large[:1<<20]), -1, false, 1 << 20, false},
		{"ST-28: 2 KiB, stalled", ok + "Content-Length: 2048\r\n\r\n" + large[:1000], -1, true, 1000, false},
		{"ST-28: 20 MiB, stalled", ok + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(large)) + large[:15<<20], -1, true, 15 << 20, false},
		{"ST-28: chunked, stalled", ok + "Transfer-Encoding: chunked\r\n\r\n" + chunk(large[:1<<20]), -1, true, 1 << 20, false},
		{"ST-27: chunked, without the last chunk", ok + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunk("hello"), -1, false, 5, false},
		{"ST-27: chunked, raw behind a good chunk", ok + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunk("hello") + "<html>", -1, false, 5, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				for {
					if head, _ := c.request(); head == "" {
						return
					}
					c.say(tt.answer)
					if tt.stall {
						c.in.ReadByte()
					}
					if !tt.whole {
						return
					}
				}
			})
			g := startReport(t, o, ", body_idle_timeout: 400ms, retry: { retries: 0 }", "")
			c := g.client(t)
			c.say(reportGET("/"))
			a := c.answer("GET")
			if a.code != 200 || len(a.body) > tt.body || tt.whole && (a.err != nil || len(a.body) != tt.body) {
				t.Errorf("answered %q with %d bytes, %v; want %d", a.head, len(a.body), a.err, tt.body)
			}
			if strings.Trim(a.body, "x") != "" && !strings.HasPrefix("part1hello", a.body) && a.body[max(0, len(a.body)-3):] != "end" && !strings.HasPrefix("hello", a.body) {
				t.Errorf("the client got other bytes: %.80q", a.body)
			}
			if !tt.whole && (a.err == nil || !c.ended()) {
				t.Errorf("the client saw no cut after %d bytes", len(a.body))
			}
			want := any("answer_cut")
			if tt.whole {
				want = ""
			}
			if r := g.logged(t, "/"); r["reason"] != want {
				t.Errorf("logged %v, want %q", r["reason"], want)
			}
			if tt.whole {
				awaitReport(t, "the origin's connection in the pool", func() bool { return g.Status().Origins[0].Idle == 1 })
			} else {
				awaitReport(t, "its end", func() bool { _, open := o.conns(); return open == 0 })
			}
		})
	}
}

// What is broken before anything was passed on is answered with 502.
func TestReportAnswersBrokenFromTheStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body string }{
		{"ST-27: raw content where chunks were promised", "<html>hello</html>"},
		{"ST-27: a blank line", "\r\n"},
		{"ST-27: a size that is too large", "fffffffffffffffff\r\nhello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				c.request()
				c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + tt.body)
			})
			g := startReport(t, o, "", "")
			c := g.client(t)
			c.say(reportGET("/"))
			a := c.answer("GET")
			if a.code != 502 || strings.Contains(a.body, "hello") {
				t.Errorf("answered %q %q, want 502", a.head, a.body)
			}
			if r := g.logged(t, "/"); r["reason"] != "bad_answer" {
				t.Errorf("logged %v, want bad_answer", r["reason"])
			}
		})
	}
}

func TestReportLastPieceArrives(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		frame func(part string, last bool) string
		head  string
	}{
		{"ST-18: chunked", func(p string, last bool) string {
			if p = fmt.Sprintf("%x\r\n%s\r\n", len(p), p); last {
				p += "0\r\n\r\n"
			}
			return p
		}, "Transfer-Encoding: chunked"},
		{"ST-18: of known length", func(p string, _ bool) string { return p }, "Content-Length: 20"},
		{"ST-18: until the end", func(p string, _ bool) string { return p }, "Connection: close"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts := []string{"data: 1\n", "data: 2\n", "da", "3\n"}
			next := make(chan bool, 1)
			o := newReportOrigin(t, func(c *reportConn) {
				c.request()
				c.say("HTTP/1.1 200 OK\r\n" + tt.head + "\r\n\r\n")
				for i, p := range parts {
					c.say(tt.frame(p, i == len(parts)-1))
					if i < len(parts)-1 {
						<-next
					}
				}
			})
			g := startReport(t, o, "", "")
			c := g.client(t)
			c.say(reportGET("/"))
			var got strings.Builder
			for at := 0; at < len(parts)-1; at++ { // each part arrives before the next is sent
				for strings.Count(got.String(), parts[at]) == 0 {
					b, err := c.in.ReadByte()
					if err != nil {
						t.Fatalf("after %q: %v", got.String(), err)
					}
					got.WriteByte(b)
				}
				next <- true
			}
			c.CloseWrite()
			rest, _ := io.ReadAll(c.in)
			if all := got.String() + string(rest); !strings.Contains(all, "3\n") {
				t.Errorf("the last part is missing: %q", all)
			}
		})
	}
}
