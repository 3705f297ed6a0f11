package cache

import (
	"strings"
	"testing"
)

func TestInvalidation(t *testing.T) {
	for _, tt := range []struct{ id, method, answer, want string }{
		{"M1", "POST", "200 X: 1", "/dir/n?x=1"},
		{"M1", "PUT", "201 X: 1", "/dir/n?x=1"},
		{"M1", "DELETE", "204 X: 1", "/dir/n?x=1"},
		{"M1", "PATCH", "303 X: 1", "/dir/n?x=1"},
		{"M1", "BREW", "399 X: 1", "/dir/n?x=1"},
		{"M1", "get", "200 X: 1", "/dir/n?x=1"},
		{"M2", "POST", "400 Location: /a", ""},
		{"M2", "DELETE", "503 X: 1", ""},
		{"M2", "POST", "103 X: 1", ""},
		{"M5", "OPTIONS", "200 Location: /a", ""},
		{"M5", "PROPFIND", "200 Location: /a", ""},
		{"M5", "GET", "200 Location: /a", ""},
		{"M5", "HEAD", "200 Location: /a", ""},
		{"M3", "POST", "201 Location: /a", "/dir/n?x=1 /a"},
		{"M3", "POST", "201 Location: /a / Content-Location: /b?y", "/dir/n?x=1 /a /b?y"},
		{"M3", "POST", "201 Location: /a / Content-Location: /a", "/dir/n?x=1 /a"},
		{"M3", "POST", "201 Location: /a#part", "/dir/n?x=1 /a"},
		{"M3", "POST", "201 Location: http://shop.example/a", "/dir/n?x=1 /a"},
		{"M3", "POST", "201 Location: HTTP://SHOP.example:80/a", "/dir/n?x=1 /a"},
		{"M3", "POST", "201 Location: //shop.example/a", "/dir/n?x=1 /a"},
		{"M3", "POST", "201 Location: http://shop.example", "/dir/n?x=1 /"},
		{"M3", "POST", "201 Location: http://shop.example?q", "/dir/n?x=1 /?q"},
		{"M3", "POST", "201 Location: http://other.example/a", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: //other.example/a", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: http://shop.example:81/a", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: https://shop.example/a", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: http://user@shop.example/a", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: http:/a", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: mailto:shop.example", "/dir/n?x=1"},
		{"M3", "POST", "201 Location:", "/dir/n?x=1"},
		{"M3", "POST", "201 Location: #part", "/dir/n?x=1"},
		{"M3 relative", "POST", "201 Location: a", "/dir/n?x=1 /dir/a"},
		{"M3 relative", "POST", "201 Location: a/b?c=/d:e", "/dir/n?x=1 /dir/a/b?c=/d:e"},
		{"M3 relative", "POST", "201 Location: ?y=2", "/dir/n?x=1 /dir/n?y=2"},
		{"M3 relative", "POST", "201 Location: ../a", "/dir/n?x=1 /a"},
		{"M3 relative", "POST", "201 Location: ../../../a", "/dir/n?x=1 /a"},
		{"M3 relative", "POST", "201 Location: .", "/dir/n?x=1 /dir/"},
		{"M3 relative", "POST", "201 Location: ..", "/dir/n?x=1 /"},
		{"M3 relative", "POST", "201 Location: ./a/../b/./c", "/dir/n?x=1 /dir/b/c"},
		{"M3 relative", "POST", "201 Location: /a//b/.../c", "/dir/n?x=1 /a//b/.../c"},
	} {
		r := request(t, tt.method+" ")
		r.Target = Target{Authority: []byte("shop.example"), Path: []byte("/dir/n?x=1")}
		var got []string
		for _, path := range Invalidated(nil, r, answer(t, tt.answer)) {
			got = append(got, string(path))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s -> %q: %q, want %q", tt.id, tt.method, tt.answer, got, tt.want)
		}
	}
}

// TestOriginsAreTold apart by scheme, host and port, whichever way they are written.
func TestOriginsAreTold(t *testing.T) {
	for _, tt := range []struct {
		secure    bool
		authority string
		location  string
		want      bool
	}{
		{true, "shop.example", "https://shop.example:443/a", true},
		{true, "shop.example:443", "https://shop.example/a", true},
		{true, "shop.example:8443", "https://shop.example:8443/a", true},
		{true, "shop.example:8443", "https://shop.example/a", false},
		{true, "shop.example", "http://shop.example/a", false},
		{false, "[::1]:80", "http://[::1]/a", true},
		{false, "", "http://shop.example/a", false},
		{false, "", "/a", true},
	} {
		target := Target{Secure: tt.secure, Authority: []byte(tt.authority), Path: []byte("/n")}
		if _, got := target.resolve([]byte(tt.location)); got != tt.want {
			t.Errorf("M3: %s is at %q, secure %v: %v", tt.location, tt.authority, tt.secure, got)
		}
	}
}

// TestAnswersToPOST is M4.
func TestAnswersToPOST(t *testing.T) {
	rows := []row{
		{id: "M4", was: "POST ", answer: "Content-Location: /n / Cache-Control: max-age=60", want: "fresh"},
		{id: "M4", was: "POST Content-Length: 3", answer: "Content-Location: http://shop.example/n / Cache-Control: max-age=60", want: "fresh"},
		{id: "M4", was: "POST ", answer: "Content-Location: n / Expires: D(60)", want: "fresh"},
	}
	check(t, policies()["conformance"], rows)
	for i := range rows {
		rows[i].want = "refused: method"
	}
	check(t, policies()[""], rows)
	check(t, policies()["conformance"], []row{
		{id: "M4", was: "POST ", answer: "Content-Location: /other / Cache-Control: max-age=60", want: "refused: method"},
		{id: "M4", was: "POST ", answer: "Content-Location: http://other.example/n / Cache-Control: max-age=60", want: "refused: method"},
		{id: "M4", was: "POST ", answer: "Cache-Control: max-age=60", want: "refused: method"},
		{id: "M4", was: "POST ", answer: "Content-Location: /n / Last-Modified: D(-86400)", want: "refused: method"},
		{id: "M4", was: "POST ", answer: "201 Content-Location: /n / Cache-Control: max-age=60", want: "refused: method"},
		{id: "M4", was: "PUT ", answer: "Content-Location: /n / Cache-Control: max-age=60", want: "refused: method"},
		{id: "M4", was: "POST ", answer: "Content-Location: /n / Cache-Control: max-age=60, private", want: "refused: private"},
	})
}
