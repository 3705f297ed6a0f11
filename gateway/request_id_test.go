package gateway

import (
	"regexp"
	"strings"
	"testing"
)

// A request's id is the client's if it is one, else ours; the origin, the log
// and the pages of errors all say the same.
func TestRequestID(t *testing.T) {
	t.Parallel()
	addr, g, log := identityGateway(t, "127.0.0.1:0", "192.0.2.200", "")
	own := regexp.MustCompile(`^[0-9a-f]{32}$`)
	var want []string
	for _, tt := range []struct {
		fields string
		kept   string // empty: replaced by one of ours
	}{
		{"", ""},
		{"\r\nX-Request-Id: abc-123", "abc-123"},
		{"\r\nx-request-ID: 0af7651916cd43dd8448eb211c80319c", "0af7651916cd43dd8448eb211c80319c"},
		{"\r\nX-Request-Id: " + strings.Repeat("i", 128), strings.Repeat("i", 128)},
		{"\r\nX-Request-Id: " + strings.Repeat("i", 129), ""},
		{"\r\nX-Request-Id:", ""},
		{"\r\nX-Request-Id: two words", ""},
		{"\r\nX-Request-Id: quo\"te", ""},
		{"\r\nX-Request-Id: back\\slash", ""},
		{"\r\nX-Request-Id: caf\xc3\xa9", ""},
		{"\r\nX-Request-Id: first\r\nX-Request-Id: second", "first"},
		{"\r\nX-Request-Id: bad one\r\nX-Request-Id: second", ""},
	} {
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example"+tt.fields)
		ids := fieldsIn(got.body, "X-Request-Id")
		if len(ids) != 1 || tt.kept != "" && ids[0] != tt.kept || tt.kept == "" && !own.MatchString(ids[0]) {
			t.Errorf("%q: the origin received ids %q, want one, %q", tt.fields, ids, tt.kept)
			continue
		}
		want = append(want, ids[0])
	}
	g.Close()
	lines := strings.Split(log.String(), "\n")
	for i, id := range want {
		if !strings.Contains(lines[i], `"request_id":"`+id+`"`) {
			t.Errorf("line %d is %s, want id %s", i, lines[i], id)
		}
	}
}

// Ids are unique over exchanges and gateways.
func TestRequestIDsAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[[32]byte]bool{}
	for range 3 {
		ids := newRequestIDs()
		for range 1000 {
			var id [32]byte
			if ids.write(&id, ids.count.Add(1)); seen[id] {
				t.Fatalf("%s was given twice", id[:])
			}
			seen[id] = true
		}
	}
}

// A refusal tells the id under which the log has it, whoever found the fault.
func TestRefusalsTellTheirID(t *testing.T) {
	t.Parallel()
	addr, g, log := identityGateway(t, "127.0.0.1:0", "192.0.2.200", "sites: { a: { hosts: [a.example] } }\nmappings: [{ site: a, prefix: /app, cluster: app }]\n")
	var ids []string
	for _, raw := range []string{
		"GET /app HTTP/1.1\r\nHost: b.example\r\nConnection: close\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n",
		"GET /../ HTTP/1.1\r\nHost: a.example\r\n\r\n",
		"GET /app HTTP/1.1\r\n\r\n",
		"GET /app HTTP/3.0\r\nHost: a.example\r\n\r\n",
		"nonsense\r\n\r\n",
		"GET /app HTTP/1.1\r\nHost: a.example\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n",
	} {
		got := parseTold(t, raw, send(t, addr, raw))
		id := got.header.Get("X-Request-Id")
		if id == "" || !strings.Contains(got.body, "request id: "+id) {
			t.Errorf("%.60q: %d with id %q and page %q", raw, got.status, id, got.body)
		}
		ids = append(ids, id)
	}
	g.Close()
	for _, id := range ids {
		if !strings.Contains(log.String(), `"request_id":"`+id+`"`) {
			t.Errorf("the log has no %q:\n%s", id, log.String())
		}
	}
}

// The trace of a request is passed on as it came.
func TestTraceFieldsPass(t *testing.T) {
	t.Parallel()
	addr, _, _ := identityGateway(t, "127.0.0.1:0", "192.0.2.200", "")
	const parent, state = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"
	got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example\r\ntraceparent: "+parent+"\r\ntracestate: "+state+"\r\nbaggage: a=b")
	if fieldIn(got.body, "Traceparent") != parent || fieldIn(got.body, "Tracestate") != state || fieldIn(got.body, "Baggage") != "a=b" {
		t.Errorf("the origin received %q", got.body)
	}
}
