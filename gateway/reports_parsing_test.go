package gateway

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

func TestReportHeaderNames(t *testing.T) {
	t.Parallel()
	o := newReportOKOrigin(t)
	g := startReport(t, o, "", "")
	for b := range 256 {
		c := string([]byte{byte(b)})
		if wire.IsToken([]byte(c)) {
			continue
		}
		for _, name := range []string{c + "X-Probe", "X" + c + "Probe"} {
			if name == "X:Probe" {
				continue // a name and its value
			}
			t.Run(fmt.Sprintf("H1-02: %q", name), func(t *testing.T) {
				a := g.do(t, "GET / HTTP/1.1\r\nHost: example.com\r\n"+name+": 1\r\n\r\n")
				if a.code != 400 {
					t.Errorf("answered %d, want 400", a.code)
				}
			})
		}
	}
	if seen := o.seen(); len(seen) > 0 {
		t.Errorf("the origin saw %q", seen)
	}
}

func TestReportTargetsPassAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, target, want string }{
		{"H1-04: escapes stay", "/enc/Y%2BY%2FY%3D/tail", "/enc/Y%2BY%2FY%3D/tail"},
		{"H1-04: also in the query", "/enc?a=%2B%2f&b=%0d%0a", "/enc?a=%2B%2f&b=%0d%0a"},
		{"H1-04: also of what needs none", "/%7euser/%41", "/%7euser/%41"},
		{"H1-06: doubled slashes stay", "/en//doc", "/en//doc"},
		{"H1-06: also in front", "//en///doc//", "//en///doc//"},
		{"H1-16: an escaped line end is no line end", "/limit/aa%3f0z=700%20HTTP/1.1%0D%0AHost:evil.example.net%0d%0a%0d%0a",
			"/aa%3f0z=700%20HTTP/1.1%0D%0AHost:evil.example.net%0d%0a%0d%0a"},
		{"H1-16: nor behind an escaped prefix", "/%6cimit/%0d%0aX-A:%201", "/%0d%0aX-A:%201"},
		{"H1-16: nor where a prefix ended", "/limit", "/"},
		{"H1-16: nor in a query", "/limit?%0d%0aX-A:%201", "/?%0d%0aX-A:%201"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, "", `
sites: { s: { hosts: ["**"] } }
mappings:
  - { site: s, prefix: /limit, strip_prefix: true, cluster: app }
  - { site: s, cluster: app }`)
			a := g.do(t, reportGET(tt.target))
			if a.code != 200 || a.body != "ok" {
				t.Fatalf("answered %q", a.head)
			}
			head := o.seen()[0]
			if line, _, _ := strings.Cut(head, "\r\n"); line != "GET "+tt.want+" HTTP/1.1" {
				t.Errorf("the origin got %q, want the target %q", line, tt.want)
			}
			if n := strings.Count(strings.ToLower(head), "\r\nhost:"); n != 1 || !strings.Contains(head, "\r\nHost: example.com\r\n") {
				t.Errorf("the origin got %d lines of Host: %q", n, head)
			}
		})
	}
}

// newReportNamedOrigin makes an origin that says its name and the Host it got.
func newReportNamedOrigin(tb testing.TB, name string) *reportOrigin {
	return newReportOrigin(tb, reportAnswering(func(head, _ string) string {
		_, host, _ := strings.Cut(head, "\r\nHost: ")
		host, _, _ = strings.Cut(host, "\r\n")
		body := name + " got " + host
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}))
}

