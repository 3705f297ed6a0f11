package conformance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A row is one fact about the cache, and steps that show it. doc.go says how they are
// written.
type row struct{ id, name, steps string }

func (r row) String() string { return r.id + " " + r.name }

// A step is one line of a row.
type step struct {
	text  string
	timed bool
	at    time.Duration // after T
	until bool          // it is repeated until it is so
	actor string        // O, C, C1, go; "": the line has none
	says  []string      // what O answers, or C asks
	begun bool          // C1 asks, which is not waited for; else it is looked at what C1 got
	asked []string      // what the origin must have been asked; nil: nothing is said of it
	got   []string      // what the client must have got; nil: nothing is said of it
}

var (
	timeOf  = regexp.MustCompile(`^T\+([\d.]+)\s*`)
	actorOf = regexp.MustCompile(`^(O:|C\d?:|C\d|go|gone C\d|waiting \d|purge|expire)(\s|$)`)
	dateOf  = regexp.MustCompile(`\b(850|asctime|D)\(([+-]?\d+)\)`)
)

// parse reads a row's steps. In them @ stands for path, and D(n) for the date n seconds
// after began.
func parse(steps, path string, began time.Time) (all []step, err error) {
	for line := range strings.SplitSeq(steps, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		s, err := parseStep(expand(line, path, began))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// expand puts in what stands for the row's path and for dates.
func expand(line, path string, began time.Time) string {
	line = strings.ReplaceAll(line, "@", path)
	return dateOf.ReplaceAllStringFunc(line, func(s string) string {
		m := dateOf.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return began.Add(time.Duration(n) * time.Second).Format(layouts[m[1]])
	})
}

// layouts are the forms of dates.
var layouts = map[string]string{
	"D":       "Mon, 02 Jan 2006 15:04:05 GMT",
	"850":     "Monday, 02-Jan-06 15:04:05 GMT",
	"asctime": "Mon Jan _2 15:04:05 2006",
}

// parseStep reads one line: a time, who acts, what he says, what the origin is asked,
// what the client gets. Each may be missing.
func parseStep(line string) (s step, err error) {
	s.text = line
	if m := timeOf.FindStringSubmatch(line); m != nil {
		seconds, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return s, err
		}
		s.timed, s.at = true, time.Duration(seconds*float64(time.Second))
		line = line[len(m[0]):]
	}
	line, s.until = strings.CutPrefix(line, "until ")
	if m := actorOf.FindStringSubmatch(line); m != nil {
		s.actor, s.begun = strings.TrimSuffix(m[1], ":"), strings.HasSuffix(m[1], ":")
		line = line[len(m[1]):]
	}
	line, s.got = cutItems(line, "->")
	line, s.asked = cutItems(line, "=>")
	s.says = items(line)
	return s, s.check()
}

// cutItems takes the items after mark off the line; nil: it has no mark.
func cutItems(line, mark string) (before string, after []string) {
	before, rest, found := strings.Cut(line, mark)
	if found {
		after = append([]string{}, items(rest)...)
	}
	return before, after
}

// items are what stands between slashes that have blanks around them.
func items(text string) (all []string) {
	for item := range strings.SplitSeq(" "+text+" ", " / ") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// check says what is wrong with a step.
func (s *step) check() error {
	switch {
	case s.actor == "" && len(s.says) > 0:
		return fmt.Errorf("nobody says %q", s.says)
	case s.actor == "" && !s.timed && s.asked == nil:
		return fmt.Errorf("nothing happens")
	case s.actor == "O" && (s.asked != nil || s.got != nil):
		return fmt.Errorf("the origin cannot be answered")
	}
	return nil
}

// A field is one line of a head.
type field struct{ name, value string }

// fieldOf reads "Name: value".
func fieldOf(item string) (f field, ok bool) {
	name, value, ok := strings.Cut(item, ":")
	return field{name, strings.TrimSpace(value)}, ok && name != "" && !strings.ContainsAny(name, " \"")
}

// word returns what follows a word that begins the item.
func word(item, word string) (rest string, ok bool) {
	if item == word {
		return "", true
	}
	return strings.CutPrefix(item, word+" ")
}

// text is what a body item says: as it is, or between quotes with escapes.
func text(body string) string {
	if s, err := strconv.Unquote(body); err == nil {
		return s
	}
	return body
}
