package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// replayReport is what `replay -o json` prints.
type replayReport struct {
	Schema      int  `json:"schema"`
	Interrupted bool `json:"interrupted"` // not all of the logs was read
	Requests    int  `json:"requests"`    // records; the sum of the next three
	Stay        int  `json:"stay"`
	Move        int  `json:"move"`
	Undecided   int  `json:"undecided"`
	Redecided   int  `json:"redecided"` // of those that stay: by another rule, or in another site
	Unreadable  int  `json:"unreadable"`
	Other       int  `json:"other"` // lines of the gateway's own log

	Moves           []counter    `json:"moves"`       // never null; most first
	Redecisions     []counter    `json:"redecisions"` // never null
	Reasons         []counter    `json:"undecided_because"`
	Hints           []string     `json:"hints,omitempty"`  // what would decide those that are undecided
	UnreadableLines []faultyLine `json:"unreadable_lines"` // the first ten
}

// counter is how many requests something happens to.
type counter struct {
	Count   int     `json:"count"`
	From    string  `json:"from,omitempty"`
	To      string  `json:"to,omitempty"`
	By      string  `json:"by,omitempty"`
	Because string  `json:"because,omitempty"`
	Example example `json:"example"`
}

// example is the first of these requests.
type example struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	RequestID string `json:"request_id,omitempty"`
}

func (x example) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s:%d %s", x.File, x.Line, printable(x.RequestID)))
}

// faultyLine is a line that cannot be read.
type faultyLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	What string `json:"what"`
}

func newReplayReport() replayReport {
	return replayReport{Schema: 1, Moves: []counter{}, Redecisions: []counter{}, Reasons: []counter{}, UnreadableLines: []faultyLine{}}
}

// maxUnreadable is how many lines that cannot be read are told one by one.
const maxUnreadable = 10

func (r *replayReport) unreadable(line logLine, what string) {
	if r.Unreadable++; r.Unreadable <= maxUnreadable {
		r.UnreadableLines = append(r.UnreadableLines, faultyLine{line.file, line.number, what})
	}
}

// tally counts changes that are alike.
type tally struct{ moves, redecided, undecided counts }

func newTally() tally { return tally{make(counts), make(counts), make(counts)} }

type counts map[difference]*counter

func (c counts) count(found difference, at example) {
	n := c[found]
	if n == nil {
		n = &counter{From: found.from, To: found.to, By: found.by, Example: at}
		c[found] = n
	}
	n.Count++
}

// sorted are the counters, the largest first.
func (c counts) sorted() []counter {
	all := make([]counter, 0, len(c))
	for _, n := range c {
		all = append(all, *n)
	}
	slices.SortFunc(all, func(a, b counter) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.By, b.By))
	})
	return all
}

// into writes the counters into the report.
func (t *tally) into(r *replayReport) {
	r.Moves, r.Redecisions, r.Reasons = t.moves.sorted(), t.redecided.sorted(), t.undecided.sorted()
	for i := range r.Reasons {
		r.Reasons[i].Because, r.Reasons[i].From = r.Reasons[i].From, ""
	}
}

// verdict is how the program ends.
func (r *replayReport) verdict(o replaying) error {
	switch {
	case r.Interrupted:
		return &failure{status: exitInterrupted, err: errors.New("interrupted: this is what was found until then")}
	case r.Requests == 0 && r.Unreadable > 0:
		return &failure{status: exitFailure, err: errors.New("no line is a record of the access log"), hint: "access_log.format: json writes what can be replayed"}
	case o.exitCode && r.Move > 0:
		return &failure{status: exitDiffers}
	}
	return nil
}

func (a *app) printReplay(r *replayReport) error {
	if a.machine() {
		return a.print(r)
	}
	return r.write(a.stdout, a.paint(a.stdout))
}

// write writes the report for people.
func (r *replayReport) write(w io.Writer, ink paint) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d stay, %d undecided\n",
		plural(r.Requests, "request"), ink.bold(fmt.Sprintf("%d move", r.Move)), r.Stay, r.Undecided)
	writeMoves(&b, r.Moves)
	writeRedecisions(&b, r.Redecided, r.Redecisions)
	writeReasons(&b, r.Reasons)
	for _, hint := range r.Hints {
		fmt.Fprintf(&b, "%s: %s\n", ink.cyan("hint"), printable(hint))
	}
	r.writeUnreadable(&b)
	if r.Other > 0 {
		fmt.Fprintf(&b, "%s of the gateway's own log passed over\n", plural(r.Other, "line"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMoves(b *strings.Builder, moves []counter) {
	if len(moves) == 0 {
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "COUNT\tFROM\tTO\tBY\tFOR EXAMPLE")
	for _, m := range moves {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\n", m.Count, printable(m.From), printable(m.To), m.By, m.Example)
	}
	t.Flush()
}

func writeRedecisions(b *strings.Builder, n int, all []counter) {
	if n == 0 {
		return
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	fmt.Fprintf(b, "%d of those that stay %s decided by others:\n", n, verb)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, c := range all {
		fmt.Fprintf(t, "  %d\t%s -> %s\t%s\n", c.Count, printable(c.From), printable(c.To), c.Example)
	}
	t.Flush()
}

func writeReasons(b *strings.Builder, all []counter) {
	if len(all) == 0 {
		return
	}
	b.WriteString("undecided:\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, c := range all {
		fmt.Fprintf(t, "  %d\t%s\t%s\n", c.Count, printable(c.Because), c.Example)
	}
	t.Flush()
}

func (r *replayReport) writeUnreadable(b *strings.Builder) {
	if r.Unreadable == 0 {
		return
	}
	b.WriteString("not read:\n")
	for _, l := range r.UnreadableLines {
		fmt.Fprintf(b, "  %s:%d: %s\n", l.File, l.Line, printable(l.What))
	}
	if more := r.Unreadable - len(r.UnreadableLines); more > 0 {
		fmt.Fprintf(b, "  and %s\n", plural(more, "more line"))
	}
}