func TestReportAbsoluteForm(t *testing.T) {
	t.Parallel()
	a, b := newReportNamedOrigin(t, "a"), newReportNamedOrigin(t, "b")
	g := startReportYAML(t, fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters:
  a: { origins: [{ address: %q }] }
  b: { origins: [{ address: %q }] }
sites: { a: { hosts: [a.example.com] }, b: { hosts: [b.example.com] } }
mappings: [{ site: a, cluster: a }, { site: b, cluster: b }]
`, a.addr, b.addr))
	for _, tt := range []struct {
		name, request string
		code          int
		body          string
	}{
		{"H1-08: the target's host wins", "GET http://a.example.com/x HTTP/1.1\r\nHost: b.example.com\r\n\r\n", 200, "a got a.example.com"},
		{"H1-08: either way round", "GET http://b.example.com/x HTTP/1.1\r\nHost: a.example.com\r\n\r\n", 200, "b got b.example.com"},
		{"H1-08: whatever its case", "GET HTTP://A.Example.com/x HTTP/1.1\r\nHost: b.example.com\r\n\r\n", 200, "a got A.Example.com"},
		{"H1-09: the origin gets the target's host", "GET http://a.example.com/ HTTP/1.1\r\nHost: attacker.example.net\r\n\r\n", 200, "a got a.example.com"},
		{"H1-09: an unknown one does not hide behind Host", "GET http://attacker.example.net/ HTTP/1.1\r\nHost: a.example.com\r\n\r\n", 421, ""},
		{"H1-09: nor one with a user", "GET http://a.example.com@attacker.example.net/ HTTP/1.1\r\nHost: a.example.com\r\n\r\n", 400, ""},
		{"H1-10: Host is missing", "GET / HTTP/1.1\r\n\r\n", 400, ""},
		{"H1-10: Host stands twice", "GET / HTTP/1.1\r\nHost: a.example.com\r\nHost: b.example.com\r\n\r\n", 400, ""},
		{"H1-10: Host stands twice, the same", "GET / HTTP/1.1\r\nHost: a.example.com\r\nHost: a.example.com\r\n\r\n", 400, ""},
		{"H1-10: Host is a list", "GET / HTTP/1.1\r\nHost: a.example.com, b.example.com\r\n\r\n", 400, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := g.do(t, tt.request)
			if got.code != tt.code || tt.body != "" && got.body != tt.body {
				t.Errorf("answered %d %q, want %d %q", got.code, got.body, tt.code, tt.body)
			}
		})
	}
}

func TestReportConnect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, request, reason string }{
		{"H1-10: CONNECT with another Host", "CONNECT api.example.com:443 HTTP/1.1\r\nHost: proxy.example.com:8080\r\n\r\n", "405 method_not_allowed"},
		{"H1-10: CONNECT with the same", "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n", "405 method_not_allowed"},
		{"H1-10: CONNECT without Host", "CONNECT api.example.com:443 HTTP/1.1\r\n\r\n", "400 bad_host"},
		{"H1-10: CONNECT with two", "CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\nHost: b.example.com:443\r\n\r\n", "400 bad_"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, "", "")
			a := g.do(t, tt.request)
			awaitReport(t, "a record", func() bool { return len(g.log.lines()) == 1 })
			status, reason, _ := strings.Cut(tt.reason, " ")
			if line := g.log.lines()[0]; fmt.Sprint(a.code) != status || !strings.Contains(line, `"status":`+status+`,"reason":"`+reason) {
				t.Errorf("answered %d and logged %s, want %s", a.code, line, tt.reason)
			}
			if len(o.seen()) > 0 {
				t.Errorf("the origin saw %q", o.seen())
			}
		})
	}
}

// reportCookies is a request whose head has about n bytes.
func reportCookies(target string, n int) string {
	var head strings.Builder
	head.WriteString("GET " + target + " HTTP/1.1\r\nHost: example.com\r\n")
	for i := 0; head.Len() < n-1100; i++ {
		fmt.Fprintf(&head, "Cookie: c%d=%s\r\n", i, strings.Repeat("v", 1000))
	}
	fmt.Fprintf(&head, "Cookie: last=%s\r\n\r\n", strings.Repeat("w", max(n-head.Len()-len("Cookie: last=\r\n\r\n"), 1)))
	return head.String()
}

