package session

import (
	"strings"
	"testing"
)

// linked is the id that the links of a page have, fed in pieces.
func linked(d *Definition, pieces ...string) string {
	var l Links
	l.Reset(d)
	for _, p := range pieces {
		l.Feed([]byte(p))
	}
	return string(l.ID())
}

// pages is pages with the id that their links have.
var pages = []struct{ page, want string }{
	// Where.
	{`<a href="/cart;sid=abc">`, "abc"},
	{`<a href='/cart;sid=abc'>`, "abc"},
	{`<a href=/cart;sid=abc>`, "abc"},
	{`<a href=/cart;sid=abc class=x>`, "abc"},
	{"<A\nID=x\tHREF\r=\f\"/cart;sid=abc\"\n>", "abc"},
	{`<form method=post action="/buy;sid=abc">`, "abc"},
	{`<img/src="/i;sid=abc"/>`, "abc"},
	{`<iframe src="?sid=abc"></iframe>`, "abc"},
	{`<a title="x>y" href="/;sid=abc">`, "abc"},
	{`<a title='"' x=" href='/;sid=no' " href="/;sid=abc">`, "abc"},
	{`<a =href="/;sid=no" href="/;sid=abc">`, "abc"},
	{`<a class="c"href="/;sid=abc">`, "abc"},
	{`<a href="/"><a href="/;sid=one"><a href="/;sid=two">`, "one"},
	{`<a href="/;sid="><a href="/;sid=abc">`, "abc"},
	{`<a href=/;sid=abc/>`, "abc"},
	{`2 < 3 <> </> <? x ?> <!doctype html> <a href="/;sid=abc">`, "abc"},

	// What.
	{`<a href="http://shop.example/a/b;sid=abc?x=1#f">`, "abc"},
	{`<a href="?sid=abc">`, "abc"},
	{`<a href="/cart?x=1&sid=abc&y=2">`, "abc"},
	{`<a href="/cart?x=1&amp;sid=abc&amp;y=2">`, "abc"},
	{`<a href="/cart?x=1&#38;sid=abc&#x26;y=2">`, "abc"},
	{`<a href="/cart&#x3B;sid&#61;a&#000033;b">`, "a!b"},
	{`<a href="/cart;sid=a&AMP;b&x26;&#;&#x;&#0;&#128;&#xZ;">`, "a&AMP"},
	{`<a href=" /cart;sid=abc ">`, "abc"},
	{`<a href="/cart;sid=a%2fb%7e">`, "a%2Fb~"},
	{`<a href="/cart?sid=a%2fb%7e">`, "a%2fb%7e"},
	{`<a href="/cart#;sid=abc">`, ""},
	{`<a href="/cart?x;sid=abc">`, ""},
	{"<a href=\"/cart;sid=a\nb\">", ""},

	// Where not.
	{`/cart;sid=abc href="/cart;sid=abc"`, ""},
	{`<p>href="/cart;sid=abc"</p>`, ""},
	{`< a href="/cart;sid=abc">`, ""},
	{`<a hrefs="/;sid=abc" xhref="/;sid=abc" data-href="/;sid=abc" srcset="/;sid=abc" href>`, ""},
	{`</a href="/cart;sid=abc">`, ""},
	{`<a href href="/;sid=no"><b href="" HREF="/;sid=no" src="/;sid=abc">`, "abc"},
	{`<!-- <a href="/;sid=abc"> -->`, ""},
	{`<!-- > -> --!x <a href="/;sid=no"> --><a href="/;sid=abc">`, "abc"},
	{`<!--><a href="/;sid=abc">`, "abc"},
	{`<!---><a href="/;sid=abc">`, "abc"},
	{`<!----!><a href="/;sid=abc">`, "abc"},
	{`<!-x <a href="/;sid=no"><a href="/;sid=abc">`, "abc"},
	{`<script>"<a href='/;sid=no'>"</script><a href="/;sid=abc">`, "abc"},
	{`<SCRIPT x>"</a href=x></scripts><a href='/;sid=no'></scri</Script ><a href="/;sid=abc">`, "abc"},
	{`<script src="/s.js;sid=abc">`, "abc"},
	{`<title><a href="/;sid=no"></title><a href="/;sid=abc">`, "abc"},
	{`<textarea><a href="/;sid=no"></textarea/><a href="/;sid=abc">`, "abc"},
	{`<style></style><textareas><a href="/;sid=abc">`, "abc"},
	{`<a href="/cart;sid=abc`, ""},
	{`<a href=/cart;sid=abc`, ""},
	{``, ""},
}

