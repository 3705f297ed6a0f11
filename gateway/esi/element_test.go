package esi

import (
	"runtime"
	"strings"
	"testing"
)

// elementRows are the elements of sections 3 and 4.
var elementRows = []pageRow{
	{"include inserts", `a<esi:include src="/k"/>b`, `a[/k]b`, ""},
	{"include with variables", `<esi:include src="/w?city=$(QUERY_STRING{c}|'Oslo')&z=$(QUERY_STRING{z}|'Oslo')" alt="/w/none" onerror="continue"/>`, `[/w?city=Bergen&z=Oslo]`, ""},
	{"include with attributes that are no values", `<esi:include src="/k" ttl="soon" max-age="1+" maxwait="-1" dca="xml" no-store="perhaps" cache-tag=""/>`, `[/k]`, "attribute attribute attribute attribute attribute attribute"},
	{"param", `<esi:include src="/k?x"><esi:param name="c" value="$(QUERY_STRING{c})"/><esi:param name="a b" value="&amp;"></esi:param></esi:include>`, `[/k?x&c=Bergen&a%20b=%26]`, ""},
	{"param without name", `<esi:include src="/k"><esi:param value="v"/></esi:include>.`, `[/k].`, "attribute"},
	{"param of an include that was dropped", `<esi:include src="/k"/><esi:include src="javascript:x"><esi:param name="a" value="b"/></esi:include>.`, `[/k].`, "target"},
	{"param with a value that no URL may have", `<esi:include src="/k" alt="/l"><esi:param name="a" value="$(QUERY_STRING{n})"/></esi:include><esi:include src="/m"><esi:param name="a" value="$(QUERY_STRING{x})$(QUERY_STRING{x})"/></esi:include>.`, `!include failed: bad-target`, ""},
	{"param that stands alone", `a<esi:param name="a" value="b"/>b`, `ab`, "misplaced"},
	{"text ends an include", `<esi:include src="/k">a<esi:param name="a" value="b"/></esi:include>b`, `[/k]ab`, "loose misplaced stray-end-tag"},

	{"inline is used in its place", `a<esi:inline name="/i" fetchable="no">b<esi:include src="/k"/></esi:inline>c`, `ab[/k]c`, ""},

	{"choose: the first that is true", `<esi:choose><esi:when test="0">a</esi:when><esi:when test="1">b</esi:when><esi:when test="1">c</esi:when><esi:otherwise>d</esi:otherwise></esi:choose>.`, `b.`, ""},
	{"choose: otherwise", `<esi:choose> <esi:when test="0">a</esi:when> <esi:otherwise>d</esi:otherwise> </esi:choose>.`, `d.`, ""},
	{"choose: otherwise stands first", `<esi:choose><esi:otherwise>d</esi:otherwise><esi:when test="1">b</esi:when></esi:choose>.<esi:choose><esi:otherwise>d</esi:otherwise><esi:when test="0">b</esi:when></esi:choose>.`, `b.d.`, ""},
	{"choose: none", `<esi:choose><esi:when test="0">a</esi:when></esi:choose>.`, `.`, ""},
	{"choose: empty", `<esi:choose></esi:choose>.<esi:choose/>.`, `..`, "loose"},
	{"choose: nested", `<esi:choose><esi:when test="1">a<esi:choose><esi:when test="0">b</esi:when><esi:otherwise>c</esi:otherwise></esi:choose>d</esi:when><esi:otherwise>e</esi:otherwise></esi:choose>.`, `acd.`, ""},
	{"choose: text within", `<esi:choose>x<esi:when test="1">a</esi:when>y<b>z</esi:choose>.`, `a.`, "misplaced"},
	{"choose: elements within", `<esi:choose><esi:include src="/k"/><esi:vars>b<esi:when test="1">c</esi:when></esi:vars><esi:when test="1">a</esi:when></esi:choose>.`, `a.`, "misplaced misplaced"},
	{"choose: comments within", `<esi:choose><esi:comment text="x"/><esi:remove>y</esi:remove><esi:comment text="x"><esi:when test="1">a</esi:when><esi:comment>z</esi:comment></esi:choose>.`, `a.`, "loose"},
	{"choose: an include without a slash within", `<esi:choose><esi:include src="/k"><esi:when test="1">a</esi:when></esi:choose>.`, `a.`, "misplaced"},
	{"choose: two otherwise", `<esi:choose><esi:otherwise>a</esi:otherwise><esi:otherwise>b</esi:otherwise></esi:choose>.`, `a.`, "misplaced"},
	{"choose: tests that are none", `<esi:choose><esi:when>a</esi:when><esi:when test="(">b</esi:when><esi:when test="1" test="1">c</esi:when><esi:otherwise>d</esi:otherwise></esi:choose>.`, `d.`, "attribute test attribute"},
	{"choose: no end tags", `<esi:choose><esi:when test="1">a</esi:choose>.`, `a.`, "unclosed-element"},
	{"choose: none around", `a<esi:when test="1">b</esi:when>c<esi:otherwise>d</esi:otherwise>e`, `ace`, "misplaced misplaced"},
	{"choose: never ends", `a<esi:choose><esi:when test="1">b`, `ab`, "unclosed-element unclosed-element"},

	{"try: the attempt", `<esi:try> <esi:attempt>a<esi:include src="/k"/></esi:attempt> <esi:except>b</esi:except> </esi:try>.`, `a[/k].`, ""},
	{"try: except stands first", `<esi:try><esi:except>b</esi:except><esi:attempt>a</esi:attempt></esi:try>.`, `a.`, ""},
	{"try: two attempts", `<esi:try><esi:attempt>a</esi:attempt><esi:attempt>b</esi:attempt></esi:try>.`, `a.`, "misplaced"},
	{"try: no attempt", `<esi:try><esi:except>b</esi:except></esi:try>.`, `.`, "misplaced"},
	{"try: text within", `<esi:try>x<esi:attempt>a</esi:attempt>y</esi:try>.`, `a.`, "misplaced"},
	{"try: types of except", `<esi:try><esi:attempt>a</esi:attempt><esi:except type="httpclienterror, nonesuch">b</esi:except></esi:try>.`, `a.`, "attribute"},
	{"try: none around", `a<esi:attempt>b</esi:attempt><esi:except>c</esi:except>d`, `ad`, "misplaced misplaced"},

	{"comment", `a<esi:comment text="x > y"/>b<esi:comment text="x">c`, `abc`, "loose"},
	{"comment with its end tag", `a<esi:comment text="x"></esi:comment>b`, `ab`, ""},
	{"comment: long form", `a<esi:comment>b<esi:include src="/k"/><esi:comment text="c"/></esi:comment>d`, `ad`, ""},

	{"remove", `a<esi:remove>b<!-- </esi:remove> --><esi:vars>$(HTTP_HOST)</esi:vars></esi:remove>c`, `ac`, ""},
	{"remove that never ends", `a<esi:remove>b`, `a`, "unclosed-element"},
	{"remove holds tags of other elements", `a<esi:remove></esi:choose><esi:choose><esi:when test="1">b</esi:remove>c`, `ac`, ""},

	{"vars", `$(HTTP_HOST)<esi:vars>a $(HTTP_HOST) b</esi:vars>$(HTTP_HOST)`, `$(HTTP_HOST)a Web.example b$(HTTP_HOST)`, ""},
	{"vars: jQuery outside and inside", `$('a')<esi:vars>$('b').c($(HTTP_HOST))$(d)</esi:vars>`, `$('a')$('b').c(Web.example)$(d)`, "variable variable"},
	{"vars: elements within", `<esi:vars>$(HTTP_HOST)<esi:include src="/k"/><esi:choose>$(HTTP_HOST)<esi:when test="1">$(QUERY_STRING{x})</esi:when></esi:choose></esi:vars>`, `Web.example[/k]1`, "misplaced"},
	{"vars: attributes of HTML", `<esi:vars><a href="?x=$(QUERY_STRING{e})" title='$(QUERY_STRING{e})'></esi:vars>`, `<a href="?x=&lt;b&gt; &amp;" title='&lt;b&gt; &amp;'>`, ""},
	{"vars: nested", `<esi:vars><esi:vars>$(HTTP_HOST)</esi:vars>$(HTTP_HOST)</esi:vars>$(HTTP_HOST)`, `Web.exampleWeb.example$(HTTP_HOST)`, ""},
	{"vars: an open quote in a reference", `<esi:vars>$(HTTP_HOST|'a <esi:include src="/k"/> b')</esi:vars>`, `$(HTTP_HOST|'a [/k] b')`, "variable"},
	{"vars: opaque comments", `<esi:vars><!-- $(HTTP_HOST) --></esi:vars>`, `<!-- $(HTTP_HOST) -->`, ""},

	{"text is not read", `a<esi:text><esi:include src="/k"/>$(HTTP_HOST)<!-- </esi:text>b</esi:text>c`, `a<esi:include src="/k"/>$(HTTP_HOST)<!-- bc`, "stray-end-tag"},
	{"text within a comment that is read", `<!--esi <esi:text>a-->b</esi:text>c`, ` abc`, ""},
	{"text that never ends", `<esi:text>a</esi:te`, `a</esi:te`, "unclosed-element"},
	{"text: other end tags", `<esi:text>a</esi:textile>b</esi:text>c`, `abc`, "unknown-element"},

	{"what is none of the page's", `a<esi:assign name="x">b</esi:assign><esi:function name="f">c</esi:function><esi:log>d</esi:log><esi:environment src="/e" name="n"/>e`, `ae`, ""},
	{"invalidate", `a<esi:invalidate output="yes"><?xml version="1.0"?><x/></esi:invalidate>b`, `ab`, ""},

	{"end tags in the wrong order", `<esi:vars>a<esi:choose><esi:when test="1">b</esi:vars>c</esi:when></esi:choose>d`, `abcd`, "unclosed-element unclosed-element stray-end-tag stray-end-tag"},
	{"unwrapped: the first end counts", `<!--esi a<!-- b -->c-->d`, ` a<!-- b c-->d`, ""},
	{"unwrapped: not within an attribute", `<!--esi <esi:include src="/k?-->"/>a-->b`, ` [/k?-->]ab`, ""},
	{"unwrapped: within CDATA", `<!--esi <![CDATA[a-->b<esi:include src="/k"/>]]>`, ` <![CDATA[ab[/k]]]>`, ""},
	{"unwrapped: an element goes on behind it", `<!--esi <esi:remove>a-->b</esi:remove>c`, ` c`, ""},
	{"unwrapped: dashes", `<!--esi a-b--c->d--->e`, ` a-b--c->d-e`, ""},
}

