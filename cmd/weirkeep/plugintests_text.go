package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

func (a *app) printPluginTests(r *pluginTestReport) error {
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
	return r.write(a.stdout, a.paint(a.stdout), a.quiet)
}

// write writes the report for people; when that is all they want, only what went
// wrong.
func (r *pluginTestReport) write(w io.Writer, ink paint, quiet bool) error {
	var b strings.Builder
	for _, t := range r.Tests {
		if !quiet || !t.OK {
			t.write(&b, ink)
		}
	}
	if !quiet || r.Failed > 0 {
		fmt.Fprintf(&b, "%d passed, %d failed · %s\n", r.Passed, r.Failed, strings.Join(r.Engines, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *pluginTestResult) write(b *strings.Builder, ink paint) {
	name := printable(t.Name)
	if t.OK {
		b.WriteString(spread("ok    "+name, fmt.Sprintf("fuel %d", t.Fuel)))
		return
	}
	line := spread("FAIL  "+name, fmt.Sprintf("%s:%d", t.File, t.Line))
	b.WriteString(ink.red(line[:4]) + line[4:])
	for _, m := range t.Mismatches {
		m.write(b, t.File)
	}
}

// write writes what is wrong: in one line, or several where they are.
func (m *pluginMismatch) write(b *strings.Builder, file string) {
	at := ""
	if m.Line > 0 {
		at = fmt.Sprintf("%s:%d", file, m.Line)
	}
	if strings.Contains(m.Want+m.Got, "\n") {
		b.WriteString(spread("        "+m.Key+":", at))
		for _, side := range []struct{ name, text string }{{"want", m.Want}, {"got ", m.Got}} {
			for line := range strings.SplitSeq(side.text, "\n") {
				fmt.Fprintf(b, "          %s  %s\n", side.name, printable(line))
			}
		}
	} else {
		b.WriteString(spread(fmt.Sprintf("        %s: want %s, got %s", m.Key, shownPart(m.Want), shownPart(m.Got)), at))
	}
	if m.Note != "" {
		fmt.Fprintf(b, "        %s\n", printable(m.Note))
	}
}

// steps tells on a terminal at which of some steps the work is.
type steps struct {
	out  io.Writer // nil: nobody is told
	noun string
	of   int
	next time.Time
}

func (a *app) newSteps(noun string, of int) *steps {
	c := &steps{noun: noun, of: of}
	if terminal(a.stderr) && !a.quiet {
		c.out = a.stderr
	}
	return c
}

// tick tells, some times a second.
func (c *steps) tick(done int, what string) {
	now := time.Now()
	if c.out == nil || now.Before(c.next) {
		return
	}
	c.next = now.Add(200 * time.Millisecond)
	fmt.Fprintf(c.out, "\r\x1b[K%s %d of %d: %s", c.noun, done+1, c.of, excerpt(what, 50))
}

// end takes the line away.
func (c *steps) end() {
	if c.out != nil && !c.next.IsZero() {
		fmt.Fprint(c.out, "\r\x1b[K")
	}
}