func TestIDsAreLearnedFromLinks(t *testing.T) {
	for _, tt := range pages {
		if got := linked(both, tt.page); got != tt.want {
			t.Errorf("%s: learned %q, want %q", tt.page, got, tt.want)
		}
	}
}

func TestReferencesToASCIIAreResolved(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a&amp;b&#38;c&#x26;d&#X0026;", "a&b&c&d&"},
		{"&#65;&#x7e;&#0126;&#x1;", "A~~\x01"},
		{"&amp;amp;&amp&amp;;", "&amp;&amp&;"},
		{"&AMP;&lt;&copy;&;&#;&#x;&#xg;&#a;", "&AMP;&lt;&copy;&;&#;&#x;&#xg;&#a;"},
		{"&#0;&#128;&#xff;&#99999999;&#-1;", "&#0;&#128;&#xff;&#99999999;&#-1;"},
		{"&#0000000065;&#00000065;&amp", "&#0000000065;A&amp"},
		{"&#38", "&#38"},
		{"none", "none"},
		{"", ""},
	} {
		if got := string(resolve([]byte(tt.text))); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestPagesMayBeSplitAnywhere(t *testing.T) {
	for _, tt := range pages {
		for i := range tt.page {
			if got := linked(both, tt.page[:i], tt.page[i:]); got != tt.want {
				t.Errorf("%s|%s: learned %q, want %q", tt.page[:i], tt.page[i:], got, tt.want)
			}
		}
		if got := linked(both, strings.Split(tt.page, "")...); got != tt.want {
			t.Errorf("%s, byte by byte: learned %q, want %q", tt.page, got, tt.want)
		}
	}
}

func TestLinksLookAtTheFirst64KiB(t *testing.T) {
	const link = `<a href="/;sid=abc">`
	upTo := linksLimit - len(link) + len(`>`) // the value ends with its quote
	for _, tt := range []struct {
		name   string
		before int
		want   string
	}{
		{"link ends with the limit", upTo, "abc"},
		{"link ends behind it", upTo + 1, ""},
	} {
		before := strings.Repeat("x", tt.before)
		if got := linked(both, before[:100], before[100:], link, link); got != tt.want {
			t.Errorf("%s: learned %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLongLinksAreNotLookedAt(t *testing.T) {
	const start, end = "/", ";sid=abc"
	fits := linkLimit - len(start) - len(end)
	for _, tt := range []struct {
		name   string
		length int
		want   string
	}{
		{"as long as may be", fits, "abc"},
		{"one byte longer", fits + 1, "other"},
	} {
		page := `<a href="` + start + strings.Repeat("x", tt.length) + end + `"><a href="/;sid=other">`
		if got := linked(both, page[:1500], page[1500:]); got != tt.want {
			t.Errorf("%s: learned %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLinksCanBeUsedAgain(t *testing.T) {
	var l Links
	for _, tt := range []struct {
		name string
		d    *Definition
		page string
		want string
	}{
		{"found", both, `<a href="/;sid=%7e">`, "~"},
		{"broken off in a script", both, `<script> <!-- `, ""},
		{"from the start again", both, `<a href="/;sid=b">`, "b"},
		{"no session", nil, `<a href="/;sid=c">`, ""},
		{"no parameter", &Definition{Cookie: "SID"}, `<a href="/;=c">`, ""},
		{"another parameter", &Definition{URLParam: "x"}, `<a href="/;sid=c;x=d">`, "d"},
	} {
		l.Reset(tt.d)
		l.Feed([]byte(tt.page))
		if got := string(l.ID()); got != tt.want {
			t.Errorf("%s: learned %q, want %q", tt.name, got, tt.want)
		}
	}
}
