package gateway

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sampleRecord is an exchange as the walk records it.
func sampleRecord() *accessRecord {
	r := &accessRecord{
		time:     time.Date(2026, 11, 29, 12, 30, 5, 123456789, time.FixedZone("", 3600)),
		duration: 12345678 * time.Nanosecond, firstByte: 2 * time.Millisecond,
		listener: "https", site: "shop", mapping: "2", cluster: "shop", origin: "web1",
		status: 200, cache: "hit", attempts: 1, bytesIn: 7, bytesOut: 1024,
		client: netip.MustParseAddr("203.0.113.9"), peer: netip.MustParseAddr("::ffff:10.0.0.1"),
		tls: true, minor: 1,
	}
	r.cloneText(accessMethod, []byte("GET"))
	r.cloneText(accessTarget, []byte("/a?b"))
	r.cloneText(accessHost, []byte("shop.example"))
	r.cloneText(accessUserAgent, []byte("curl/8"))
	r.cloneText(accessReferer, []byte("https://x.example/"))
	r.cloneText(accessRequestID, []byte("01JD"))
	return r
}

func TestAccessLines(t *testing.T) {
	empty := &accessRecord{minor: -1, time: time.Unix(0, 0).UTC()}
	long := sampleRecord()
	long.cloneText(accessTarget, bytes.Repeat([]byte("a"), accessLimits[accessTarget]+1))
	cut := strings.Repeat("a", accessLimits[accessTarget])
	coded := sampleRecord()
	coded.coding = "br"
	gone := sampleRecord()
	gone.status, gone.firstByte, gone.bytesOut, gone.reason = 0, 0, 0, "client-gone"

	timed := sampleRecord()
	timed.cacheDetail = cacheDetail{'S', true, time.Minute, 30*time.Second + 1, 76*time.Second - 1}

	assembled := sampleRecord()
	assembled.page = accessPage{true, 5, 2, 1}

	for _, tt := range []struct {
		name           string
		record         *accessRecord
		json, combined string
	}{
		{
			"everything is known", sampleRecord(),
			`{"time":"2026-11-29T11:30:05.123456Z","listener":"https","site":"shop","mapping":"2","cluster":"shop","origin":"web1","session":"","attempts":1,` +
				`"method":"GET","target":"/a?b","host":"shop.example","protocol":"HTTP/1.1",` +
				`"status":200,"reason":"","cache":"hit","duration_ms":12.345,"waited_ms":0.000,"first_byte_ms":2.000,"bytes_in":7,"bytes_out":1024,` +
				`"client":"203.0.113.9","peer":"10.0.0.1","user_agent":"curl/8","referer":"https://x.example/","request_id":"01JD","tls":true}`,
			`203.0.113.9 - - [29/Nov/2026:12:30:05 +0100] "GET /a?b HTTP/1.1" 200 1024 "https://x.example/" "curl/8"`,
		},
		{
			"nothing is known", empty,
			`{"time":"1970-01-01T00:00:00.000000Z","listener":"","site":"","mapping":"","cluster":"","origin":"","session":"","attempts":0,` +
				`"method":"","target":"","host":"","protocol":"",` +
				`"status":499,"reason":"","cache":"","duration_ms":0.000,"waited_ms":0.000,"first_byte_ms":null,"bytes_in":0,"bytes_out":0,` +
				`"client":"","peer":"","user_agent":"","referer":"","request_id":"","tls":false}`,
			`- - - [01/Jan/1970:00:00:00 +0000] "- - -" 499 - "-" "-"`,
		},
		{
			"in a coding", coded,
			`"reason":"","cache":"hit","coding":"br","duration_ms":12.345,`,
			`"GET /a?b HTTP/1.1" 200 1024 "`,
		},
		{ // OB-01: the status of a client that has gone was 0.
			"client gone is 499", gone,
			`"status":499,"reason":"client-gone","cache":"hit","duration_ms":12.345,"waited_ms":0.000,"first_byte_ms":null,`,
			`"GET /a?b HTTP/1.1" 499 - "`,
		},
		{
			"what the cache did, with times", timed,
			`"tls":true,"cache_detail":"S max-age=60+30;age=75"}`,
			`"GET /a?b HTTP/1.1" 200 1024 "https://x.example/" "curl/8"` + "\n",
		},
		{
			"a page of fragments", assembled,
			`"tls":true,"fragments":5,"fragments_recovered":2,"fragments_failed":1}`,
			`"GET /a?b HTTP/1.1" 200 1024 "https://x.example/" "curl/8"` + "\n",
		},
		{
			"oversized target is cut and marked", long,
			`"tls":true,"cut":["target"]}`,
			` ` + cut + `\... HTTP/1.1" 200 1024`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, want := range map[string]string{"json": tt.json, "combined": tt.combined} {
				got := string(accessFormats[name](nil, tt.record))
				if !strings.Contains(got, want) || strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
					t.Errorf("%s:\n got %s\nwant %s", name, got, want)
				}
			}
		})
	}
}

