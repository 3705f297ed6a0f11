package session

import "testing"

func TestIDsAreFoundInCookies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields []string
		want   string
	}{
		{"alone", []string{"Cookie: SID=abc"}, "cookie abc"},
		{"among others", []string{"Cookie: a=1; SID=abc; b=2"}, "cookie abc"},
		{"field name in any case", []string{"COOKIE: SID=abc"}, "cookie abc"},
		{"no blank behind the semicolon", []string{"Cookie: a=1;SID=abc;b=2"}, "cookie abc"},
		{"blanks and tabs everywhere", []string{"Cookie: a=1 ;\t SID = abc \t; b"}, "cookie abc"},
		{"quoted", []string{`Cookie: SID="abc"`}, "cookie abc"},
		{"one quote is part of it", []string{`Cookie: SID="abc; x="`}, `cookie "abc`},
		{"a lone quote", []string{`Cookie: SID="`}, `cookie "`},
		{"odd characters stay", []string{"Cookie: SID=a=b!%2f,'+/\xff=="}, "cookie a=b!%2f,'+/\xff=="},
		{"second field", []string{"Cookie: a=1", "Accept: */*", "Cookie: SID=abc"}, "cookie abc"},
		{"first of two", []string{"Cookie: SID=one; SID=two", "Cookie: SID=three"}, "cookie one"},
		{"empty ones are passed over", []string{`Cookie: SID=; SID=""; SID`, "Cookie: SID=abc"}, "cookie abc"},
		{"name in another case", []string{"Cookie: sid=abc"}, "nothing"},
		{"longer name", []string{"Cookie: SIDX=abc; XSID=abc; S ID=abc"}, "nothing"},
		{"name between quotes", []string{`Cookie: a="x SID=abc"`}, "nothing"},
		{"no equals sign", []string{"Cookie: SID"}, "nothing"},
		{"another field", []string{"X-Cookie: SID=abc", "Cookie2: SID=abc", "Set-Cookie: SID=abc"}, "nothing"},
		{"nothing but separators", []string{"Cookie: ;;=; =;"}, "nothing"},
		{"empty field", []string{"Cookie: "}, "nothing"},
	} {
		if got := found(both.Find(fields(tt.fields...), []byte("/"), nil)); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestIDsAreFoundInURLs(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"/cart;sid=abc", "url_param abc"},
		{"/cart;sid=abc?x=1", "url_param abc"},
		{"/;sid=abc/cart", "url_param abc"},
		{"/cart;v=1;sid=abc;w=2", "url_param abc"},
		{"/a;v=1/b;sid=abc/c", "url_param abc"},
		{"/cart;sid=;sid=abc", "url_param abc"},
		{"/cart;sid=a=b,c&d!1!2", "url_param a=b,c&d!1!2"},
		{"/cart;sid=a%2fb", "url_param a%2Fb"},
		{"/cart;%73id=a%7eb", "url_param a~b"},
		{"/cart?sid=abc", "url_param abc"},
		{"/cart?x=1&sid=abc&y=2", "url_param abc"},
		{"/cart?sid=&sid=abc", "url_param abc"},
		{"/cart?sid=a%2fb;c/d=?e", "url_param a%2fb;c/d=?e"},
		{"/cart;sid=path?sid=query", "url_param path"},
		{"/cart;SID=abc?Sid=abc", "nothing"},
		{"/cart;sidx=abc;xsid=abc?sidx=1&xsid=2", "nothing"},
		{"/sid=abc", "nothing"},
		{"/cart;sid", "nothing"},
		{"/cart%3Bsid=abc", "nothing"},
		{"/cart?x;sid=abc", "nothing"},
		{"/cart?%73id=abc", "nothing"},
		{"/cart?sid", "nothing"},
		{"/", "nothing"},
	} {
		target := parsed(t, tt.url)
		if got := found(both.Find(nil, target.Path, target.Query)); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.url, got, tt.want)
		}
	}
}

func TestOnlyTheDefinedCarriersAreLookedAt(t *testing.T) {
	cookie, path := fields("Cookie: SID=c; =x"), []byte("/;sid=p;=x")
	for _, tt := range []struct {
		name string
		d    Definition
		want string
	}{
		{"both: the cookie comes first", Definition{Cookie: "SID", URLParam: "sid"}, "cookie c"},
		{"cookie is not there", Definition{Cookie: "other", URLParam: "sid"}, "url_param p"},
		{"cookie alone", Definition{Cookie: "other"}, "nothing"},
		{"parameter alone", Definition{URLParam: "sid"}, "url_param p"},
		{"neither", Definition{}, "nothing"},
	} {
		if got := found(tt.d.Find(cookie, path, []byte("=x"))); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBuiltinDefinitionsAreWhatTheirNamesSay(t *testing.T) {
	all := Builtin()
	for name, d := range all {
		if d.Name != name || d.Cookie == "" {
			t.Errorf("%s is %+v", name, d)
		}
	}
	if len(all) != len(builtin) {
		t.Errorf("%d definitions have %d names", len(builtin), len(all))
	}
	jsp, php := all["JSESSIONID"], all["PHPSESSID"]
	target := parsed(t, "/shop/cart;jsessionid=0A1B.node2?PHPSESSID=q8")
	if got := found(jsp.Find(nil, target.Path, target.Query)); got != "url_param 0A1B.node2" {
		t.Errorf("JSESSIONID finds %q", got)
	}
	if got := found(php.Find(nil, target.Path, target.Query)); got != "url_param q8" {
		t.Errorf("PHPSESSID finds %q", got)
	}
	all["JSESSIONID"] = Definition{}
	if Builtin()["JSESSIONID"] != jsp {
		t.Error("a caller's change to the map has changed the definitions")
	}
}

func TestAppendHidden(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"", ""},
		{"/", "/"},
		{"/sid=1", "/sid=1"},
		{"/a;sid=secret", "/a;sid=*"},
		{"/a;sid=secret/b;v=1;other=x?sid=y&z=1#f", "/a;sid=*/b;v=1;other=*?sid=*&z=1#f"},
		{"/a;sid=;sid=b", "/a;sid=;sid=*"},
		{"/a;sidx=1;xsid=2?Sid=3", "/a;sidx=1;xsid=2?Sid=3"},
		{"/?a&sid=b?c&sid", "/?a&sid=*&sid"},
		{"http://h/?sid=a;sid=b&sid=c", "http://h/?sid=*&sid=*"},
		{"sid=1;sid=2", "sid=1;sid=*"},
		{"/;;;?&?&sid=1&", "/;;;?&?&sid=*&"},
	} {
		got := AppendHidden(nil, []byte(tt.url), []string{"sid", "other"}, func(dst, _ []byte) []byte { return append(dst, '*') })
		if string(got) != tt.want {
			t.Errorf("%s is shown as %s, want %s", tt.url, got, tt.want)
		}
	}
}
