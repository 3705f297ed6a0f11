package gateway

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weirkeep/gateway/metrics"
)

// A client that leaves is told apart from an origin that fails.
func TestReportClientsThatLeave(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		leave func(c *reportConn)
	}{
		{"OB-01: by a reset", func(c *reportConn) { c.SetLinger(0); c.Close() }},
		{"OB-01: by closing", func(c *reportConn) { c.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, func(c *reportConn) {
				c.request()
				c.in.ReadByte() // never answers
			})
			g := startReport(t, o, "", "")
			c := g.client(t)
			c.say(reportGET("/slow"))
			awaitReport(t, "the request at the origin", func() bool { return len(o.seen()) == 1 })
			tt.leave(c)
			r := g.logged(t, "/slow")
			if r["status"] != 499.0 || r["reason"] != "client_gone" || r["origin"] != o.addr || r["attempts"] != 1.0 {
				t.Errorf("logged %v", r)
			}
			if ms, _ := r["duration_ms"].(float64); ms <= 0 {
				t.Errorf("logged a duration of %v", r["duration_ms"])
			}
			status := g.Status().Origins[0]
			if status.Failures != 0 || !status.Up {
				t.Errorf("the origin has %d failures, up: %v", status.Failures, status.Up)
			}
			awaitReport(t, "the end of the origin's connection", func() bool { _, open := o.conns(); return open == 0 })
			for l, m := range g.Metrics().Current().Mappings() {
				if l.Mapping != "" && (m.Exchanges[4].Load() != 1 || m.Exchanges[5].Load() != 0 || m.Exchanges[0].Load() != 0) {
					t.Error("the exchange is not counted as 4xx")
				}
			}
		})
	}
}

// reportJSONText undoes the access log's escapes: a character stands for a byte.
func reportJSONText(v any) string {
	var b strings.Builder
	for _, c := range v.(string) {
		b.WriteByte(byte(c))
	}
	return b.String()
}

// Whatever a client sends, a request is one valid line, and can be read back.
func TestReportOneLineEach(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, target, agent, referer string }{
		{"OB-02: quotes", "/", `a" 200 0 "x`, `b"c`},
		{"OB-02: backslashes", "/", `a\"b\\`, `\n\x41`},
		{"OB-02: a tab", "/", "a\tb", "\tx\ty"},
		{"OB-02: bytes that are no text", "/", "a\xff\xfe\xc3\x28", "\x80"},
		{"OB-02: a line separator", "/", "a\u2028b\u2029c\u0085d", "\u202e"},
		{"OB-02: markup", "/<script>", "</script>", "&quot;"},
		{"OB-03: an escaped line end", "/%0d%0aFAKE:%20LINE", "a", "b"},
		{"OB-03: in the query", "/?a=%0d%0aFAKE%00%1b[31m", "a", "b"},
		{"OB-03: a quote in the target", `/a"b\c`, "a", "b"},
		{"OB-03: long", "/" + strings.Repeat("%0a", 3000), strings.Repeat("u", 2000), strings.Repeat("r", 2000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := startReport(t, newReportOKOrigin(t), "", "")
			a := g.do(t, "GET "+tt.target+" HTTP/1.1\r\nHost: example.com\r\nUser-Agent: "+tt.agent+"\r\nReferer: "+tt.referer+"\r\n\r\n")
			awaitReport(t, "a record", func() bool { return len(g.log.lines()) > 0 })
			g.Close()
			lines := g.log.lines()
			if len(lines) != 1 {
				t.Fatalf("one request, answered %d, made %d lines: %q", a.code, len(lines), lines)
			}
			var r map[string]any
			if err := json.Unmarshal([]byte(lines[0]), &r); err != nil {
				t.Fatalf("%v: %s", err, lines[0])
			}
			for i := range len(lines[0]) {
				if c := lines[0][i]; c < ' ' || c > '~' {
					t.Fatalf("the line has the byte %#x", c)
				}
			}
			trim := func(s string) string { return strings.Trim(s, " \t") }
			for key, sent := range map[string]string{"target": tt.target, "user_agent": trim(tt.agent), "referer": trim(tt.referer)} {
				if got := reportJSONText(r[key]); !(got == sent || r["cut"] != nil && strings.HasPrefix(sent, got)) && a.code == 200 {
					t.Errorf("%s reads back as %q, was %q", key, got, sent)
				}
			}
		})
		t.Run(tt.name+", combined", func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReportYAML(t, strings.Replace(reportYAML(o, "", ""), "{ path: stderr }", "{ path: stderr, format: combined }", 1))
			a := g.do(t, "GET "+tt.target+" HTTP/1.1\r\nHost: example.com\r\nUser-Agent: "+tt.agent+"\r\nReferer: "+tt.referer+"\r\n\r\n")
			awaitReport(t, "a record", func() bool { return len(g.log.lines()) > 0 })
			g.Close()
			lines := g.log.lines()
			if len(lines) != 1 {
				t.Fatalf("one request made %d lines: %q", len(lines), lines)
			}
			parts := reportCombined(lines[0])
			if len(parts) != 3 || !strings.Contains(lines[0], `" `+strconv.Itoa(a.code)+" ") || strings.Count(parts[0], " ") != 2 {
				t.Errorf("the line has the quoted parts %q, want request, referer, agent: %s", parts, lines[0])
			}
		})
	}
	for _, field := range []string{"User-Agent: a\x00b", "Referer: a\x1b[31m", "User-Agent: a\rb", "Referer: a\x7f"} {
		t.Run(fmt.Sprintf("OB-02: refused %q", field), func(t *testing.T) {
			t.Parallel()
			g := startReport(t, newReportOKOrigin(t), "", "")
			if a := g.do(t, "GET / HTTP/1.1\r\nHost: example.com\r\n"+field+"\r\n\r\n"); a.code != 400 {
				t.Errorf("answered %q, want 400", a.head)
			}
			awaitReport(t, "a record", func() bool { return len(g.log.lines()) > 0 })
			g.Close()
			lines := g.log.lines()
			if len(lines) != 1 || !json.Valid([]byte(lines[0])) || strings.ContainsAny(lines[0], "\x00\x1b\r\x7f") {
				t.Errorf("logged %q", lines)
			}
		})
	}
}

