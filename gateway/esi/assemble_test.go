package esi

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// run is a page in a table: what it is made from, and what comes of it.
type run struct {
	id        string
	template  string
	fragments map[string]string
	with      func(o *Options)
	page      string // "!" and an error behind it, if it ended with one
	fetched   string // URLs, sorted; empty: not looked at
}

func (tt *run) check(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := Default()
		if tt.with != nil {
			tt.with(&o)
		}
		p, _ := parse(t, tt.template)
		splits(t, tt.template)
		for _, pieces := range []int{0, 1, 7} {
			s := &shelf{fragments: tt.fragments, pieces: pieces}
			got, _, err := assembled(t, p, s, o)
			if err != nil {
				got += "!" + err.Error()
			}
			if got != tt.page {
				t.Errorf("the page is %q, want %q", got, tt.page)
			}
			slices.Sort(s.fetched)
			if f := strings.Join(s.fetched, " "); tt.fetched != "" && f != tt.fetched {
				t.Errorf("fetched %q, want %q", f, tt.fetched)
			}
		}
	})
}

func depth(n int) func(o *Options)  { return func(o *Options) { o.Depth = n } }
func budget(n int) func(o *Options) { return func(o *Options) { o.Includes = n } }
func onError(e OnError) func(o *Options) {
	return func(o *Options) { o.OnError, o.Fallback = e, []byte("(sorry)") }
}
func holding(n int) func(o *Options)     { return func(o *Options) { o.Hold = n } }
func first(f FirstByte) func(o *Options) { return func(o *Options) { o.FirstByte = f } }
func heldAt(n int) func(o *Options)      { return func(o *Options) { o.Hold, o.FirstByte = n, Held } }

const long = "0123456789abcdefghijklmnopqrstuvwxyz"