// OB-02, OB-03: bytes of clients broke lines and forged others.
func TestAccessEscapes(t *testing.T) {
	for _, tt := range []struct{ name, sent, json, combined string }{
		{"quote", `a" 200 0 "x`, `a\" 200 0 \"x`, `a\" 200 0 \"x`},
		{"backslash", `a\nb`, `a\\nb`, `a\\nb`},
		{"line end", "a\r\nFAKE", `a\u000d\u000aFAKE`, `a\r\nFAKE`},
		{"encoded line end stays encoded", "/%0d%0aFAKE", "/%0d%0aFAKE", "/%0d%0aFAKE"},
		{"tab, bell, vertical tab, form feed", "\t\a\v\f\b", `\u0009\u0007\u000b\u000c\u0008`, `\t\x07\v\x0c\b`},
		{"escape sequence", "\x1b[31m", `\u001b[31m`, `\x1b[31m`},
		{"nul and delete", "\x00\x7f", `\u0000\u007f`, `\x00\x7f`},
		{"byte that is no text", "\xff", `\u00ff`, `\xff`},
		{"text beyond ASCII, byte by byte", "é", `\u00c3\u00a9`, `\xc3\xa9`},
		{"a dash is not an absent text", "-", "-", `\x2d`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := sampleRecord()
			r.cloneText(accessUserAgent, []byte(tt.sent))
			if got := string(appendAccessJSON(nil, r)); !strings.Contains(got, `"user_agent":"`+tt.json+`",`) {
				t.Errorf("json: want %s in %s", tt.json, got)
			}
			if got := string(appendAccessCombined(nil, r)); !strings.HasSuffix(got, ` "`+tt.combined+"\"\n") {
				t.Errorf("combined: want %s at the end of %s", tt.combined, got)
			}
		})
	}
}

func TestNamesOfTheConfigurationAreUTF8(t *testing.T) {
	for name, want := range map[string]string{
		"köln":               `"köln"`,
		"a\"b\\c":            `"a\"b\\c"`,
		"a\nb\u2028c\u0085d": `"a\u000ab\u2028c\u0085d"`,
		"\xff":               `"` + "\ufffd" + `"`,
		"😀":                  `"😀"`,
	} {
		if got := string(appendJSONName(nil, name)); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

// latin1 gives back the bytes whose text stands in a JSON line.
func latin1(t *testing.T, text string) []byte {
	t.Helper()
	var b []byte
	for _, c := range text {
		if c > 0xff {
			t.Fatalf("character %U stands for no byte", c)
		}
		b = append(b, byte(c))
	}
	return b
}

// unescapeCombined reads a text of a combined line back.
func unescapeCombined(t *testing.T, text string) []byte {
	t.Helper()
	if text == "-" {
		return nil
	}
	s, err := strconv.Unquote(`"` + text + `"`) // Apache's escapes are a part of Go's
	if err != nil {
		t.Fatalf("text %q: %v", text, err)
	}
	return []byte(s)
}

// combinedParts are the quoted parts of a combined line: request line, referer
// and user agent.
func combinedParts(line string) []string {
	var parts []string
	var part []byte
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' && quoted:
			parts, part, quoted = append(parts, string(part)), nil, false
		case c == '"':
			quoted = true
		case c == '\\':
			part = append(part, c, line[i+1])
			i++
		case quoted:
			part = append(part, c)
		}
	}
	return parts
}

