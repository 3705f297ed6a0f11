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
		"https://b.example/{nothing}", "https://b.example/{path", "https://b.example/ x", "https://b.example/\r\nX: y", `/\b.example`,
	} {
		if l, err := parseTemplate(text); err == nil {
			t.Errorf("%q is taken, and leads to %q", text, l.append(nil, r))
		}
	}
}