func TestReportLongHeads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		limit string
		pass  []int // KiB, one after the other on one connection
		over  int   // KiB, the last
	}{
		{"H1-11: by default, 60 KiB is over", "", []int{3, 5, 12, 31, 3}, 60},
		{"H1-11: by default, 200 KiB is over", "", []int{12, 3}, 200},
		{"H1-11: just over the default", "", nil, 33},
		{"H1-11: with 64 KiB", "limits: { header_bytes: 64KiB }", []int{3, 5, 12, 60, 3, 60}, 200},
		{"H1-11: with 4 KiB", "limits: { header_bytes: 4KiB }", []int{3, 3}, 5},
		{"H1-11: with 256 KiB", "limits: { header_bytes: 256KiB, header_count: 512 }", []int{200, 3, 200}, 260},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, "", tt.limit)
			c := g.client(t)
			for _, kib := range tt.pass {
				c.say(reportCookies("/", kib<<10))
				if a := c.answer("GET"); a.code != 200 || a.body != "ok" {
					t.Fatalf("a head of %d KiB was answered %q", kib, a.head)
				}
			}
			c.say(reportCookies("/over", tt.over<<10))
			a := c.answer("GET")
			if a.code != 431 || !strings.Contains(a.head, "\r\nConnection: close\r\n") || !c.ended() {
				t.Errorf("a head of %d KiB was answered %q, want 431 and the end", tt.over, a.head)
			}
			awaitReport(t, "a record of the 431", func() bool {
				lines := g.log.lines()
				return len(lines) == len(tt.pass)+1 && strings.Contains(lines[len(tt.pass)], `"status":431,"reason":"head_too_large"`)
			})
			if n := len(o.seen()); n != len(tt.pass) {
				t.Errorf("the origin saw %d requests, want %d", n, len(tt.pass))
			}
		})
	}
}

// A long head may come in any pieces, with a body behind it and others around it.
func TestReportLongHeadsInPieces(t *testing.T) {
	t.Parallel()
	long := func(target string, kib int) string {
		head := reportCookies(target, kib<<10)
		return "POST" + strings.TrimSuffix(strings.TrimPrefix(head, "GET"), "\r\n") + "Content-Length: 5\r\n\r\nhello"
	}
	all := reportGET("/0") + long("/1", 20) + long("/2", 7) + reportGET("/3") + long("/4", 8) + long("/5", 30) + reportGET("/6")
	for _, piece := range []int{700, 8191, 8192, 8193, 16 << 10, len(all)} {
		t.Run(fmt.Sprintf("H1-11: in pieces of %d bytes", piece), func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, reportAnswering(func(head, body string) string {
				text := strings.Fields(head)[1] + body
				return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
			}))
			g := startReport(t, o, "", "")
			c := g.client(t)
			go func() {
				for rest := all; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
					c.say(rest[:min(piece, len(rest))])
					runtime.Gosched()
				}
			}()
			for i, want := range []string{"/0", "/1hello", "/2hello", "/3", "/4hello", "/5hello", "/6"} {
				if a := c.answer("GET"); a.code != 200 || a.body != want {
					t.Fatalf("answer %d is %q %q, want %q", i, a.head, a.body, want)
				}
			}
		})
	}
}

// It runs alone: what others hold would count too.
func TestReportIdleMemory(t *testing.T) {
	const idle = 100
	t.Run("H1-11: idle connections do not hold what heads may have", func(t *testing.T) {
		small, large := reportIdleMemory(t, idle, "4KiB"), reportIdleMemory(t, idle, "1MiB")
		if more := (large - small) / idle; more > 64<<10 {
			t.Errorf("an idle connection holds %d KiB more with a limit of 1 MiB than with one of 4 KiB", more>>10)
		}
	})
}

// reportIdleMemory is what n connections hold after an exchange each.
func reportIdleMemory(t *testing.T, n int, limit string) int64 {
	g := startReport(t, newReportOKOrigin(t), "", "limits: { header_bytes: "+limit+" }")
	g.do(t, reportGET("/"))
	before := reportHeap()
	conns := make([]*reportConn, n)
	for i := range conns {
		conns[i] = g.client(t)
		conns[i].say(reportGET("/"))
		if a := conns[i].answer("GET"); a.code != 200 {
			t.Fatalf("answered %q", a.head)
		}
	}
	awaitReport(t, "idle connections", func() bool {
		_, busy := g.openConns()
		return busy == 0
	})
	held := reportHeap() - before
	for _, c := range conns {
		c.Close()
	}
	awaitReport(t, "their end", func() bool {
		open, _ := g.openConns()
		return open == 0
	})
	return held
}