func TestElements(t *testing.T) { checkRows(t, elementRows) }

// What is nested deeper than a template may be is dropped, and all in it.
func TestDeepNestingIsDropped(t *testing.T) {
	template := strings.Repeat("<esi:vars>", maxNesting) + "a<esi:choose><esi:when test='1'>b</esi:when></esi:choose><esi:include src='/k'/><esi:include src='/l'>d" +
		strings.Repeat("</esi:vars>", maxNesting) + "c"
	p, problems := parse(t, template)
	if got := page(t, p); got != "a[/k][/l]dc" || kindsOf(problems) != "nested-too-deep" {
		t.Errorf("the page is %q with problems %v", got, problems.List)
	}
}

// What is on the very edge is dropped as a whole, and leaves nothing half done.
func TestNothingIsHalfDoneWhereNestingEnds(t *testing.T) {
	for _, inner := range []string{
		`<esi:choose><esi:when test="0">x</esi:when><esi:otherwise>x</esi:otherwise></esi:choose>`,
		`<esi:choose><esi:otherwise>x</esi:otherwise><esi:when test="0">x</esi:when></esi:choose>`,
		`<esi:try><esi:attempt>x</esi:attempt><esi:except>y</esi:except></esi:try>`,
		`<esi:vars>x</esi:vars>`, `<esi:invalidate>y</esi:invalidate>x`, `<esi:comment text="y">x`, `<esi:text>x</esi:text>`,
	} {
		for n := maxNesting - 4; n <= maxNesting+1; n++ {
			template := strings.Repeat("<esi:inline>", n) + inner + strings.Repeat("</esi:inline>", n) + "$(HTTP_HOST)."
			p, _ := parse(t, template)
			sound(t, p)
			if got := page(t, p); got != "x$(HTTP_HOST)." && (n <= maxNesting-2 || got != "$(HTTP_HOST).") {
				t.Errorf("%s in %d others is %q", inner, n, got)
			}
		}
	}
}

