package esi

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tokens are what templates are made of, well-formed or not.
var tokens = []string{
	`<esi:include src="/a"/>`, `<esi:include src="/b" alt='/a' onerror="continue">`, `</esi:include>`, `<esi:param name="a" value="b"/>`, `<esi:include src="`, `<esi:include`,
	`<esi:remove>`, `</esi:remove>`, `<esi:comment text="x"/>`, `<esi:comment text="x">`, `<esi:comment>`, `</esi:comment>`, `<esi:vars>`, `</esi:vars>`,
	`<esi:choose>`, `</esi:choose>`, `<esi:when test="1">`, `<esi:when test="0">`, `</esi:when>`, `<esi:otherwise>`, `</esi:otherwise>`,
	`<esi:try>`, `</esi:try>`, `<esi:attempt>`, `</esi:attempt>`, `<esi:except>`, `<esi:except type="httpclienterror">`, `</esi:except>`,
	`<esi:text>`, `</esi:text>`, `<esi:inline name="/i">`, `</esi:inline>`, `<esi:invalidate>`, `</esi:invalidate>`, `<esi:bogus>`, `</esi:bogus/>`,
	`<!--esi `, `-->`, `<!--`, `<![CDATA[`, `]]>`, `$(HTTP_HOST)`, `$(QUERY_STRING{c}|'x')`, `$(`, `)`, `"`, `'`, `>`, `/>`, `<`, ` `, "\n", `text`, `</`, `<esi:`, `-`, `]`, `=`,
}

// Templates of tokens in any order make a program that is sound, the same wherever they are
// split, and the same page whether fragments are in memory or come.
func TestTemplatesInAnyOrder(t *testing.T) {
	inBubbles(t, 3000, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		if r.IntN(4) == 0 {
			b.WriteString(strings.Repeat("<esi:vars>", maxNesting-r.IntN(6)))
		}
		for range r.IntN(30) {
			b.WriteString(tokens[r.IntN(len(tokens))])
		}
		template := b.String()
		whole, problems := parse(t, template)
		sound(t, whole)
		for range 3 {
			split, told := fed(t, template, r.IntN(len(template)+1), r.IntN(9), r.IntN(9), 1, 1)
			if listing(whole) != listing(split) || fmt.Sprint(problems) != fmt.Sprint(told) {
				t.Fatalf("seed %d: %q split is\n%s %v, want\n%s %v", seed, template, listing(split), told, listing(whole), problems)
			}
		}
		k := kindly{kinds: []string{"200 a", "404 b", "esi <esi:include src='/c'/>"}, seed: int(seed)}
		want, err := outcome(t, whole, k, Default())
		k.ready = true
		if got, err2 := outcome(t, whole, k, Default()); got != want || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("seed %d: %q makes %q: %v, and in memory %q: %v", seed, template, want, err, got, err2)
		}
	})
}

// What is read again is the same: a page of a template without opaque parts has no markup
// that would mean something, wherever a tag was dropped.
func TestNoRawMarkupGoesOut(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		for range r.IntN(20) {
			token := tokens[r.IntN(len(tokens))]
			if strings.HasPrefix(token, "<!") || strings.Contains(token, "esi:text") || token == "<" || token == "</" || token == "<esi:" {
				token = "."
			}
			b.WriteString(token)
		}
		p, _ := parse(t, b.String())
		if i := strings.Index(string(p.Text()), "<esi:"); i >= 0 {
			t.Errorf("%q has in its text %q", b.String(), p.Text()[i:])
		}
		if strings.Contains(string(p.Text()), "</esi:") {
			t.Errorf("%q has an end tag in its text %q", b.String(), p.Text())
		}
	}
}