// reportHeap is what is reachable: pools have lost what they held.
func reportHeap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestReportLongAnswerHeads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		fields string
		code   int
		reason string
	}{
		{"H1-12: one of 9 KiB", "P3p: " + strings.Repeat("p", 9<<10) + "\r\n", 200, ""},
		{"H1-12: 70 of 1 KiB", strings.Repeat("X-Csp: "+strings.Repeat("c", 1<<10)+"\r\n", 70), 200, ""},
		{"H1-12: one of 1 MiB", "P3p: " + strings.Repeat("p", 1<<20) + "\r\n", 502, "answer_too_large"},
		{"H1-12: 1000 of 1 KiB", strings.Repeat("X-Csp: "+strings.Repeat("c", 1<<10)+"\r\n", 1000), 502, "answer_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, reportAnswering(func(head, _ string) string {
				if strings.HasPrefix(head, "GET /after ") {
					return reportOK
				}
				return "HTTP/1.1 200 OK\r\n" + tt.fields + "Content-Length: 2\r\n\r\nok"
			}))
			g := startReport(t, o, "", "")
			a := g.do(t, reportGET("/"))
			if a.code != tt.code || tt.code == 200 && !strings.Contains(a.head, tt.fields) {
				t.Errorf("answered %d with %d bytes of head, want %d", a.code, len(a.head), tt.code)
			}
			if r := g.logged(t, "/"); r["reason"] != tt.reason {
				t.Errorf("logged %v, want %q", r["reason"], tt.reason)
			}
			if a := g.do(t, reportGET("/after")); a.code != 200 || !g.Status().Origins[0].Up {
				t.Errorf("then answered %q; the origin is up: %v", a.head, g.Status().Origins[0].Up)
			}
		})
	}
}

func TestReportNoWayAroundAPrefix(t *testing.T) {
	t.Parallel()
	admin, open := newReportNamedOrigin(t, "admin"), newReportNamedOrigin(t, "open")
	g := startReportYAML(t, fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
clusters:
  admin: { origins: [{ address: %q }] }
  open: { origins: [{ address: %q }] }
sites: { s: { hosts: ["**"] } }
mappings: [{ site: s, prefix: /admin, cluster: admin }, { site: s, cluster: open }]
`, admin.addr, open.addr))
	for _, tt := range []struct{ name, target, want string }{
		{"H1-14: the prefix itself", "/admin/", "admin"},
		{"H1-14: an escaped letter is that letter", "/%61dmin/", "admin"},
		{"H1-14: all of them", "/%61%64%6d%69%6E/x", "admin"},
		{"H1-14: an escaped slash is kept, for both", "/x%2F..admin", "open"},
		{"H1-14: dots behind an escaped slash", "/x%2F../admin/", "400"},
		{"H1-14: dots that are escaped", "/x/%2e%2e/admin/", "400"},
		{"H1-14: a backslash", `/x\..\admin/`, "400"},
		{"H1-14: an escaped backslash with dots", "/x%5c..%5cadmin/", "400"},
		{"H1-14: dots before a parameter", "/x/..;/admin/", "400"},
		{"H1-14: an escaped NUL", "/x%00/admin/", "400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := g.do(t, reportGET(tt.target))
			if got := strings.TrimSuffix(a.body, " got example.com"); got != tt.want && fmt.Sprint(a.code) != tt.want {
				t.Errorf("answered %d %q, want %s", a.code, got, tt.want)
			}
		})
	}
	// What an origin that decodes would take for /admin/ is never a match of the
	// open mapping with the bytes of the other one.
	for _, target := range []string{"/admin%2F", "/admin%5c", "/admin%3b", "/admin%3f", "/admin%23"} {
		t.Run("H1-14: "+target+" is matched by the bytes that are sent on", func(t *testing.T) {
			a := g.do(t, reportGET(target))
			o := map[string]*reportOrigin{"admin got example.com": admin, "open got example.com": open}[a.body]
			if o == nil {
				if a.code != 400 {
					t.Errorf("answered %d %q", a.code, a.body)
				}
				return
			}
			seen := o.seen()
			if line, _, _ := strings.Cut(seen[len(seen)-1], "\r\n"); line != "GET "+target+" HTTP/1.1" {
				t.Errorf("the origin got %q", line)
			}
		})
	}
}
