package esi

import (
	"strings"
	"testing"
)

// pageRow is a template, the page that it makes with fragments that say their URL, and the
// kinds of its problems.
type pageRow struct{ id, template, page, problems string }

// syntaxRows are the rules of section 2, and the rows of the table of corner cases that are
// about markup.
var syntaxRows = []pageRow{
	{"E4 anything may come first", `{"a": <esi:include src="/k"/>}`, `{"a": [/k]}`, ""},
	{"S1 names are in lower case", `<esi:INCLUDE src="/k"/><ESI:include src="/k"/>`, `<ESI:include src="/k"/>`, "unknown-element"},
	{"S1 no namespace is needed, and one harms nothing", `<html xmlns:esi="http://www.edge-delivery.org/esi/1.0"><esi:include src="/k"/>`, `<html xmlns:esi="http://www.edge-delivery.org/esi/1.0">[/k]`, ""},
	{"S2 tags, entities and marks that a read may end within", `<p><esi:include src="/k?a=1&amp;b=&#65;" alt='/l'/><!--esi x --><![CDATA[y]]><!--z--></p><esi:vars>$(HTTP_COOKIE{tier}|'a b')</esi:vars>`, `<p>[/k?a=1&b=A] x <![CDATA[y]]><!--z--></p>gold`, ""},
	{"S3 quotes of both kinds", `<esi:include src='/k'/><esi:include src="/l"/>`, `[/k][/l]`, ""},
	{"S3 the other quote within", `<esi:vars><esi:choose><esi:when test='"a"=="a"'>y</esi:when></esi:choose></esi:vars>`, `y`, ""},
	{"S3 blanks round the equals sign", "<esi:include src = \"/k\"/><esi:include src\n=\n'/l'/>", `[/k][/l]`, "loose loose"},
	{"S3 no quotes", `<esi:include src=/k /><esi:include src=/l/><esi:include src=/m></esi:include>`, `[/k][/l][/m]`, "loose loose loose"},
	{"S3 entities, once", `<esi:include src="/k?a=1&amp;b=&lt;&gt;&quot;&apos;&#65;&#x42;&amp;amp;&no;&;&#0;"/>`, `[/k?a=1&b=<>"'AB&amp;&no;&;&]`, ""},
	{"S3 unknown attributes", `<esi:include src="/k" colour="red" x:y="z"/>`, `[/k]`, ""},
	{"S3 a repeated attribute", `a<esi:include src="/k" src="/l"/>b`, `ab`, "attribute"},
	{"S4 ends", `<esi:include src="/k"/><esi:include src="/l"></esi:include><esi:include src="/m">n`, `[/k][/l][/m]n`, "loose"},
	{"S4 blanks before an end tag that belongs to it", "<esi:include src='/k'> \n </esi:include>b", `[/k]b`, ""},
	{"S4 blanks before what does not", "<esi:include src='/k'> \n <p>", "[/k] \n <p>", "loose"},
	{"S4 children need an end tag", `<esi:include src="/k"> <esi:param name="a" value="1 2"/> <esi:request_header name="X" value="y"/> </esi:include>.`, `[/k?a=1%202].`, ""},
	{"S5 unknown elements", `a<esi:bogus x="1">b</esi:bogus>c<esi:other/>d`, `abcd`, "unknown-element unknown-element unknown-element"},
	{"S6 what only looks like it", "<f<esi?<esi/></><!----><!--><esi:\n'<esi:'<esi>", "<f<esi?<esi/></><!----><!--><esi:\n'<esi:'<esi>", ""},
	{"S6 HTML that is not well-formed", "<p <p></b <a href='>\"<!doctype><?xml?", "<p <p></b <a href='>\"<!doctype><?xml?", ""},
	{"S6 comments are opaque", `<!-- <esi:include src="/k"/> $(HTTP_HOST) --><esi:include src="/k"/>`, `<!-- <esi:include src="/k"/> $(HTTP_HOST) -->[/k]`, ""},
	{"S6 short comments end", `<!--><esi:include src="/k"/><!---><esi:include src="/l"/>-->`, `<!-->[/k]<!--->[/l]-->`, ""},
	{"S6 CDATA is opaque", `<![CDATA[<esi:include src="/k"/>]]]><esi:include src="/k"/>]]>`, `<![CDATA[<esi:include src="/k"/>]]]>[/k]]]>`, ""},
	{"S6 a comment that never ends", `<!-- <esi:include src="/k"/>`, `<!-- <esi:include src="/k"/>`, ""},
	{"S6 a script", `<script>if (a<b && b>c) x('</div>', '<esi:')</script>`, `<script>if (a<b && b>c) x('</div>', '<esi:')</script>`, ""},

	{"13-1 no ESI", "<html>\r\n<body>text</body></html>\n", "<html>\r\n<body>text</body></html>\n", ""},
	{"13-2 CDATA hides an end tag", `a<esi:remove><![CDATA[</esi:remove>]]>x</esi:remove>b`, `ab`, ""},
	{"13-4 a comment is unwrapped", `p<!--esi <esi:include src="/k"/> -->q`, `p [/k] q`, ""},
	{"13-5 relative URLs", `<esi:include src="g"/><esi:include src="?x=1"/><esi:include src="../g"/><esi:include src="/g"/>`, `[/d/e/g][/d/e/f?x=1][/d/g][/g]`, ""},
	{"13-6 another host", `<esi:include src="http://shop/x"/>`, `[http://shop/x]`, ""},
	{"13-7 no path", `<esi:include src="http://shop"/><esi:include src="http://shop?q"/>`, `[http://shop/][http://shop/?q]`, ""},
	{"13-8 the template ends within a tag", `a<esi:include src="/k`, `a`, "unfinished-tag"},
	{"13-8 the template ends before it is one", `a</esi:`, `a</esi:`, ""},
	{"13-8 the template ends within a mark", `a<!--es`, `a<!--es`, ""},
	{"13-9 bogus element", `a<esi:bogus/>b<esi:include src="/k"/>`, `ab[/k]`, "unknown-element"},
	{"13-9 missing slash", `a<esi:include src="/l">b<esi:include src="/k"/>`, `a[/l]b[/k]`, "loose"},
	{"13-9 stray end tags", `a</esi:remove>b</esi:when></esi:vars></esi:include>c<esi:include src="/k"/>`, `abc[/k]`, "stray-end-tag stray-end-tag stray-end-tag stray-end-tag"},
	{"13-9 nested remove", `a<esi:remove>b<esi:remove>c</esi:remove>d</esi:remove>e<esi:include src="/k"/>`, `ae[/k]`, ""},
	{"13-9 empty remove", `a<esi:remove/>b<esi:include src="/k"/>`, `ab[/k]`, "loose"},
	{"13-9 no src", `a<esi:include/>b<esi:include alt="/l"/><esi:include src="/k"/>`, `ab[/k]`, "attribute attribute"},
	{"13-9 src without value", `a<esi:include src=/>b<esi:include src=>c<esi:include src=""/><esi:include src="/k"/>`, `abc[/k]`, "loose target loose target loose target"},
	{"13-9 src without a word", `a<esi:include src/>b<esi:include src="/k"/>`, `ab[/k]`, "malformed-tag"},
	{"13-9 src and blanks", `a<esi:include src= x />b<esi:include src="/k"/>`, `a[/d/e/x]b[/k]`, "loose"},
	{"13-9 unclosed quote", `a<esi:include src="/l/>b<esi:include src="/k"/>`, `ab[/k]`, "malformed-tag"},
	{"13-9 unclosed quote before other quotes", `a<esi:include src="/l/>b<p class="c">d<esi:include src="/k"/>`, `ab<p class="c">d[/k]`, "malformed-tag"},
	{"13-9 unclosed quote up to the end", `a<esi:include src="/l/>b <b>c</b>`, `ab <b>c</b>`, "malformed-tag"},
	{"13-9 unclosed quote before another tag", `a<esi:include src="/l/>b</esi:vars>" title="x">c`, `ab" title="x">c`, "malformed-tag stray-end-tag"},
	{"13-9 a tag within a tag that has no end", `a<esi:include <esi:include src="/k"/>b`, `a[/k]b`, "malformed-tag"},
	{"13-9 a value without a name's form", `a<esi:include src='/l"/>b`, `ab`, "malformed-tag"},
	{"13-9 blank in src", `a<esi:include src="/l m"/>b<esi:include src=" /l"/><esi:include src="/k"/>`, `ab[/k]`, "target target"},
	{"13-9 attribute that begins with >", `a<esi:include >src="/l"/>b<esi:include ="/l"/><esi:include src="/k"/>`, `asrc="/l"/>b[/k]`, "attribute loose malformed-tag"},
	{"13-10 literals", `<f<esi?<esi/>`, `<f<esi?<esi/>`, ""},
	{"13-13 nothing but blanks", " \r\n\t \n", " \r\n\t \n", ""},
	{"13-17 entities", `<esi:include src="/&lt;"/><esi:include src="/?&amp;&quot;"/>`, `[/<][/?&"]`, ""},
	{"13-19 include inside remove", `a<esi:remove><esi:include src="/k"/></esi:remove>b`, `ab`, ""},
	{"13-34 comments", `<!--esiX k --><!--esi k --><!--esi--><!--esi<p>--><!--ESI k -->`, `<!--esiX k --> k <!--esi--><p><!--ESI k -->`, ""},
	{"13-34 comments inside remove", `a<esi:remove><!--esiX k --><!--esi k --></esi:remove>b`, `ab`, ""},
	{"13-36 https", `<esi:include src="https://web.example/k"/>`, `[https://web.example/k]`, ""},
	{"13-37 byte order mark", "\xef\xbb\xbf<esi:include src='/k'/>", "\xef\xbb\xbf[/k]", ""},

	{"ES-01 quotes and raw UTF-8 in src", `a<esi:include src="blub.html?q="dödel""/>b<esi:include src="/k"/>`, `ab[/k]`, "malformed-tag"},
	{"ES-02 targets that are none", `<esi:include src="http://"/><esi:include src="https:"/><esi:include src=""/><esi:include src="http://[::1"/><esi:include src="javascript:x"/>.`, `.`, "target target target target target"},
	{"ES-02 targets that are", `<esi:include src="http://example.com"/><esi:include src="//example.com"/><esi:include src="?x"/><esi:include src="HTTP://Example.COM:80/y"/>`, `[http://example.com/][http://example.com/][/d/e/f?x][http://example.com/y]`, ""},
	{"ES-06 comments", `<!--esi <p><esi:include src="/f"/></p>--><!--esitest--><!-- esi x -->`, ` <p>[/f]</p><!--esitest--><!-- esi x -->`, ""},
	{"ES-06 a comment that never ends", `<!--esi a<esi:include src="/f"/>b`, ` a[/f]b`, ""},
	{"DX-04 ends of published examples", `<esi:include src="/k"></esi:include><esi:include src="/k" />`, `[/k][/k]`, ""},
}

