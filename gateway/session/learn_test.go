package session

import "testing"

func TestIDsAreLearnedFromSetCookie(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields []string
		want   string
	}{
		{"alone", []string{"Set-Cookie: SID=abc"}, "cookie abc"},
		{"with attributes", []string{"set-cookie: SID=abc; Path=/; HttpOnly; Secure"}, "cookie abc"},
		{"quoted", []string{`Set-Cookie: SID="abc"; Path=/`}, "cookie abc"},
		{"blanks", []string{"Set-Cookie:  SID = abc ;Path=/"}, "cookie abc"},
		{"that lives", []string{"Set-Cookie: SID=abc; Max-Age=3600"}, "cookie abc"},
		{"among others", []string{"Set-Cookie: a=1", "Set-Cookie: SID=abc", "Set-Cookie: b=2"}, "cookie abc"},
		{"the last one is what a client keeps", []string{"Set-Cookie: SID=old", "Set-Cookie: SID=new"}, "cookie new"},
		{"deleted on one path, set on another", []string{"Set-Cookie: SID=abc; Path=/new", "Set-Cookie: SID=x; Path=/; Max-Age=0"}, "cookie abc"},
		{"before a Location", []string{"Location: /;sid=url", "Set-Cookie: SID=abc"}, "cookie abc"},
		{"two cookies in one field are one", []string{"Set-Cookie: a=1, SID=abc"}, "nothing"},
		{"an attribute is no cookie", []string{"Set-Cookie: a=1; SID=abc"}, "nothing"},
		{"name in another case", []string{"Set-Cookie: sid=abc"}, "nothing"},
		{"no equals sign", []string{"Set-Cookie: SID; Path=/"}, "nothing"},
		{"a request's field", []string{"Cookie: SID=abc"}, "nothing"},
		{"none", nil, "nothing"},
	} {
		if got := found(both.Learn(fields(tt.fields...))); got != tt.want {
			t.Errorf("%s: learned %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDeletedCookiesAreNotLearned(t *testing.T) {
	for _, tt := range []struct {
		cookie  string
		deletes bool
	}{
		{"SID=", true},
		{`SID=""; Path=/`, true},
		{"SID=abc; Max-Age=0", true},
		{"SID=abc; max-age=000;Path=/", true},
		{"SID=abc; Path=/; MAX-AGE = -1", true},
		{"SID=abc; Max-Age=-0", true},
		{"SID=abc; Max-Age=5; Max-Age=0", true},
		{"SID=abc; Max-Age=0; Max-Age=5", false},
		{"SID=abc; Max-Age=0; Max-Age=soon", true},
		{"SID=abc; Max-Age=99999999999999999999999999", false},
		{"SID=abc; Max-Age", false},
		{"SID=abc; Max-Age=", false},
		{"SID=abc; Max-Age=-", false},
		{"SID=abc; Max-Age=0s", false},
		{`SID=abc; Max-Age="0"`, false},
		{"SID=abc; Max-Age=--1", false},
		{"SID=abc; X-Max-Age=0", false},
	} {
		want := "cookie abc"
		if tt.deletes {
			want = "nothing"
		}
		if got := found(both.Learn(fields("Set-Cookie: " + tt.cookie))); got != want {
			t.Errorf("%s: learned %q, want %q", tt.cookie, got, want)
		}
	}
}

func TestIDsAreLearnedFromLocation(t *testing.T) {
	for _, tt := range []struct{ location, want string }{
		{"/cart;sid=abc", "url_param abc"},
		{"http://shop.example/cart;sid=abc?x=1#top", "url_param abc"},
		{"cart;sid=abc#;sid=other", "url_param abc"},
		{"?x=1&sid=abc#&sid=other", "url_param abc"},
		{"/cart?x=1&sid=a%2fb%7e", "url_param a%2fb%7e"},
		{"/cart;%73id=a%2fb%7e", "url_param a%2Fb~"},
		{"/caf\xc3\xa9;sid=a|b", "url_param a%7Cb"},
		{"/100%;sid=abc", "url_param abc"},
		{"/cart;sid=a b", "nothing"},
		{"/cart#;sid=abc", "nothing"},
		{"/cart", "nothing"},
		{"", "nothing"},
	} {
		if got := found(both.Learn(fields("LOCATION: " + tt.location))); got != tt.want {
			t.Errorf("%s: learned %q, want %q", tt.location, got, tt.want)
		}
	}
	cookieOnly := Definition{Cookie: "SID"}
	if got := found(cookieOnly.Learn(fields("Location: /;=abc"))); got != "nothing" {
		t.Errorf("learned %q without a parameter", got)
	}
}
