package route

import (
	"slices"
	"strings"
)

// variants are what answers may be shared with, as indexes into
// Table.variants: the one of requests that are balanced, and those of requests
// that go to their session's origin, by its identity.
type variants struct {
	balanced int
	bound    []int
}

// Variant is what an answer may be shared with, in words: the application, the
// edition, and, if a rule has narrowed the best set and does not say that it
// may be shared all the same, what it permits. Answers of different variants are
// of different requests, even if their URLs are equal.
func (t *Table) Variant(i int) string { return t.variants[i] }

// variantsOf makes the variants of an order of groups. What a failover group
// answers has the variant of the first.
func (t *Table) variantsOf(app string, groups []Group, permitted string, members []Member) variants {
	v := variants{bound: make([]int, t.identities)}
	v.balanced = t.variant(app, t.editions(groups[0].Members), permitted)
	for _, m := range members {
		v.bound[t.origin(m).Identity] = t.variant(app, t.origin(m).Edition.Label, permitted)
	}
	return v
}

// editions names the editions of some origins.
func (t *Table) editions(members []Member) string {
	var labels []string
	for _, m := range members {
		labels = append(labels, t.origin(m).Edition.Label)
	}
	slices.Sort(labels)
	return strings.Join(slices.Compact(labels), "+")
}

func (t *Table) variant(app, edition, permitted string) int {
	var parts []string
	for _, p := range []struct{ name, value string }{{"application", app}, {"edition", edition}, {"permitted", permitted}} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	text := strings.Join(parts, ", ")
	return intern(&t.interned.variants, &t.variants, text, text)
}

// vary says what the answer may be shared with.
func (t *Table) vary(d *Decision) {
	if d.Reason != Matched {
		d.Home, d.Order = -1, -1
		return
	}
	v := &t.sets[d.set].variants
	if d.Action == Permit && !d.Shielded {
		v = &t.sets[d.set].narrowed[t.rules[d.Rule].permit].variants
	}
	d.Variant = v.balanced
	if d.Home >= 0 {
		d.Variant = v.bound[d.Home]
	}
}
