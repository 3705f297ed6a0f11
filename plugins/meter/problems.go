package meter

import (
	"fmt"
	"slices"
	"strings"
)

// A Problem is one reason why a module cannot be used.
type Problem struct {
	// What is wrong, and where.
	What string
	// Cure says what to do about it. Empty when nobody but the compiler that
	// wrote the module could know.
	Cure string
}

func (p Problem) String() string {
	if p.Cure == "" {
		return p.What
	}
	return p.What + " (" + p.Cure + ")"
}

// Problems is everything that is wrong with a module, in the order of the file.
// It is never empty when it is an error.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many problems are told; of the others only their number.
const maxProblems = 30

// findings collects problems. A feature that is used in many places is one of them.
type findings struct {
	list     Problems
	more     int            // problems that were not kept
	features []featureFound // in the order they were met
}

type featureFound struct {
	feature feature
	where   string // its first place
	places  int
	at      int // its index in list
}

func (f *findings) add(cure, what string, args ...any) {
	if !f.full() {
		f.list = append(f.list, Problem{What: fmt.Sprintf(what, args...), Cure: cure})
	}
}

// full reports whether no more is kept; what was to be told is counted then.
func (f *findings) full() bool {
	if len(f.list) < maxProblems {
		return false
	}
	f.more++
	return true
}

// refuse notes a feature that is no part of core WebAssembly 2.0.
func (f *findings) refuse(use feature, where string) {
	if f.refusedBefore(use) || f.full() {
		return
	}
	f.features = append(f.features, featureFound{feature: use, where: where, places: 1, at: len(f.list)})
	f.list = append(f.list, Problem{Cure: use.cure()})
}

// refusedBefore counts one more place of a feature, if it is not the first.
func (f *findings) refusedBefore(use feature) bool {
	for i := range f.features {
		if f.features[i].feature == use {
			f.features[i].places++
			return true
		}
	}
	return false
}

// err is what was found, nil if that is nothing.
func (f *findings) err() error {
	if len(f.list) == 0 {
		return nil
	}
	list := slices.Clone(f.list)
	for _, found := range f.features {
		list[found.at].What = found.String()
	}
	if f.more > 0 {
		list = append(list, Problem{What: fmt.Sprintf("and %d more", f.more)})
	}
	return list
}

func (f featureFound) String() string {
	what := f.feature.name() + ", which this host does not run: " + f.where
	if f.places > 1 {
		what += fmt.Sprintf(" and %d more", f.places-1)
	}
	return what
}
