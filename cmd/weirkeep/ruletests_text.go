package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// testWidth is how wide a line of the report is, up to what stands at its end.
const testWidth = 68

func (a *app) printTests(r *testReport, o testOptions) error {
	switch {
	case a.output == "jsonl":
		for _, t := range r.Tests {
			if err := a.print(t); err != nil {
				return err
			}
		}
		return nil
	case a.machine():
		return a.print(r)
	}
	return r.write(a.stdout, a.paint(a.stdout), a.quiet, o)
}

// write writes the report for people; when that is all they want, only what went
// wrong.
func (r *testReport) write(w io.Writer, ink paint, quiet bool, o testOptions) error {
	var b strings.Builder
	for _, t := range r.Tests {
		if !quiet || !t.OK {
			t.write(&b, ink)
		}
	}
	if !quiet || r.Failed > 0 {
		fmt.Fprintf(&b, "%d passed, %d failed", r.Passed, r.Failed)
		if o.coverage || o.failUnder > 0 {
			b.WriteString(" · " + r.Coverage.String())
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *testResult) write(b *strings.Builder, ink paint) {
	name := printable(t.Name)
	if t.OK {
		b.WriteString(spread("ok    "+name, fmt.Sprintf("%d µs", t.Microseconds)))
		return
	}
	line := spread("FAIL  "+name, fmt.Sprintf("%s:%d", t.File, t.Line))
	b.WriteString(ink.red(line[:4]) + line[4:])
	if t.Error != "" {
		fmt.Fprintf(b, "        it cannot be decided: %s\n", printable(t.Error))
	}
	for i, m := range t.Mismatches {
		fmt.Fprintf(b, "        %s: want %s, got %s\n", m.Key, shownPart(m.Want), shownPart(m.Got))
		if last := i == len(t.Mismatches)-1; m.Because != "" && (last || t.Mismatches[i+1].Because != m.Because) {
			b.WriteString(spread("        because: "+printable(m.Because), m.At))
		}
	}
}

// shownPart is a part of a decision as a report shows it.
func shownPart(text string) string {
	if text == "" {
		return "none"
	}
	return printable(text)
}

// spread is a line with a text at its begin and one at its end.
func spread(begin, end string) string {
	if end == "" {
		return begin + "\n"
	}
	return begin + strings.Repeat(" ", max(testWidth-utf8.RuneCountInString(begin), 2)) + end + "\n"
}
