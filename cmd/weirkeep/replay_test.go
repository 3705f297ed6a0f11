package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weirkeep/gateway"
)

// replayKey is the key of the hashes of these tests.
const replayKey = "a key of these tests, and of nothing else"

const replayConfig = `
listeners: [{ address: ":8080" }]
access_log: { inputs: [] }
clusters:
  shop: { origins: [{ name: web1, address: "10.0.1.1:80" }, { name: web2, address: "10.0.1.2:80" }, { name: web3, address: "10.0.1.3:80", state: maintenance }], session: wls }
  dr/shop: { origins: [{ name: west1, address: "10.9.1.1:80" }], session: wls }
sessions: { wls: { cookie: SID, url_param: sid, binding: gateway-cookie, keys: [0123456789abcdef0123456789abcdef] } }
trusted_proxies: [10.0.0.0/24]
sites: { shop: { hosts: ["*.example"] } }
mappings: [{ site: shop, clusters: [shop, dr/shop] }]
rules:
  - { name: banned, when: 'cidr(client.ip, "203.0.113.0/24")', reject: {} }
  - { name: old, when: 'path startsWith "/old"', redirect: { location: /new } }
  - { name: testers, when: 'path startsWith "/shop" and cookie("beta") == "1"', permit: { to: dr/shop } }
  - { name: users, when: 'path startsWith "/user" and header("X-User") == "eva"', permit: { to: dr/shop } }
  - { name: prefix, when: 'path startsWith "/prefix" and cookie("beta") startsWith "1"', permit: { to: dr/shop } }
  - { name: has, when: 'path startsWith "/has" and has_cookie("gamma")', permit: { to: dr/shop } }
  - { name: either, when: 'path startsWith "/either" and has_header("X-A") != has_header("X-B")', permit: { to: dr/shop } }
  - { name: agent, when: 'path startsWith "/agent" and header("User-Agent") == "x"', permit: { to: dr/shop } }
  - { name: large, when: 'path startsWith "/large" and request.size > 10', permit: { to: dr/shop } }
  - { name: ids, when: 'path startsWith "/ids" and session.id == "abc"', permit: { to: dr/shop } }
  - { name: fixed, when: 'path startsWith "/fixed"', permit: { to: dr/shop, sticky: true } }
  - { name: mtest, when: 'path == "/mtest"', permit: { to: main/shop/web3, allow_maintenance: true } }
  - { name: some, when: 'path == "/some"', permit: { to: [main/shop/web1, main/shop/web2], failover: [dr/shop] } }
  - { name: office, when: 'cidr(client.ip, "10.1.0.0/16")', permit: { to: main/shop }, override_affinity: true }
`

// recorded is a record of a request that web1 answered, with some of it changed.
func recorded(changes map[string]any) string {
	r := map[string]any{
		"time": "2026-11-29T12:00:00.000000Z", "site": "shop", "mapping": "0", "cluster": "shop", "origin": "web1", "session": "none",
		"method": "GET", "target": "/", "host": "a.example", "protocol": "HTTP/1.1", "status": 200, "reason": "",
		"client": "192.0.2.1", "peer": "192.0.2.1", "user_agent": "x", "referer": "", "request_id": "id", "tls": false, "inputs": map[string]string{},
	}
	maps.Copy(r, changes)
	text, _ := json.Marshal(r)
	return string(text)
}

func hashed(text string) string { return gateway.SealedValue([]byte(replayKey), []byte(text)) }

