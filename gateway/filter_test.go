package gateway

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"weirkeep/abi"
)

// filterText is a site whose requests a guest filters that does what their query says.
func filterText(hs homes, guest, plugin, more string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
plugins: { edit: { kind: filter, module: %q, needs: [query, headers, site]%s } }
clusters:
%s
sites: { w: { hosts: ["**"], filters: [{ plugin: edit }] } }
mappings: [{ site: w, cluster: app }]
%s
`, guestFile(guest), plugin, clusterLine("app", hs, ""), more)
}

const puppet = "good/puppet"

// say is a query with which the puppet returns these operations.
func say(ops ...abi.Op) string {
	blob := abi.AppendOps(nil, ops)
	return fmt.Sprintf("%d.%s", len(blob), hex.EncodeToString(blob))
}

func op(code uint16, key, value string) abi.Op {
	return abi.Op{Code: code, Key: []byte(key), Value: []byte(value)}
}

// seen is the head that an origin has got.
func seen(t *testing.T, addr, query string, fields ...string) told {
	t.Helper()
	return ask(t, addr, "GET /a?"+query+" HTTP/1.1\r\nHost: w.example\r\n"+strings.Join(append(fields, "X-Last: 1"), "\r\n"))
}

// A filter's operations on a request do what the contract says of each, and the same
// in the answer, for it is asked about that as well.
func TestFilterEditsHeaders(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs.say(func(head string) (string, string) { return "X-One: 1\r\nX-Two: 2\r\nX-One: 3\r\n", head })
	addr, _ := start(t, filterText(hs, puppet, ", on_error: skip", ""), hs.options())
	for _, tt := range []struct {
		name          string
		ops           []abi.Op
		request, none string // in the head at the origin
		answer        string // X-One and X-Two of the answer
	}{
		{"set", []abi.Op{op(abi.OpSetHeader, "x-one", "new")}, "x-one: new\r\nX-Two: 2\r\n", "X-One", "new / 2"},
		{"set what is not there", []abi.Op{op(abi.OpSetHeader, "X-New", "n")}, "X-Last: 1\r\nX-New: n\r\n", "x-none", "1,3 / 2"},
		{"add", []abi.Op{op(abi.OpAddHeader, "X-One", "more")}, "X-Last: 1\r\nX-One: more\r\n", "x-none", "1,3,more / 2"},
		{"delete", []abi.Op{op(abi.OpDeleteHeader, "X-ONE", "")}, "X-Two: 2\r\nX-Last: 1\r\n", "X-One", " / 2"},
		{"several", []abi.Op{op(abi.OpDeleteHeader, "x-one", ""), op(abi.OpAddHeader, "x-one", "z")}, "X-Last: 1\r\nx-one: z\r\n", "X-One: 1", "z / 2"},
		{"a bad one and a good one", []abi.Op{op(abi.OpSetHeader, "X-One", "new"), op(abi.OpSetHeader, "Content-Length", "7")}, "X-One: 1\r\nX-Two: 2\r\nX-One: 3\r\n", "new", "1,3 / 2"},
	} {
		got := seen(t, addr, say(tt.ops...), "X-One: 1", "X-Two: 2", "X-One: 3")
		if !strings.Contains(got.body, tt.request) || strings.Contains(got.body, tt.none) {
			t.Errorf("%s: the origin got\n%swant %q and no %q", tt.name, got.body, tt.request, tt.none)
		}
		if answer := strings.Join(got.header.Values("X-One"), ",") + " / " + got.header.Get("X-Two"); answer != tt.answer {
			t.Errorf("%s: the answer has %s, want %s", tt.name, answer, tt.answer)
		}
	}
}

// an edit of path, query or host is decided anew, rejects included, and passes
// the wire check.
func TestFilterEditsTheTarget(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	addr, _ := start(t, filterText(hs, puppet, ", on_error: reject", `rules: [{ name: shut, when: 'path startsWith "/shut" or host == "shut.example"', reject: { status: 451 } }]`), hs.options())
	for _, tt := range []struct {
		name   string
		ops    []abi.Op
		status int
		line   string // at the origin
	}{
		{"path", []abi.Op{op(abi.OpSetPath, "", "/new"), op(abi.OpSetQuery, "", "0")}, 200, "GET /new?0 HTTP/1.1"},
		{"no query", []abi.Op{op(abi.OpSetQuery, "", "")}, 200, "GET /a HTTP/1.1"},
		{"host", []abi.Op{op(abi.OpSetHost, "", "other.example"), op(abi.OpSetQuery, "", "0")}, 200, "GET /a?0 HTTP/1.1"},
		{"a path that a rule rejects", []abi.Op{op(abi.OpSetPath, "", "/shut/x")}, 451, ""},
		{"the same, escaped", []abi.Op{op(abi.OpSetPath, "", "/s%68ut/x")}, 451, ""},
		{"a host that a rule rejects", []abi.Op{op(abi.OpSetHost, "", "shut.example")}, 451, ""},
		{"dot segments", []abi.Op{op(abi.OpSetPath, "", "/x/../shut")}, 503, ""},
	} {
		got := seen(t, addr, say(tt.ops...))
		if got.status != tt.status || got.status == 200 && got.line() != tt.line {
			t.Errorf("%s: %d %q, want %d %q", tt.name, got.status, got.line(), tt.status, tt.line)
		}
	}
}

// A filter may answer itself: no origin is asked. Of an origin's answer the same
// replaces all.
func TestFilterAnswers(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	log := new(reportLog)
	o := hs.options()
	o.Stderr = log
	addr, g := start(t, filterText(hs, puppet, ", on_error: reject", ""), o)
	query := say(op(abi.OpRespond, "418", "short and stout"), op(abi.OpSetHeader, "X-Kind", "teapot"), op(abi.OpTag, "kind", "tea \"pot\""))
	got := seen(t, addr, query)
	if got.status != 418 || got.body != "short and stout" || got.header.Get("X-Kind") != "teapot" || hs.count() != 0 {
		t.Errorf("%d %q %v, %d requests at the origin", got.status, got.body, got.header, hs.count())
	}
	record := (&reportGateway{g, addr, log}).logged(t, "/a?"+query)
	if tags, _ := record["tags"].(map[string]any); record["reason"] != "answered_by_filter" || tags["kind"] != `tea "pot"` {
		line, _ := json.Marshal(record)
		t.Errorf("it is recorded as %s", line)
	}
}

// what a filter that fails does, to the request and to the answer.
func TestFilterFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		guest, policy string
		status        int
		atOrigin      int64
	}{
		{"evil/call/request-trap", "skip", 200, 1},
		{"evil/call/request-trap", "reject", 503, 0},
		{"evil/call/response-trap", "skip", 200, 1},
		{"evil/call/response-trap", "reject", 503, 1},
	} {
		hs := newHomes(t, "a")
		addr, g := start(t, filterText(hs, tt.guest, ", on_error: "+tt.policy, ""), hs.options())
		got := seen(t, addr, "0")
		if got.status != tt.status || hs.count() != tt.atOrigin {
			t.Errorf("%s %s: %d, %d requests at the origin; want %d, %d", tt.guest, tt.policy, got.status, hs.count(), tt.status, tt.atOrigin)
		}
		if tt.status == 503 && !strings.Contains(got.body, "reason: plugin_error") {
			t.Errorf("%s %s: %q", tt.guest, tt.policy, got.body)
		}
		until(t, "its slot is free", func() bool { return g.Status().Origins[0].Load == 0 })
	}
}

// What a filter may not see it is not shown: of the headers all but the secret ones.
func TestFilterIsNotShownSecrets(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	addr, _ := start(t, filterText(hs, "good/echo", ", on_error: reject", ""), hs.options())
	got := seen(t, addr, "q", "Authorization: Basic secret1", "Cookie: a=secret2", "X-Open: yes", "Connection: x-hop", "X-Hop: secret3")
	if got.status != http.StatusOK || !strings.Contains(got.body, "yes") || strings.Contains(got.body, "secret") {
		t.Errorf("%d, it was shown\n%s", got.status, got.body)
	}
}