func TestSyntax(t *testing.T) { checkRows(t, syntaxRows) }

// checkRows checks what templates make, and that they make it wherever they are split.
func checkRows(t *testing.T, rows []pageRow) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.id, func(t *testing.T) {
			p, problems := parse(t, tt.template)
			if got := page(t, p); got != tt.page {
				t.Errorf("%q makes\n%q, want\n%q", tt.template, got, tt.page)
			}
			if got := kindsOf(problems); got != tt.problems {
				t.Errorf("%q has problems %q, want %q\n%v", tt.template, got, tt.problems, problems.List)
			}
			splits(t, tt.template)
		})
	}
}

// 13-18: the end of a long run is exact.
func TestLongRunsAreExact(t *testing.T) {
	run := strings.Repeat("0123456789abcde\n", 64<<10/16)
	for _, tail := range []string{"", "x", "</h1>", "<", "</", "-->", "</es"} {
		template := "a<esi:remove>" + run + "</esi:remove></h1>" + run + tail
		p, problems := fed(t, template, 20, 64<<10-30, 1, 1, 1, 40)
		if want := "a</h1>" + run + tail; page(t, p) != want || problems.Total() > 0 {
			t.Errorf("with %q at the end, the page differs, or there are problems: %v", tail, problems.List)
		}
	}
}
