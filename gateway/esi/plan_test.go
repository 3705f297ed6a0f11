package esi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// planText is a plan in a line: level, URL, and what else there is to say.
func planText(all []Planned) string {
	var parts []string
	for _, p := range all {
		text := fmt.Sprint(p.Level, " ")
		if p.Include == nil {
			text += p.Failure.String()
		} else {
			text += strings.TrimPrefix(p.URL.String(), "http://web.example")
		}
		if p.Alternate {
			text += " for src"
		}
		if p.Shared {
			text += " again"
		}
		if p.Alt != "" {
			text += " or " + strings.TrimPrefix(p.Alt, "http://web.example")
		}
		if p.Continues {
			text += " or nothing"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// What is planned is what the request would ask for, and where the page's fragments are
// templates what these would.
func TestPlan(t *testing.T) {
	for _, tt := range []struct{ template, want string }{
		{`a`, ""},
		{`<esi:include src="/a"/><esi:include src="b" alt="/c"/><esi:include src="/d" onerror="continue"/>`, "1 /a, 1 /d/e/b or /c, 1 /d or nothing"},
		{`<esi:include src="/a"/><esi:include src="/a"/>`, "1 /a, 1 /a again"},
		{`<esi:choose><esi:when test="$(HTTP_COOKIE{tier})=='gold'"><esi:include src="/gold"/></esi:when><esi:otherwise><esi:include src="/b"/></esi:otherwise></esi:choose>`, "1 /gold"},
		{`<esi:choose><esi:when test="$(HTTP_COOKIE{tier})=='iron'"><esi:include src="/iron"/></esi:when><esi:otherwise><esi:include src="/b"/></esi:otherwise></esi:choose>`, "1 /b"},
		{`<esi:include src="/$(HTTP_COOKIE{tier})"/><esi:include src="/$(HTTP_COOKIE{JSESSIONID})x"/>`, "1 /gold, 1 /x"},
		{`<esi:try><esi:attempt><esi:include src="/a"/></esi:attempt><esi:except><esi:include src="/b"/></esi:except></esi:try>`, "1 /a"},
		{`<esi:remove><esi:include src="/a"/></esi:remove>`, ""},
		{`<esi:include src="/$(QUERY_STRING{d})/x"/>`, "1 bad-target"},
		{`<esi:include src="/$(QUERY_STRING{d})/x" alt="/b" onerror="continue"/>`, "1 /b for src or nothing"},
		{`<esi:include src="/t"/><esi:include src="/z"/>`, "1 /t, 2 /one, 2 /two, 1 too-many"},
		{`<esi:include src="/deep"/>`, "1 /deep, 2 too-deep"},
		{`<esi:include src="/1?"/>`, "1 /1?, 2 /2?, 3 too-deep, 3 /3?, 4 too-many"},
	} {
		p, _ := parse(t, tt.template)
		asked := []string{}
		o := Default()
		o.Includes = 3
		got := planText(Plan(&Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, func(i *Include) *Program {
			asked = append(asked, i.URL.Target)
			nested := map[string]string{
				"/t": `<esi:include src="one"/><esi:include src="two"/>`, "/deep": `<esi:include src="/deep"/>`,
				"/1?": `<esi:include src="/2?"/>`, "/2?": `<esi:include src="/1?"/><esi:include src="/3?"/>`, "/3?": `<esi:include src="/4?"/>`,
			}[i.URL.Target]
			if nested == "" {
				return nil
			}
			p, _ := parse(t, nested)
			return p
		}))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.template, got, tt.want)
		}
		if slices.Sort(asked); len(slices.Compact(slices.Clone(asked))) != len(asked) {
			t.Errorf("%s: asked about %v", tt.template, asked)
		}
	}
}

// A plan is what a page then asks for, if nothing of it fails.
func TestPlanIsWhatIsAskedFor(t *testing.T) {
	for _, tt := range runs {
		p, _ := parse(t, tt.template)
		o := Default()
		if tt.with != nil {
			tt.with(&o)
		}
		s := &shelf{}
		if _, _, err := assembled(t, p, s, o); err != nil {
			continue
		}
		var planned []string
		for _, q := range Plan(&Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, func(*Include) *Program { return nil }) {
			if q.Include != nil && !q.Shared {
				planned = append(planned, s.key(q.URL))
			}
		}
		slices.Sort(planned)
		slices.Sort(s.fetched)
		if !slices.Equal(planned, s.fetched) {
			t.Errorf("%s: %v is planned, and %v is asked for", tt.id, planned, s.fetched)
		}
	}
}
