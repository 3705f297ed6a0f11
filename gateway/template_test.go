package gateway

import (
	"testing"

	"weirkeep/gateway/route"
)

// Where a client may be sent by what it sends itself: nowhere that is not written.
func TestLocationsSayWhereTheyLead(t *testing.T) {
	t.Parallel()
	r := &route.Request{Host: []byte("a.example"), Path: []byte("//x"), RawPath: []byte("/%78"), Query: []byte("q=1"), URL: []byte("/%78?q=1")}
	for text, want := range map[string]string{
		"https://b.example/":                  "https://b.example/",
		"https://{host}/new{path}":            "https://a.example/new//x",
		"https://{host}{path}?{query_string}": "https://a.example//x?q=1",
		"http://b.example:8080{url}":          "http://b.example:8080/%78?q=1",
		"/new{raw_path}":                      "/new/%78",
		"https://{authority}/new":             "https://a.example/new",
		"https://www.{authority}{url}":        "https://www.a.example/%78?q=1",
		"/b{path}?{query_string}#there":       "/b//x?q=1#there",
	} {
		l, err := parseTemplate(text)
		if err != nil || l.String() != text {
			t.Errorf("%s: %v, shown as %v", text, err, l)
		} else if got := string(l.append(nil, r)); got != want {
			t.Errorf("%s leads to %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		"", "{path}", "{url}", "/{path}", "/{raw_path}x", "//b.example/", "//{host}/", "b.example/", "ftp://b.example/", "javascript:alert(1)",
		"https://", "https:///x", "https://{path}", "https://x{query_string}.example/", "https://{raw_path}@b.example/", "https://a@b.example/",
		"https://{authority}:8080/", "https://{authority}.example/", "https://{host}{authority}/", "https://a@{authority}/", "/{authority}/x",
		"https://b.example/{nothing}", "https://b.example/{path", "https://b.example/ x", "https://b.example/\r\nX: y", `/\b.example`,
	} {
		if l, err := parseTemplate(text); err == nil {
			t.Errorf("%q is taken, and leads to %q", text, l.append(nil, r))
		}
	}
}

// A port is the client's or is not there; an address stands in brackets; and a query
// that is not there leaves nothing behind.
func TestLocationsOfOtherRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		location, host string
		port           int
		query          string
		want           string
	}{
		{"https://{authority}/", "a.example", 8443, "", "https://a.example:8443/"},
		{"https://{host}/", "a.example", 8443, "", "https://a.example/"},
		{"https://{authority}/", "a.example", 0, "", "https://a.example/"},
		{"https://{authority}/", "2001:db8::1", 80, "", "https://[2001:db8::1]:80/"},
		{"https://{host}/", "2001:db8::1", 80, "", "https://[2001:db8::1]/"},
		{"/b{path}?{query_string}", "", 0, "", "/b/x"},
		{"/b{path}?{query_string}", "", 0, "q=1", "/b/x?q=1"},
		{"/b?{query_string}#there", "", 0, "", "/b#there"},
		{"/b?{query_string}&from=old", "", 0, "", "/b?&from=old"},
		{"/b?a=1&{query_string}", "", 0, "", "/b?a=1&"},
	} {
		l, err := parseTemplate(tt.location)
		if err != nil {
			t.Fatal(err)
		}
		r := &route.Request{Host: []byte(tt.host), Port: tt.port, Path: []byte("/x"), Query: []byte(tt.query)}
		if got := string(l.append(nil, r)); got != tt.want {
			t.Errorf("%s of %s:%d?%s leads to %s, want %s", tt.location, tt.host, tt.port, tt.query, got, tt.want)
		}
	}
}
