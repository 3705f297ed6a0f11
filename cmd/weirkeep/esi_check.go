package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
	"weirkeep/gateway/esi"
)

func newESICheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE…",
		Short: "Say everything that is wrong with templates",
		Long: "Check reads templates as the gateway does; - is standard input. It says what is no ESI, where that\n" +
			"stands, what becomes of it, and what to write instead. An error costs something that was meant: a\n" +
			"tag that is dropped, a test that is false, an include that is never fetched. A warning costs\n" +
			"nothing. Markup that is not ESI is passed on, whatever it is. No fragment is fetched. A site reads\n" +
			"no more than 4 MiB of a template, unless esi.max_template says so; this is not looked at here.",
		Example: "  weirkeep esi check templates/*.html\n" +
			"  curl -s http://127.0.0.1:9001/ | weirkeep esi check -",
		Args:        someTemplates,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE:        func(_ *cobra.Command, args []string) error { return a.esiCheck(args) },
	}
}

// someTemplates are the arguments of a command that reads templates.
func someTemplates(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(c, fmt.Errorf("%s needs a file", c.CommandPath()))
	}
	return nil
}

// templateReport is what `esi check -o json` prints.
type templateReport struct {
	Schema   int              `json:"schema"`
	OK       bool             `json:"ok"` // there are no errors
	Errors   int              `json:"errors"`
	Warnings int              `json:"warnings"`
	Files    []templateResult `json:"files"` // as they were named
}

// templateResult is what there is to say of one template.
type templateResult struct {
	File         string            `json:"file"`
	Bytes        int               `json:"bytes"`
	Includes     int               `json:"includes"`      // in all branches
	ProgramBytes int               `json:"program_bytes"` // of memory that the gateway keeps of it
	Problems     []templateProblem `json:"problems"`      // never null
}

// templateProblem is a problem in a template.
type templateProblem struct {
	File     string          `json:"file"`
	Offset   int64           `json:"offset"` // in bytes, from 0
	Line     int             `json:"line"`   // from 1
	Column   int             `json:"column"` // from 1, in characters
	Severity config.Severity `json:"severity"`
	Kind     string          `json:"kind"`    // one of the metric's
	Element  string          `json:"element"` // without "esi:"; empty: it is in none
	Message  string          `json:"message"`
	Hint     string          `json:"hint"` // what to write instead
}

func (a *app) esiCheck(files []string) error {
	report := &templateReport{Schema: 1, Files: []templateResult{}}
	for _, file := range files {
		text, err := a.readInput(file)
		if err != nil {
			return &failure{status: exitUsage, err: fmt.Errorf("cannot read the template: %w", ofFile(file, err))}
		}
		r, err := checkTemplate(file, text)
		if err != nil {
			return err
		}
		report.add(r)
	}
	if err := a.printTemplates(report); err != nil {
		return err
	}
	if !report.OK {
		return &failure{status: exitFailure}
	}
	return nil
}

// ofFile is an error that says which file it is about.
func ofFile(file string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// checkTemplate reads a template with no bound but that of input: of one that is too large
// for most sites all problems are told as well.
func checkTemplate(file string, text []byte) (r templateResult, err error) {
	program, problems, err := esi.Parse(text, esi.Limits{Template: maxInput, Problems: maxInput})
	if err != nil {
		return r, ofFile(file, err)
	}
	r = templateResult{File: file, Bytes: len(text), Includes: program.Includes(), ProgramBytes: program.Size(), Problems: []templateProblem{}}
	slices.SortStableFunc(problems.List, func(p, q esi.Problem) int { return cmp.Compare(p.Offset, q.Offset) })
	at := textPlace{line: 1, column: 1}
	for _, p := range problems.List {
		at.move(text, int(p.Offset))
		r.Problems = append(r.Problems, templateProblem{
			file, p.Offset, at.line, at.column, severityOf(p.Kind), p.Kind.String(), p.Element, p.Detail, esiHint(p),
		})
	}
	return r, nil
}

func severityOf(k esi.Kind) config.Severity {
	if k == esi.Loose {
		return config.Warning
	}
	return config.Error
}

// textPlace is a place in a text.
type textPlace struct{ offset, line, column int }

// move goes on to an offset.
func (p *textPlace) move(text []byte, to int) {
	for p.offset < min(to, len(text)) {
		_, n := utf8.DecodeRune(text[p.offset:])
		p.column++
		if text[p.offset] == '\n' {
			p.line, p.column = p.line+1, 1
		}
		p.offset += n
	}
}

func (r *templateReport) add(t templateResult) {
	for _, p := range t.Problems {
		if p.Severity == config.Warning {
			r.Warnings++
		} else {
			r.Errors++
		}
	}
	r.OK = r.Errors == 0
	r.Files = append(r.Files, t)
}

// printTemplates prints the report; people learn of problems where they learn of those in
// configurations.
func (a *app) printTemplates(r *templateReport) error {
	switch {
	case a.output == "jsonl":
		return a.printEachTemplate(r)
	case a.machine():
		return a.print(r)
	}
	for _, t := range r.Files {
		found := t.forPeople()
		a.sayProblems(found)
		err := a.sayResult("%s: %s; %s, as a program %s; %s", t.File, plural(t.Includes, "include"), sizeText(t.Bytes), sizeText(t.ProgramBytes), count(found))
		if err != nil {
			return err
		}
	}
	return nil
}

// printEachTemplate prints one problem a line.
func (a *app) printEachTemplate(r *templateReport) error {
	for _, t := range r.Files {
		for _, p := range t.Problems {
			if err := a.print(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// forPeople are the problems as those of configurations are said.
func (t *templateResult) forPeople() (all config.Problems) {
	for _, p := range t.Problems {
		message := fmt.Sprintf("%s (byte %d)", p.Message, p.Offset)
		if p.Element != "" {
			message = "esi:" + printable(p.Element) + ": " + message
		}
		all = append(all, config.Problem{
			File: p.File, Line: p.Line, Column: p.Column, Severity: p.Severity, Code: p.Kind, Message: printable(message), Hint: printable(p.Hint),
		})
	}
	return all
}