func TestIncludesBeyondTheMostAreDropped(t *testing.T) {
	p, problems := parse(t, strings.Repeat(`<esi:include src="/k"/>`, maxIncludes+2)+".")
	if p.Includes() != maxIncludes || kindsOf(problems) != "excess excess" {
		t.Errorf("there are %d includes, and problems %v", p.Includes(), problems.List)
	}
}

// Size is what a program keeps in memory, about.
func TestSizeFitsInWhatAProgramTakes(t *testing.T) {
	template := strings.Repeat(`<p>text</p><esi:include src="/k?c=$(QUERY_STRING{c})" alt="/l"/><esi:choose><esi:when test="$(HTTP_COOKIE{a})=='b'">c</esi:when></esi:choose>`, 500)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var all []*Program
	for range 20 {
		p, _ := parse(t, template)
		all = append(all, p)
	}
	took, said := float64(heap()-before)/20, float64(all[0].Size())
	if said < 0.6*took || said > 1.4*took {
		t.Errorf("a program says %.0f bytes and takes %.0f", said, took)
	}
	runtime.KeepAlive(all)
}

func TestInvalidationsAreKept(t *testing.T) {
	const first, second = `<?xml version="1.0"?><A "x">`, "text <!-- </esi:invalidate> -->"
	p, _ := parse(t, `a<esi:invalidate output="yes">`+first+`<esi:vars>y</esi:vars></esi:invalidate>b<esi:invalidate>`+second+
		`</esi:invalidate><esi:invalidate>`+strings.Repeat("x", maxOrder+1)+`</esi:invalidate>`)
	got := p.Invalidations()
	if len(got) != 3 || !got[0].Output || string(got[0].Body) != first+"y" || got[1].Output || string(got[1].Body) != second || got[2].Body != nil {
		t.Errorf("the invalidations are %+v", got)
	}
}