// reportCombined cuts the quoted parts out of a line, as log readers do.
func reportCombined(line string) (parts []string) {
	open := -1
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '"' && open < 0:
			open = i + 1
		case line[i] == '"':
			parts, open = append(parts, line[open:i]), -1
		}
	}
	return parts
}

// reportSeries is how many children there are in all families.
func reportSeries(set *metrics.Set) (n int) {
	for range set.Mappings() {
		n++
	}
	for range set.Origins() {
		n++
	}
	for range set.Listeners() {
		n++
	}
	return n
}

// Labels come from the configuration alone, and there is a bound to them.
func TestReportLabelsAreBounded(t *testing.T) {
	t.Parallel()
	t.Run("OB-05: requests make no series", func(t *testing.T) {
		t.Parallel()
		g := startReport(t, newReportOKOrigin(t), "", "")
		before := reportSeries(g.Metrics().Current())
		for i := range 50 {
			g.do(t, fmt.Sprintf("M%d /p%d?q=%d HTTP/1.1\r\nHost: h%d.example\r\nX-Request-Id: r%d\r\nX-L%d: v\r\n\r\n", i, i, i, i, i, i))
		}
		if after := reportSeries(g.Metrics().Current()); after != before {
			t.Errorf("50 requests made %d series", after-before)
		}
	})
	t.Run("OB-05: a configuration makes a bounded number", func(t *testing.T) {
		t.Parallel()
		r := metrics.New(nil)
		set := r.NewSet()
		for i := range 20_000 {
			set.Origin(metrics.OriginLabels{Cluster: "c", Origin: strconv.Itoa(i)}).Attempts.Inc()
		}
		n, overflow := 0, uint64(0)
		for l, o := range set.Origins() {
			if n++; l.Origin == metrics.Overflow {
				overflow = o.Attempts.Load()
			}
		}
		if n > metrics.MaxSeries || overflow != uint64(20_000-n+1) || set.Overflowed() == 0 {
			t.Errorf("20000 origins made %d series, %d counted together, %d asked for too many", n, overflow, set.Overflowed())
		}
	})
}

// What is no longer configured is no longer shown.
func TestReportSeriesOfRemovedOriginsVanish(t *testing.T) {
	t.Parallel()
	t.Run("OB-06: 200 origins come and go", func(t *testing.T) {
		t.Parallel()
		o := newReportOKOrigin(t)
		g := startReport(t, o, "", "")
		before := reportSeries(g.Metrics().Current())
		text := reportYAML(o, "", "")
		for i := range 20 {
			var more strings.Builder
			for j := range 10 {
				fmt.Fprintf(&more, ", { address: \"127.0.0.1:%d\" }", 20_000+10*i+j)
			}
			apply(t, g.Gateway, strings.Replace(text, "\" }] }", "\" }"+more.String()+"] }", 1))
			if n := reportSeries(g.Metrics().Current()); n > before+12 {
				t.Fatalf("after reload %d there are %d series", i, n)
			}
		}
		apply(t, g.Gateway, text)
		series := reportSeries(g.Metrics().Current())
		origins := len(g.Status().Origins)
		if a := g.do(t, reportGET("/")); series > before+1 || origins != 1 || a.code != 200 {
			t.Errorf("there are %d series and %d origins, want %d and 1; answered %q", series, origins, before, a.head)
		}
	})
}
