package websphere

import (
	"testing"

	"pgregory.net/rapid"

	"weirkeep/rules"
)

// languageFor is a rule language that has these lists.
func languageFor(tb testing.TB, l lists) *rules.Language {
	tb.Helper()
	compiled := map[string]*rules.List{}
	for name, entries := range l.entries() {
		list, err := rules.NewList(entries)
		if err != nil {
			tb.Fatal(err)
		}
		compiled[name] = list
	}
	return rules.New(rules.Options{Lists: compiled, CostLimit: 100_000})
}

// TestTranslationIsTrueExactlyWhenTheOriginalIs holds translations, run by the
// rule language, against the original's three-valued logic.
func TestTranslationIsTrueExactlyWhenTheOriginalIs(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		v := drawVisitor(rt)
		selector, want := v.drawSelector(rt, rapid.IntRange(0, 3).Draw(rt, "depth"))
		c, f := parse(selector)
		if f != nil {
			rt.Fatalf("parse(%s): %s", selector, f[0].message)
		}
		var w writer
		got, f := w.translate(c)
		if f != nil {
			rt.Fatalf("translate(%s): %s", selector, f[0].message)
		}
		p, errs := languageFor(t, w.lists).Compile("rule", got.text)
		if len(errs) > 0 {
			rt.Fatalf("%s became %s: %v", selector, got.text, errs[0])
		}
		matched, err := p.Match(v.request())
		if err != nil {
			rt.Fatalf("%s: %v", got.text, err)
		}
		if matched != (want == yes) {
			rt.Fatalf("%s is %s, and became %s, which is %v", selector, describeTruth(want), got.text, matched)
		}
		seen[describeTruth(want)]++
	})
	if seen["true"] == 0 || seen["false"] == 0 || seen["unknown"] == 0 {
		t.Errorf("the values that were drawn are %v, want some of each", seen)
	}
}

// TestTruthIsTheOriginals holds the evaluation that tests are made with against
// the original's.
func TestTruthIsTheOriginals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := drawVisitor(rt)
		selector, want := v.drawSelector(rt, rapid.IntRange(0, 3).Draw(rt, "depth"))
		c, f := parse(selector)
		if f != nil {
			rt.Fatalf("parse(%s): %s", selector, f[0].message)
		}
		got := map[truth]string{isTrue: "true", isFalse: "false", isUnknown: "unknown"}[c.truth(v.sample())]
		if got != describeTruth(want) {
			rt.Fatalf("%s is %s, evaluated %s", selector, describeTruth(want), got)
		}
	})
}

// sample is the visitor as tests are made of it.
func (v *visitor) sample() *sample {
	s := &sample{
		method: v.fixed["httpmethod"], scheme: v.fixed["protocol"], host: v.fixed["virtualhost"], path: v.fixed["uri"],
		port: v.port, client: v.client, headers: map[string]string{}, cookies: v.cookies, queries: v.queries,
	}
	for name, value := range v.headers {
		s.give(operand{kind: operandKinds["header"], key: name}, value)
	}
	return s
}