// newReplayed is a player with the configuration of these tests, which the log was
// written with, too, if current says so.
func newReplayed(t *testing.T, current bool, key string) *player {
	t.Helper()
	dir := t.TempDir()
	file, keyFile := filepath.Join(dir, "new.yaml"), filepath.Join(dir, "key")
	for name, text := range map[string]string{file: replayConfig, keyFile: key + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := replaying{against: file, keyFile: keyFile}
	if current {
		o.current = file
	}
	p, err := (&app{stderr: io.Discard}).newPlayer(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRecordsAreDecidedAgain(t *testing.T) {
	type fields = map[string]any
	inputs := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	bound := func(origin string, more fields) fields {
		f := fields{"session": "bound", "bound": origin, "origin": origin, "inputs": inputs("cookie:SID", hashed("abc"))}
		maps.Copy(f, more)
		return f
	}
	office := fields{"client": "10.1.2.3", "peer": "10.1.2.3", "rule": "office"}
	for _, tt := range []struct {
		name   string
		record fields
		want   string // stays; FROM -> TO by WHO; decided by; or why it is undecided
	}{
		{"as before", fields{}, "stays"},
		{"other origin of the group", fields{"origin": "west1", "cluster": "dr/shop"}, "stays"},
		{"rejected now", fields{"client": "203.0.113.7", "peer": "203.0.113.7"}, "main/shop -> 403 rejected_by_rule by rule banned"},
		{"rejected as before", fields{"client": "203.0.113.7", "peer": "203.0.113.7", "status": 403, "reason": "rejected_by_rule", "rule": "banned"}, "stays"},
		{"behind a proxy", fields{"client": "203.0.113.7", "peer": "10.0.0.9"}, "main/shop -> 403 rejected_by_rule by rule banned"},
		{"redirected now", fields{"target": "/old/1"}, "main/shop -> 302 redirected_by_rule /new by rule old"},
		{"redirected as before", fields{"target": "/old/1", "status": 302, "reason": "redirected_by_rule", "rule": "old"}, "stays"},
		{"rejected no longer", fields{"status": 403, "reason": "rejected_by_rule", "rule": "gone"}, "403 rejected_by_rule -> main/shop + dr/shop by no rule, was gone"},
		{"no site no longer", fields{"site": "", "status": 421, "reason": "no_site"}, "421 no_site -> main/shop + dr/shop by mappings[0]"},
		{"no host", fields{"host": "", "site": "", "status": 421, "reason": "no_site"}, "stays"},
		{"no host by HTTP/1.0", fields{"host": "", "protocol": "HTTP/1.0", "site": "", "status": 421, "reason": "no_site"}, "stays"},
		{"no site now", fields{"host": "a.test"}, "main/shop -> 421 no_site by no mapping"},
		{"other rule, same group", fields{"client": "10.1.2.3", "peer": "10.1.2.3"}, "decided: no rule -> rule office"},
		{"same rule", office, "stays"},
		{"other site", fields{"site": "store"}, "decided: site store -> site shop"},
		{"answered from the cache", fields{"origin": "", "cache": "hit"}, "stays"},
		{"a page of fragments", fields{"fragments": 5, "fragments_recovered": 1, "fragments_failed": 0}, "stays"},
		{"a page that failed", fields{"status": 502, "reason": "fragment_failed", "fragments": 5, "fragments_recovered": 0, "fragments_failed": 1}, "stays"},
		{"markup of clients", fields{"status": 400, "reason": "markup_injected", "fragments": 0, "fragments_recovered": 0, "fragments_failed": 0}, "stays"},
		{"nobody answered", fields{"origin": "", "status": 503, "reason": "queue_full"}, "stays"},
		{"narrowed", fields{"origin": "west1", "cluster": "dr/shop", "client": "10.1.2.3", "peer": "10.1.2.3"}, "dr/shop -> main/shop by rule office"},

		{"hash that fits", fields{"target": "/shop", "inputs": inputs("cookie:beta", hashed("1"))}, "main/shop -> dr/shop by rule testers"},
		{"hash that does not", fields{"target": "/shop", "inputs": inputs("cookie:beta", hashed("2"))}, "stays"},
		{"part of a hash", fields{"target": "/prefix", "inputs": inputs("cookie:beta", hashed("1"))}, `undecided: rule "prefix" needs more of a value than its hash, which is all that the log holds`},
		{"header that fits", fields{"target": "/user", "inputs": inputs("header:x-user", "eva")}, "main/shop -> dr/shop by rule users"},
		{"header that is not logged", fields{"target": "/user"}, `undecided: rule "users" reads header x-user, which the log does not hold`},
		{"presence that is not logged", fields{"target": "/has"}, `undecided: rule "has" reads cookie gamma, which the log does not hold`},
		{"presence of one of two", fields{"target": "/either", "inputs": inputs("header:x-a", "1")}, `undecided: rule "either" reads header x-b, which the log does not hold`},
		{"presence of two", fields{"target": "/either", "inputs": inputs("header:x-a", "1", "header:x-b", "1")}, "stays"},
		{"header of every record", fields{"target": "/agent"}, "main/shop -> dr/shop by rule agent"},
		{"length", fields{"target": "/large"}, `undecided: rule "large" reads the length that the request declared`},
		{"no inputs, and none needed", fields{"inputs": nil}, "stays"},

		{"bound, as before", bound("web2", nil), "stays"},
		{"bound by the URL", bound("web2", fields{"target": "/x;sid=abc", "inputs": inputs()}), "stays"},
		{"bound by a cookie that is not logged", bound("web2", fields{"inputs": nil}), "stays"},
		{"bound in a log without its origin", bound("web2", fields{"bound": ""}), "stays"},
		{"torn from its origin", bound("west1", fields{"cluster": "dr/shop", "client": "10.1.2.3", "peer": "10.1.2.3"}), "dr/shop/west1 (bound) -> main/shop by rule office"},
		{"its origin is gone", bound("web9", nil), "main/shop/web9 (bound) -> main/shop + dr/shop by mappings[0]"},
		{"elsewhere for once", bound("web2", fields{"session": "elsewhere", "origin": "web1"}), "stays"},
		{"bound to an origin that a rule opens", bound("web3", fields{"target": "/mtest", "rule": "mtest"}), "stays"},
		{"bound to an origin that no rule opens now", bound("web3", nil), "main/shop/web3 (bound) -> main/shop + dr/shop by mappings[0]"},
		{"bound, and its origin had no place", bound("web2", fields{"origin": "", "status": 503, "reason": "queue_full"}), "stays"},
		{"bound, and nobody had a place", bound("web3", fields{"origin": "", "status": 503, "reason": "queue_full"}), "stays"},
		{"bound to an origin by its full name", bound("web2", fields{"bound": "main/shop/web2"}), "stays"},
		{"bound, and permitted elsewhere", bound("web1", fields{"target": "/mtest"}), "decided: no rule -> rule mtest"},
		{"permitted one origin", fields{"target": "/mtest"}, "main/shop -> main/shop/web3 by rule mtest"},
		{"permitted some origins", fields{"target": "/some", "cluster": "dr/shop", "origin": "west1"}, "dr/shop -> main/shop [web1 web2] by rule some"},
		{"failed over, or so it seems", fields{"target": "/some", "rule": "some", "cluster": "dr/shop", "origin": "west1"}, "undecided: dr/shop/west1 is of a failover group, and whether the first was out the record does not say"},
		{"id that is hashed", bound("web2", fields{"target": "/ids"}), `decided: no rule -> rule ids`},
		{"id that is not logged", bound("web2", fields{"target": "/ids", "inputs": nil}), "undecided: a rule looks at the session id, which the log does not hold"},

		{"refused before", fields{"reason": "bad_target", "status": 400, "site": ""}, "undecided: it ended before a decision (bad_target)"},
		{"target cut off", fields{"cut": []string{"target"}}, "undecided: its target was too long for the log"},
		{"unknown reason", fields{"reason": "odd"}, `undecided: its reason "odd" is not known here`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newReplayed(t, false, replayKey)
			p.line(logLine{file: "log", number: 1, text: []byte(recorded(tt.record))})
			if got := outcomeOf(p); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// outcomeOf says what came of the one record that was played.
func outcomeOf(p *player) string {
	p.tally.into(&p.report)
	switch r := &p.report; {
	case r.Unreadable > 0:
		return "unreadable: " + r.UnreadableLines[0].What
	case r.Undecided > 0:
		return "undecided: " + r.Reasons[0].Because
	case r.Move > 0:
		return r.Moves[0].From + " -> " + r.Moves[0].To + " by " + r.Moves[0].By
	case r.Redecided > 0:
		return "decided: " + r.Redecisions[0].From + " -> " + r.Redecisions[0].To
	}
	return "stays"
}

// With the configuration that wrote the log, an outage of then is no move, and what
// the log could have held and does not was not there.
func TestRecordsAreDecidedByBothConfigurations(t *testing.T) {
	for _, tt := range []struct {
		name   string
		record map[string]any
	}{
		{"failed over", map[string]any{"cluster": "dr/shop", "origin": "west1", "client": "10.1.2.3", "peer": "10.1.2.3"}},
		{"failed over by a rule", map[string]any{"cluster": "dr/shop", "origin": "west1", "target": "/some", "rule": "some"}},
		{"no such header", map[string]any{"target": "/user"}},
		{"no such cookie", map[string]any{"target": "/has"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newReplayed(t, true, replayKey)
			p.line(logLine{text: []byte(recorded(tt.record))})
			if got := outcomeOf(p); got != "stays" {
				t.Errorf("%s, want that it stays", got)
			}
		})
	}
}

// What was undecided says what would decide it.
func TestUndecidedRequestsHaveAHint(t *testing.T) {
	for _, tt := range []struct {
		name    string
		current bool
		record  map[string]any
		want    string // parts of the hints, in order
	}{
		{"nothing is undecided", false, nil, ""},
		{"the log records some inputs", false, map[string]any{"target": "/user"}, "-c FILE"},
		{"the log records none", false, map[string]any{"target": "/user", "inputs": nil}, `inputs: ["header:x-user"]`},
		{"several are missed", true, map[string]any{"target": "/either", "inputs": nil}, `inputs: ["header:x-a", "header:x-b"]`},
		{"an outage, or so it seems", false, map[string]any{"target": "/some", "rule": "some", "cluster": "dr/shop", "origin": "west1"}, "-c FILE"},
		{"nothing helps", false, map[string]any{"target": "/large"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newReplayed(t, tt.current, replayKey)
			lines := make(chan logLine, 1)
			lines <- logLine{file: "log", number: 1, text: []byte(recorded(tt.record))}
			close(lines)
			p.play(t.Context(), lines, &progress{})
			got := strings.Join(p.report.Hints, "\n")
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("hints %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHashesNeedTheirKey(t *testing.T) {
	p := newReplayed(t, false, replayKey)
	p.now.seal.key = nil
	p.line(logLine{text: []byte(recorded(map[string]any{"target": "/shop", "inputs": map[string]string{"cookie:beta": hashed("1")}}))})
	if got := outcomeOf(p); !strings.Contains(got, "there is no key") {
		t.Errorf("%s, want that there is no key", got)
	}
}

func TestWhatOnlyALogHoldsIsSealed(t *testing.T) {
	s := &logSeal{key: []byte(replayKey)}
	for _, tt := range []struct {
		value         string
		sealed, equal bool // to "1"
		unknown       bool
	}{
		{value: "1"},
		{value: "hash:"},
		{value: "hash:1"},
		{value: hashed("1"), sealed: true, equal: true},
		{value: hashed("2"), sealed: true},
		{value: hashed("1") + "0"},
		{value: unknownInput, sealed: true, unknown: true},
	} {
		s.reset()
		sealed := s.Sealed([]byte(tt.value))
		if equal := sealed && s.Equal([]byte(tt.value), "1"); sealed != tt.sealed || equal != tt.equal || s.unknown != tt.unknown {
			t.Errorf("%q: sealed %v, equal %v, unknown %v", tt.value, sealed, equal, s.unknown)
		}
	}
}

func TestLinesThatAreNoRecords(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"empty", "", "it is empty"},
		{"plain", `10.0.0.1 - - [x] "GET /"`, "it is no JSON object: only the json format"},
		{"broken", `{"time":`, "it is no JSON: unexpected end of JSON input, at byte 8"},
		{"wrong type", `{"status":"200"}`, "status is string, must be int"},
		{"no bytes", `{"method":"\u2028"}`, "is no byte"},
		{"other object", `{"a":1}`, "it has no time"},
		{"no method", recorded(map[string]any{"method": ""}), "it has no method or no target"},
		{"blank in the target", recorded(map[string]any{"target": "/a b"}), "a blank in its method or target"},
		{"line end in the host", recorded(map[string]any{"host": "a\r\nX: y"}), "an end of line in a header field"},
		{"line end in an input", recorded(map[string]any{"inputs": map[string]string{"header:x": "a\nb"}}), "inputs.header:x has an end of line"},
		{"no input", recorded(map[string]any{"inputs": map[string]string{"body:x": "a"}}), `inputs has "body:x"`},
		{"no address", recorded(map[string]any{"client": "here"}), "here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newReplayed(t, false, replayKey)
			p.line(logLine{file: "log", number: 7, text: []byte(tt.line)})
			if got := outcomeOf(p); !strings.HasPrefix(got, "unreadable: ") || !strings.Contains(got, tt.want) || p.report.UnreadableLines[0].Line != 7 {
				t.Errorf("%s in line 7, want %s", got, tt.want)
			}
		})
	}
}

func TestLinesOfTheOwnLogArePassedOver(t *testing.T) {
	p := newReplayed(t, false, replayKey)
	p.line(logLine{text: []byte(`{"time":"2026-11-29T12:00:00Z","level":"INFO","msg":"serving"}`)})
	if r := p.report; r.Other != 1 || r.Unreadable != 0 || r.Requests != 0 {
		t.Errorf("%+v, want one line of the other log", r)
	}
}

// FuzzParseRecord: whatever a line holds, it is refused, or the request that is made
// of it is one head, and no second one can be smuggled in.
func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(recorded(nil)))
	f.Add([]byte(recorded(map[string]any{"inputs": map[string]string{"cookie:a": "b; c=d", "header:x-b": "\u00ff"}, "protocol": "HTTP/1.0"})))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRecord(line)
		if err != nil || r.undecidable() != "" {
			return
		}
		q := r.question([]string{"header:x-assumed", "cookie:assumed"}, &logSeal{})
		if ends := bytes.Count(q.Raw, []byte("\r\n\r\n")); ends != 1 || !bytes.HasSuffix(q.Raw, []byte("\r\n\r\n")) {
			t.Errorf("%d ends of a head in %q", ends, q.Raw)
		}
		if n := bytes.Count(q.Raw, []byte("\n")); n != bytes.Count(q.Raw, []byte("\r\n")) {
			t.Errorf("a bare line end in %q", q.Raw)
		}
	})
}

func TestLogsAreReadLineByLine(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "one\ntwo\n")
	z.Close()
	long := strings.Repeat("x", maxLogLine)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"lines", "one\r\n\ntwo\n", []string{"1 one", "2 ", "3 two"}},
		{"no last end", "one\ntwo", []string{"1 one", "2 two"}},
		{"packed", packed.String(), []string{"1 one", "2 two"}},
		{"packed and cut", packed.String()[:packed.Len()-6], []string{"1 one", "2 two", "3 the log cannot be read any further: unexpected EOF"}},
		{"too long", "one\n" + long + "\ntwo\n", []string{"1 one", "2 it is longer than 1048576 bytes", "3 two"}},
		{"too long at the end", "one\n" + long + "x", []string{"1 one", "2 it is longer than 1048576 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			logs, err := (&app{stdin: strings.NewReader(tt.text)}).openLogs([]string{"-"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range logs.lines(t.Context()) {
				got = append(got, strconv.Itoa(line.number)+" "+string(line.text)+line.fault)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestLogsThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	for _, names := range [][]string{{dir}, {filepath.Join(dir, "none")}} {
		if _, err := (&app{}).openLogs(names); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v: %v, want an error that names it", names, err)
		}
	}
}

// TestReplayCanBeInterrupted: who interrupts a replay whose log goes on is told what
// was found until then.
func TestReplayCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	lines := make(chan logLine)
	go func() {
		lines <- logLine{file: "log", number: 1, text: []byte(recorded(map[string]any{"target": "/old"}))}
		cancel()
	}()
	p := newReplayed(t, false, replayKey)
	p.play(ctx, lines, &progress{})
	if r := p.report; !r.Interrupted || r.Move != 1 || len(r.Moves) != 1 {
		t.Errorf("%+v, want one move, interrupted", r)
	}
	err := p.report.verdict(replaying{})
	if f, ok := errors.AsType[*failure](err); !ok || f.status != exitInterrupted {
		t.Errorf("ends with %v, want status %d", err, exitInterrupted)
	}
}

func TestReportOfAReplay(t *testing.T) {
	r := newReplayReport()
	r.Requests, r.Stay, r.Move, r.Undecided, r.Redecided, r.Other = 10, 5, 3, 2, 1, 1
	r.Moves = []counter{{Count: 2, From: "main/shop", To: "dr/shop", By: "rule beta", Example: example{"a.log", 7, "id\x1b"}}, {Count: 1, From: "421 no_site", To: "main/shop", By: "mappings[0]", Example: example{"a.log", 9, ""}}}
	r.Hints = []string{"-c FILE helps"}
	r.Redecisions = []counter{{Count: 1, From: "no rule", To: "rule office", Example: example{"a.log", 3, "b"}}}
	r.Reasons = []counter{{Count: 2, Because: `rule "users" reads header x-user, which the log does not hold`, Example: example{"a.log", 4, "c"}}}
	for i := range maxUnreadable + 3 {
		r.unreadable(logLine{file: "b.log", number: i + 1}, "it is empty")
	}
	want := `10 requests: 3 move, 5 stay, 2 undecided
COUNT  FROM         TO         BY           FOR EXAMPLE
2      main/shop    dr/shop    rule beta    a.log:7 id?
1      421 no_site  main/shop  mappings[0]  a.log:9
1 of those that stay is decided by others:
  1  no rule -> rule office  a.log:3 b
undecided:
  2  rule "users" reads header x-user, which the log does not hold  a.log:4 c
hint: -c FILE helps
not read:
  b.log:1: it is empty
  b.log:2: it is empty
  b.log:3: it is empty
  b.log:4: it is empty
  b.log:5: it is empty
  b.log:6: it is empty
  b.log:7: it is empty
  b.log:8: it is empty
  b.log:9: it is empty
  b.log:10: it is empty
  and 3 more lines
1 line of the gateway's own log passed over
`
	var out strings.Builder
	if err := r.write(&out, false); err != nil || out.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, &out, want)
	}
}
