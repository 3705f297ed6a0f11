package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"weirkeep/gateway"
)

// page writes what is made of a template, and of which fragments.
func (t *teller) page(p *gateway.ExplainedPage) {
	if p == nil {
		return
	}
	t.line("page", "%-9s %s", p.Does, p.Why)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	for i := range p.Fragments {
		f := &p.Fragments[i]
		fmt.Fprintf(w, "%s%s\t%s\t%s\n", strings.Repeat("  ", f.Level), cmp.Or(f.URL, "(none)"), f.Does, fragmentText(f))
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		t.line("", "%s", strings.TrimRight(line, " \n"))
	}
	if p.More > 0 {
		t.line("", "  and %s", plural(p.More, "more fragment"))
	}
}

// fragmentText is what there is to say of a fragment.
func fragmentText(f *gateway.ExplainedFragment) string {
	var parts []string
	add := func(there bool, format string, args ...any) {
		if there {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if f.TTL != nil {
		add(true, "ttl %s", secondsText(*f.TTL))
	}
	add(f.Why != "" && f.Does != "fresh", "%s", f.Why)
	add(f.Template, "a template itself")
	add(f.Site != "", "site %s", f.Site)
	add(f.InPlace, "alt, in the place of a src that cannot be asked for")
	add(f.Else != "", "else %s", f.Else)
	add(f.Optional, "else nothing")
	if f.Last != nil {
		add(true, "%s", lastText(f.Last))
	}
	return strings.Join(parts, ", ")
}

// lastText is how a fragment was had not long ago.
func lastText(l *gateway.ExplainedLast) string {
	text := fmt.Sprintf("last %d ms", l.Milliseconds)
	for _, part := range []string{l.Cache, l.Failure} {
		if part != "" {
			text += " " + part
		}
	}
	if l.Status != 0 {
		text += fmt.Sprintf(" %d", l.Status)
	}
	if l.Why != "" {
		text += " (" + l.Why + ")"
	}
	return text
}

// pageOfAnswer writes what would be made of an answer that was given.
func (t *teller) pageOfAnswer(page string) {
	switch page {
	case "":
	case "assembled":
		t.line("", "  page    would be assembled of it")
	case "deferred":
		t.line("", "  page    would be left to the surrogate that asks")
	default:
		t.line("", "  page    none would be made of it: %s", page)
	}
}