var runs = []run{
	{id: "I1 200, 203 and 204 are fragments", template: `<esi:include src="/a"/><esi:include src="/b"/><esi:include src="/c"/>.`,
		fragments: map[string]string{"/a": "200 a", "/b": "203 b", "/c": "204 never"}, page: "ab."},
	{id: "I1 206 is none", template: `a<esi:include src="/a" alt="/b"/>.`, fragments: map[string]string{"/a": "206 x"}, page: "a[/b].", fetched: "/a /b"},
	{id: "I1 3xx is none", template: `a<esi:include src="/a" alt="/b"/>.`, fragments: map[string]string{"/a": "302 x"}, page: "a[/b]."},
	{id: "I2 alt", template: `a<esi:include src="/a" alt="/b"/>.`, fragments: map[string]string{"/a": "fail unreachable"}, page: "a[/b].", fetched: "/a /b"},
	{id: "I2 alt is not fetched before", template: `a<esi:include src="/a" alt="/b"/>.`, page: "a[/a].", fetched: "/a"},
	{id: "I2 onerror", template: `a<esi:include src="/a" onerror="continue"/>.`, fragments: map[string]string{"/a": "500 x"}, page: "a."},
	{id: "I2 alt, then onerror", template: `a<esi:include src="/a" alt="/b" onerror="continue"/>.`, fragments: map[string]string{"/a": "500 x", "/b": "404 y"}, page: "a."},
	{id: "I2 neither", template: `a<esi:include src="/a"/>.`, fragments: map[string]string{"/a": "500 x"}, page: "a!include failed: server-status"},
	{id: "I2 another onerror", template: `a<esi:include src="/a" onerror="stop"/>.`, fragments: map[string]string{"/a": "500 x"}, page: "a!include failed: server-status"},
	{id: "I2 src is no URL whatever the request, and alt is", template: `a<esi:include src="javascript:x" alt="/b"/>.`, page: "a[/b].", fetched: "/b"},
	{id: "I2 src is no URL for this request", template: `a<esi:include src="//$(HTTP_HOST)/" alt="/b"/>.`, page: "a[/b]."},
	{id: "I3 blanks made by a variable are encoded", template: `<esi:include src="/?$(QUERY_STRING_DECODED{e})"/>.`, page: "[/?%3Cb%3E%20%26]."},
	{id: "choose: what is not taken is not fetched", template: `<esi:choose><esi:when test="0"><esi:include src="/a"/></esi:when><esi:otherwise><esi:include src="/b"/></esi:otherwise></esi:choose>`,
		page: "[/b]", fetched: "/b"},

	{id: "try: the attempt", template: `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt><esi:except>b<esi:include src="/b"/></esi:except></esi:try>.`,
		page: "a[/a].", fetched: "/a"},
	{id: "try: except", template: `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt><esi:except>b<esi:include src="/b"/></esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x"}, page: "b[/b].", fetched: "/a /b"},
	{id: "try: what was before is dropped", template: `<esi:try><esi:attempt>a<esi:include src="/k"/><esi:vars>$(HTTP_HOST)</esi:vars><esi:include src="/a"/>c</esi:attempt><esi:except>b</esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x"}, page: "b."},
	{id: "try: what recovered does not fail it", template: `<esi:try><esi:attempt>a<esi:include src="/a" onerror="continue"/><esi:include src="/a" alt="/k"/></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x"}, page: "a[/k]."},
	{id: "try: nested in a choose", template: `<esi:try><esi:attempt><esi:choose><esi:when test="1"><esi:include src="/a"/></esi:when></esi:choose></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x"}, page: "b."},
	{id: "try: nested in a fragment", template: `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		fragments: map[string]string{"/a": `esi x<esi:include src="/b"/>`, "/b": "500 x"}, page: "b."},
	{id: "try: within an attempt", template: `<esi:try><esi:attempt>a<esi:try><esi:attempt>c<esi:include src="/a"/></esi:attempt><esi:except>d</esi:except></esi:try></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x"}, page: "ad."},
	{id: "try: an except fails", template: `<esi:try><esi:attempt>a<esi:try><esi:attempt>c<esi:include src="/a"/></esi:attempt><esi:except>d<esi:include src="/a"/></esi:except></esi:try></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x"}, page: "b."},
	{id: "try: no except", template: `a<esi:try><esi:attempt>b<esi:include src="/a"/></esi:attempt></esi:try>.`, fragments: map[string]string{"/a": "500 x"}, page: "a!include failed: server-status"},
	{id: "try: a long fragment breaks off", template: `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		with: holding(5), fragments: map[string]string{"/a": "cut " + long}, page: "b."},
	{id: "try: the site's policy does not make good what an except will", template: `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt><esi:except>b</esi:except></esi:try>.`,
		with: onError(Empty), fragments: map[string]string{"/a": "500 x"}, page: "b."},

	{id: "R1 a failure before the first byte", template: `<esi:include src="/a"/>b`, fragments: map[string]string{"/a": "404 x"}, page: "!include failed: client-status"},
	{id: "R1 a failure in a fragment", template: `<esi:include src="/t"/>b`, fragments: map[string]string{"/t": `esi <esi:include src="/a"/>`, "/a": "fail timed-out"}, page: "!include failed: timed-out"},
	{id: "R2 fail, and the page breaks off behind what was sent", template: `a<esi:include src="/a"/>b`, fragments: map[string]string{"/a": "500 x"}, page: "a!include failed: server-status"},
	{id: "R2 empty", template: `a<esi:include src="/a"/>.`, with: onError(Empty), fragments: map[string]string{"/a": "500 x"}, page: "a."},
	{id: "R2 the site's fragment", template: `a<esi:include src="/a"/>.`, with: onError(UseFallback), fragments: map[string]string{"/a": "500 x"}, page: "a(sorry)."},
	{id: "R2 the site's fragment within a fragment", template: `a<esi:include src="/a" alt="/k"/>.`, with: onError(UseFallback),
		fragments: map[string]string{"/a": `esi x<esi:include src="/b"/>y`, "/b": "500 x"}, page: "ax(sorry)y."},
	{id: "R3 hold", template: `a<esi:include src="/k"/><esi:include src="/a"/>.`, with: first(Held), fragments: map[string]string{"/a": "500 x"}, page: "!include failed: server-status"},
	{id: "R3 hold, and nothing fails", template: `a<esi:include src="/k"/><esi:include src="/a"/>.`, with: first(Held), page: "a[/k][/a]."},
	{id: "R3 hold, and a long fragment", template: `a<esi:include src="/a"/><esi:include src="/k"/>.`, with: heldAt(5), fragments: map[string]string{"/a": "200 " + long}, page: "a" + long + "[/k]."},
	{id: "R3 hold, and a long fragment breaks off", template: `a<esi:include src="/a"/>.`, with: heldAt(5), fragments: map[string]string{"/a": "cut " + long}, page: "a" + long + "!fragment broke off within the page"},
	{id: "R3 hold, and a long fragment in a guarded template", template: `a<esi:include src="/t" onerror="continue"/>.`, with: heldAt(5),
		fragments: map[string]string{"/t": `esi x<esi:include src="/a"/><esi:include src="/b"/>`, "/a": "200 " + long, "/b": "500 x"}, page: "a."},
	{id: "R4 a fragment that breaks off, and onerror", template: `before <esi:include src="/a" onerror="continue"/> after`, fragments: map[string]string{"/a": "cut half"}, page: "before  after"},
	{id: "R4 a fragment that breaks off, and alt", template: `before <esi:include src="/a" alt="/k"/> after`, fragments: map[string]string{"/a": "cut half"}, page: "before [/k] after"},
	{id: "R4 a long one", template: `before <esi:include src="/a" onerror="continue"/> after`, with: holding(5), fragments: map[string]string{"/a": "cut " + long}, page: "before " + long + "!fragment broke off within the page"},
	{id: "R4 a long one that does not", template: `before <esi:include src="/a" onerror="continue"/> after`, with: holding(5), fragments: map[string]string{"/a": "200 " + long}, page: "before " + long + " after"},
	{id: "R4 a template that fails before its end", template: `a<esi:include src="/t" onerror="continue"/>.`, fragments: map[string]string{"/t": `esi x<esi:include src="/b"/>`, "/b": "500 x"}, page: "a."},
	{id: "R4 a template that fails, and alt", template: `a<esi:include src="/t" alt="/k"/>.`, fragments: map[string]string{"/t": `esi x<esi:include src="/b"/>`, "/b": "500 x"}, page: "a[/k]."},
	{id: "R4 a long template that fails", template: `a<esi:include src="/t" alt="/k"/>.`, with: holding(20), fragments: map[string]string{"/t": `esi ` + long + `<esi:include src="/b"/>`, "/b": "500 x"}, page: "a" + long + "!fragment broke off within the page"},
	{id: "R4 a template that fails, and nothing makes it good", template: `a<esi:include src="/t"/>.`, fragments: map[string]string{"/t": `esi x<esi:include src="/b"/>`, "/b": "500 x"}, page: "ax!include failed: server-status"},
	{id: "R4 a template that fails within one that is guarded", template: `a<esi:include src="/s" alt="/k"/>.`,
		fragments: map[string]string{"/s": `esi s<esi:include src="/t" alt="/u"/>`, "/t": `esi x<esi:include src="/b"/>`, "/u": "404 x", "/b": "500 x"}, page: "a[/k]."},
	{id: "R5 bodies of errors", template: `<esi:include src="/a" onerror="continue"/><esi:include src="/b" alt="/c" onerror="continue"/>.`,
		fragments: map[string]string{"/a": "500 x", "/b": "404 y", "/c": "503 z"}, page: "."},

	{id: "7 depth", template: `0<esi:include src="/1"/>.`, with: depth(2), page: "012<deep>21.",
		fragments: map[string]string{"/1": `esi 1<esi:include src="/2"/>1`, "/2": `esi 2<esi:try><esi:attempt><esi:include src="/3"/></esi:attempt><esi:except type="nestingtoodeep"><deep></esi:except></esi:try>2`}, fetched: "/1 /2"},
	{id: "7 depth 0", template: `a<esi:include src="/a" onerror="continue"/>.`, with: depth(0), page: "a."},
	{id: "7 cycle", template: `a<esi:include src="/1"/>.`, page: "a1.",
		fragments: map[string]string{"/1": `esi 1<esi:include src="/2" onerror="continue"/>`, "/2": `esi 2<esi:include src="/1"/>`}, fetched: "/1 /2"},
	{id: "7 a page within itself", template: `a<esi:include src="/d/e/f?c=Bergen&amp;x=1&amp;e=%3Cb%3E+%26&amp;d=%2e%2e&amp;n=%00" onerror="continue"/>.`, page: "a."},
	{id: "7 budget", template: `<esi:include src="/a"/><esi:include src="/b"/><esi:include src="/c" onerror="continue"/>.`, with: budget(2), page: "[/a][/b].", fetched: "/a /b"},
	{id: "7 alternatives count", template: `<esi:include src="/a" alt="/b"/><esi:include src="/c" onerror="continue"/>.`, with: budget(2),
		fragments: map[string]string{"/a": "ready 500 x"}, page: "[/b]."},
	{id: "7 fragment", template: `a<esi:include src="/a" onerror="continue"/>.`, with: func(o *Options) { o.Fragment = 10 }, fragments: map[string]string{"/a": "200 " + long}, page: "a."},
	{id: "7 fragment in memory", template: `a<esi:include src="/a" onerror="continue"/>.`, with: func(o *Options) { o.Fragment = 10 }, fragments: map[string]string{"/a": "ready 200 " + long}, page: "a."},
	{id: "7 a long fragment", template: `a<esi:include src="/a" onerror="continue"/>.`, with: func(o *Options) { o.Fragment, o.Hold = 36, 5 }, fragments: map[string]string{"/a": "200 " + long}, page: "a" + long + "."},
	{id: "7 page", template: `0123456789<esi:vars>x</esi:vars>`, with: func(o *Options) { o.Page = 10 }, page: "!assembled page is too large"},
	{id: "7 page, by fragments", template: `01234<esi:include src="/abc"/>`, with: func(o *Options) { o.Page = 10 }, page: "01234!assembled page is too large"},
	{id: "7 values", template: `<esi:vars>$(HTTP_HOST)$(HTTP_HOST)</esi:vars>`, with: func(o *Options) { o.Values = 12 }, page: "Web.example!assembled page is too large"},

	{id: "C8 two of one URL", template: `<esi:include src="/a"/><esi:include src="a/../../../a"/>.`, page: "[/a][/a].", fetched: "/a"},
	{id: "C8 two of one URL that is slow", template: `<esi:include src="/a"/><esi:include src="/a"/>.`, fragments: map[string]string{"/a": "slow 200 a"}, page: "aa.", fetched: "/a"},
	{id: "C8 two of one URL that is long", template: `<esi:include src="/a"/><esi:include src="/a"/>.`, with: holding(5), fragments: map[string]string{"/a": "200 " + long}, page: long + long + ".", fetched: "/a"},
	{id: "C8 two of one URL that breaks off", template: `<esi:include src="/a" onerror="continue"/><esi:include src="/a" alt="/k"/>.`, with: holding(5), fragments: map[string]string{"/a": "cut " + long}, page: "[/k].", fetched: "/a /k"},
	{id: "C8 of one URL, in a fragment too", template: `<esi:include src="/a"/><esi:include src="/t"/>.`, fragments: map[string]string{"/t": `esi <esi:include src="/a"/>`}, page: "[/a][/a].", fetched: "/a /t"},
	{id: "C8 of one URL that was sent as it came", template: `<esi:include src="/a"/><esi:include src="/t"/>.`, with: holding(5), fragments: map[string]string{"/a": "200 " + long, "/t": `slow esi <esi:include src="/a"/>`},
		page: long + long + ".", fetched: "/a /a /t"},
	{id: "C8 a template twice", template: `<esi:include src="/t"/><esi:include src="/t"/>.`, fragments: map[string]string{"/t": `esi <esi:include src="/a"/>`}, page: "[/a][/a].", fetched: "/a /t"},
	{id: "C8 of one URL, one of them as a template", template: `<esi:include src="/a"/><esi:include src="/a" dca="esi"/>.`, page: "[/a][/a].", fetched: "/a /a"},
	{id: "C8 alt of one is src of another", template: `<esi:include src="/a" alt="/b"/><esi:include src="/b"/>.`, fragments: map[string]string{"/a": "slow 500 x"}, page: "[/b][/b].", fetched: "/a /b"},

	{id: "D1 order", template: `0<esi:include src="/a"/>1<esi:include src="/b"/>2`, fragments: map[string]string{"/a": "slow 200 a"}, page: "0a1[/b]2"},
	{id: "D3 empty fragments", template: `<esi:include src="/a"/><esi:include src="/a"/><esi:include src="/b"/><esi:vars></esi:vars>`, fragments: map[string]string{"/a": "200 ", "/b": "esi "}, page: ""},
	{id: "D5 byte order mark", template: `a<esi:include src="/a"/><esi:include src="/b"/><esi:include src="/c"/><esi:include src="/d"/>.`,
		fragments: map[string]string{"/a": "200 \xef\xbb\xbfx", "/b": "esi \xef\xbb\xbfy", "/c": "200 \xef\xbb\xbf", "/d": "ready 200 \xef\xbb\xbfz"}, page: "axyz."},
	{id: "D5 byte order mark of a long fragment", template: `a<esi:include src="/a"/>.`, with: holding(0), fragments: map[string]string{"/a": "200 \xef\xbb\xbf" + long}, page: "a" + long + "."},

	{id: "V4 the page's request, at any depth", template: `<esi:include src="/t?c=own"/>`, fragments: map[string]string{"/t?c=own": "esi <esi:vars>$(QUERY_STRING{c})$(REQUEST_QUERY{c})$(HTTP_COOKIE{tier})</esi:vars>"}, page: "Bergenowngold"},
	{id: "V4 URLs are relative to the fragment", template: `<esi:include src="/t/u/v"/>`, fragments: map[string]string{"/t/u/v": `esi <esi:include src="w"/>`}, page: "[/t/u/w]"},
	{id: "V4 and to its host", template: `<esi:include src="http://h/t/u/v"/>`, fragments: map[string]string{"http://h/t/u/v": `esi <esi:include src="/w"/>`}, page: "[http://h/w]"},
	{id: "Z1 a fragment is data", template: `<esi:include src="/a"/>`, fragments: map[string]string{"/a": `200 <esi:include src="/b"/>$(HTTP_HOST)`}, page: `<esi:include src="/b"/>$(HTTP_HOST)`, fetched: "/a"},

	{id: "13-3 a fragment in memory", template: `a<esi:include src="/a"/>.`, fragments: map[string]string{"/a": "ready 200 x"}, page: "ax."},
	{id: "13-16 three deep, and one behind", template: `0<esi:include src="/1"/>.<esi:include src="/k"/>`,
		fragments: map[string]string{"/1": `esi 1<esi:include src="/2"/>1`, "/2": `slow esi 2<esi:include src="/3"/>2`, "/3": "slow 200 3"}, page: "012321.[/k]"},
	{id: "13-23 a page that includes itself twice", template: `<esi:include src="/1?"/><esi:include src="/1??"/>.`, with: func(o *Options) { o.OnError = Empty },
		fragments: map[string]string{"/1?": `esi 1<esi:include src="/1?"/><esi:include src="/1??"/>`, "/1??": `esi 2<esi:include src="/1?"/><esi:include src="/1??"/>`}, page: "1221.", fetched: "/1? /1??"},
	{id: "13-24 values of the client's request, two levels down", template: `<esi:include src="/1"/>.`,
		fragments: map[string]string{"/1": `esi <esi:include src="/2?c=own"/>`, "/2?c=own": `esi <esi:vars>$(QUERY_STRING{c}) $(HTTP_HOST) $(HTTP_COOKIE{tier})</esi:vars>`}, page: "Bergen Web.example gold."},
	{id: "13-25 breaks off, no onerror", template: `before <esi:include src="/a"/> after`, fragments: map[string]string{"/a": "cut half"}, page: "before !include failed: bad-body"},
	{id: "13-26 an error with and without a body", template: `<esi:include src="/a" onerror="continue"/><esi:include src="/b" onerror="continue"/>.`, fragments: map[string]string{"/a": "500 x", "/b": "500 "}, page: "."},
	{id: "13-27 depth 0, no onerror", template: `a<esi:include src="/a"/>.`, with: depth(0), page: "a!include failed: too-deep"},
	{id: "13-32 a fragment that waits itself", template: `a<esi:include src="/a"/>b<esi:include src="/t"/>c`, fragments: map[string]string{"/a": "slow 200 x", "/t": `slow esi <esi:include src="/a"/>`}, page: "axbxc"},
	{id: "13-33 nothing between includes", template: `<esi:include src="/a"/><esi:include src="/b"/>`, page: "[/a][/b]"},

	{id: "13-38 what stands in for a failure fails too", template: `a<esi:try><esi:attempt><esi:include src="/a" alt="/b"/></esi:attempt><esi:except><esi:include src="/c"/></esi:except></esi:try>.`,
		fragments: map[string]string{"/a": "500 x", "/b": "fail unreachable", "/c": "404 y"}, page: "a!include failed: client-status"},

	{id: "ES-08 only the branch that is taken", template: `<esi:choose><esi:when test="$(HTTP_COOKIE{tier})=='gold'"><esi:include src="/a"/></esi:when><esi:otherwise><esi:include src="/b"/></esi:otherwise></esi:choose>`, page: "[/a]", fetched: "/a"},
	{id: "ES-14 a host that must not be asked", template: `a<esi:include src="http://other.example.net/x" onerror="continue"/><esi:include src="http://other.example.net/x" alt="/k"/>.`,
		fragments: map[string]string{"http://other.example.net/x": "fail bad-target"}, page: "a[/k]."},
	{id: "ES-15 503 and alt", template: `<esi:include src="/a" alt="/k"/>.`, fragments: map[string]string{"/a": "503 x"}, page: "[/k]."},
	{id: "ES-15 timeout and onerror", template: `<esi:include src="/a" onerror="continue"/>.`, fragments: map[string]string{"/a": "fail timed-out"}, page: "."},
	{id: "ES-15 404 and except", template: `<esi:try><esi:attempt><esi:include src="/a"/></esi:attempt><esi:except>e</esi:except></esi:try>.`, fragments: map[string]string{"/a": "404 x"}, page: "e."},
	{id: "ES-15 503 and none", template: `<esi:include src="/a"/>.`, fragments: map[string]string{"/a": "503 x"}, page: "!include failed: server-status"},
}

func TestAssemble(t *testing.T) {
	for _, tt := range runs {
		t.Run(tt.id, tt.check)
	}
}

// Every failure is caught by the except of its type, and by one without.
func TestExceptsByType(t *testing.T) {
	for f := TooDeep; f < failureCount; f++ {
		want := failureTable[f].except
		var excepts strings.Builder
		for _, row := range failureTable {
			if name := row.except; name != "" && name != want {
				excepts.WriteString(`<esi:except type="` + name + `">` + name + `</esi:except>`)
			}
		}
		template := `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt>` + excepts.String() + `<esi:except type="incorrectxmlfragment ` + strings.ToUpper(want) + `">` + want +
			`</esi:except><esi:except>any</esi:except></esi:try>`
		r := run{template: template, fragments: map[string]string{"/a": "fail " + f.String()}, page: want}
		r.check(t)
		r.template = `<esi:try><esi:attempt>a<esi:include src="/a"/></esi:attempt>` + excepts.String() + `<esi:except>any</esi:except></esi:try>`
		r.page = "any"
		r.check(t)
	}
}

// R6: what a client may be told has no URL, and what a log may be told has.
func TestErrorsNameNoURL(t *testing.T) {
	p, _ := parse(t, `<esi:include src="/secret"/>`)
	_, report, err := assembled(t, p, &shelf{fragments: map[string]string{"/secret": "500 x"}}, Default())
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.URL != "http://web.example/secret" || failed.Failure != ServerStatus || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v, of %+v", err, failed)
	}
	if report.Failures[ServerStatus] != 1 {
		t.Errorf("failures are %v", report.Failures)
	}
}

func TestReports(t *testing.T) {
	p, _ := parse(t, `<esi:include src="/a"/><esi:include src="/a"/><esi:include src="/b" alt="/c"/><esi:include src="/d" onerror="continue"/><esi:vars>$(HTTP_COOKIE{x})</esi:vars>`)
	_, got, err := assembled(t, p, &shelf{fragments: map[string]string{"/b": "404 x", "/c": "ready 200 c", "/d": "500 x"}}, Default())
	want := Report{Includes: 5, Fetches: 3, Recovered: 2, Bytes: 9, Uses: UsesCookies}
	want.Failures[ClientStatus], want.Failures[ServerStatus] = 1, 1
	if err != nil || got != want {
		t.Errorf("the report is %+v, want %+v: %v", got, want, err)
	}
}

// Of each failure it is known whether something made it good.
func TestReportsOfFailures(t *testing.T) {
	fragments := map[string]string{"/e": "500 x", "/t": `esi <esi:include src="/e"/>`, "/cut": "cut " + long}
	for _, tt := range []struct {
		template        string
		policy          OnError
		recovered, lost int
	}{
		{`<esi:include src="/e"/>`, Fail, 0, 1},
		{`<esi:include src="/e"/><esi:include src="/e"/>`, Empty, 0, 2},
		{`<esi:include src="/e" alt="/e"/>`, UseFallback, 0, 1},
		{`<esi:include src="/e" alt="/a"/><esi:include src="/e" onerror="continue"/>`, Fail, 2, 0},
		{`<esi:try><esi:attempt><esi:include src="/e"/></esi:attempt><esi:except>x</esi:except></esi:try>`, Empty, 1, 0},
		{`<esi:try><esi:attempt><esi:include src="/e"/></esi:attempt><esi:except type="noconnection">x</esi:except></esi:try>`, Empty, 0, 1},
		{`<esi:include src="/t" onerror="continue"/>`, Fail, 1, 0},
		{`<esi:include src="/t" onerror="continue"/>`, Empty, 0, 1},
		{`<esi:include src="/cut"/>`, Fail, 0, 1},
	} {
		p, _ := parse(t, tt.template)
		o := Default()
		o.Hold, o.OnError = 4, tt.policy
		_, r, err := assembled(t, p, &shelf{fragments: fragments, pieces: 8}, o)
		if r.Recovered != tt.recovered || r.Lost != tt.lost {
			t.Errorf("%s: %d are made good and %d lost, want %d and %d: %v", tt.template, r.Recovered, r.Lost, tt.recovered, tt.lost, err)
		}
	}
}