// FuzzAccessLine: whatever bytes a client sends, a record is one line of
// printable ASCII, and what was sent can be read back from it.
func FuzzAccessLine(f *testing.F) {
	f.Add([]byte("/a"), []byte("curl"), []byte(""))
	f.Add([]byte("/%0d%0aFAKE\r\n"), []byte(`a" 200 0 "x\`), []byte("\x00\x1b[31m\xff-"))
	f.Add([]byte("/a b"), []byte("-"), []byte(`\x2d`))
	f.Fuzz(func(t *testing.T, target, agent, referer []byte) {
		target = target[:min(len(target), accessLimits[accessTarget])]
		agent = agent[:min(len(agent), accessLimits[accessUserAgent])]
		referer = referer[:min(len(referer), accessLimits[accessReferer])]
		r := sampleRecord()
		r.cloneText(accessTarget, target)
		r.cloneText(accessUserAgent, agent)
		r.cloneText(accessReferer, referer)
		checkJSONLine(t, oneLine(t, appendAccessJSON(nil, r)), target, agent, referer)
		checkCombinedLine(t, oneLine(t, appendAccessCombined(nil, r)), target, agent, referer)
	})
}

// oneLine checks that a rendered record is one line of printable ASCII.
func oneLine(t *testing.T, rendered []byte) string {
	t.Helper()
	line, rest, ended := strings.Cut(string(rendered), "\n")
	if !ended || rest != "" {
		t.Fatalf("not one line: %q", rendered)
	}
	for i := range len(line) {
		if line[i] < ' ' || line[i] > '~' {
			t.Fatalf("byte %#x in the line %q", line[i], line)
		}
	}
	return line
}

func checkJSONLine(t *testing.T, line string, target, agent, referer []byte) {
	t.Helper()
	var got struct {
		Target    string `json:"target"`
		UserAgent string `json:"user_agent"`
		Referer   string `json:"referer"`
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if !bytes.Equal(latin1(t, got.Target), target) || !bytes.Equal(latin1(t, got.UserAgent), agent) || !bytes.Equal(latin1(t, got.Referer), referer) {
		t.Fatalf("%q, %q, %q came back as %+v", target, agent, referer, got)
	}
}

func checkCombinedLine(t *testing.T, line string, target, agent, referer []byte) {
	t.Helper()
	parts := combinedParts(line)
	if len(parts) != 3 {
		t.Fatalf("%d quoted parts in %s", len(parts), line)
	}
	request := strings.Split(parts[0], " ")
	if len(request) != 3 || request[0] != "GET" || request[2] != "HTTP/1.1" {
		t.Fatalf("request line %q", parts[0])
	}
	for i, sent := range [][]byte{target, referer, agent} {
		shown := []string{request[1], parts[1], parts[2]}[i]
		if got := unescapeCombined(t, strings.ReplaceAll(shown, `\"`, `\x22`)); !bytes.Equal(got, sent) {
			t.Fatalf("%q came back as %q from %s", sent, got, shown)
		}
	}
}

// BenchmarkAccessJSON has a budget of 1 µs/op and 0 allocs/op; it runs in the writer.
func BenchmarkAccessJSON(b *testing.B) {
	r := sampleRecord()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = appendAccessJSON(dst[:0], r)
	}
}