func TestTemplatesThatAreTooLargeAreRefused(t *testing.T) {
	p := Parser{Limits: Limits{Template: 10}}
	if _, err := p.Write([]byte("0123456789")); err != nil {
		t.Error(err)
	}
	if _, err := p.Write([]byte("a")); err != ErrTooLarge {
		t.Errorf("Write() = %v, want ErrTooLarge", err)
	}
}

func TestLongAttributesAreRefused(t *testing.T) {
	long := strings.Repeat("x", 100)
	for template, want := range map[string]string{
		`a<esi:include src="/` + long[:29] + `"/>b`:         "a[/" + long[:29] + "]b",
		`a<esi:include src="/` + long[:30] + `"/>b`:         "ab attribute",
		`a<esi:include src="/` + long + `"/>b`:              `a src="/` + long + `"/>b malformed-tag`,
		`a<esi:include ` + strings.Repeat(" ", 60) + `/>b`:  "a" + strings.Repeat(" ", 61) + "/>b malformed-tag",
		`a<esi:include x=">` + long + `" src="/k"/>b`:       `a` + long + `" src="/k"/>b malformed-tag`,
		`a<esi:vars>$(HTTP_HOST|'` + long + `')</esi:vars>`: "aWeb.example",
	} {
		p, problems, err := Parse([]byte(template), Limits{Attribute: 30})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(page(t, p)+" "+kindsOf(problems), " "); got != want {
			t.Errorf("%q makes %q, want %q", template, got, want)
		}
	}
}

// S7: problems are counted by kind, and the first of them told with offset and element.
func TestProblemsSayWhereTheyAre(t *testing.T) {
	_, problems := parse(t, strings.Repeat("x", 10)+"<esi:bogus/>"+strings.Repeat("</esi:vars>", 30))
	if len(problems.List) != MaxProblems || problems.Total() != 31 || problems.Counts[Stray] != 30 || problems.Counts[Unknown] != 1 {
		t.Errorf("%d of %d problems are listed, by kind %v", len(problems.List), problems.Total(), problems.Counts)
	}
	if _, all, _ := Parse([]byte(strings.Repeat("</esi:vars>", 30)), Limits{Problems: 25}); len(all.List) != 25 || all.Total() != 30 {
		t.Errorf("%d of %d problems are listed, want 25 of 30", len(all.List), all.Total())
	}
	for template, want := range map[string]string{
		"0123456789<esi:bogus/>":                      "byte 10: esi:bogus: there is no such element; its tags are dropped, its content stays",
		"<esi:vars>$(HTTP_HOST) $(NO)</esi:vars>":     "byte 23: esi:vars: there is no such variable; it is empty",
		"<esi:vars>$(HTTP_HOST) $(</esi:vars>":        "byte 23: esi:vars: this is no variable, and stays as it is",
		"<esi:choose> x</esi:choose>":                 "byte 13: esi:choose: text that stands directly in it is dropped",
		"a<esi:remove>b":                              "byte 1: esi:remove: its end tag is missing",
		"a<esi:include src='/a$(NO)'/>":               "byte 1: esi:include: there is no such variable; it is empty",
		"<esi:include src='/a'> <b>":                  `byte 0: esi:include: it ends in ">" where "/>" is meant`,
		"a<esi:include src='/a":                       "byte 1: esi:include: the template ends within the tag, which is dropped",
		"<esi:vars><esi:include src='/'/></esi:when>": "byte 32: esi:when: nothing is open that it ends; it is dropped",
	} {
		_, problems := parse(t, template)
		if got := problems.List[0].String(); got != want {
			t.Errorf("%q: the first is %q, want %q", template, got, want)
		}
	}
}
