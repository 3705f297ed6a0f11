// Package invalidation reads messages of Web Cache's invalidation protocol (WCS-1.1) and
// writes the answers to them.
//
// A message invalidates what its objects select, or previews what one selector would. A
// basic selector is one URI; an advanced one is a prefix of URIs, with a regular
// expression, a host, a method, an expression on a POST body, cookies, header fields, and
// others. An action says how long what is invalid may still be used: its removal TTL.
//
// Messages come from outside. [Parse] bounds their size, depth and number of parts, knows
// no entities but those of XML itself, and looks at no document type. The package knows
// nothing of a store: what is stored it is shown as a [Stored].
package invalidation

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Bounds of messages.
const (
	MaxBytes   = 1 << 20 // of a message
	MaxObjects = 1000    // that one invalidates
	maxDepth   = 8       // of elements
	maxParts   = 10_000  // elements in all
	maxValue   = 8 << 10 // bytes of an attribute's value
	maxRemoval = 365 * 24 * time.Hour
	maxListed  = 1000 // URLs of an answer to a preview
)

// Version is that of the protocol.
const Version = "WCS-1.1"

// Message is what a client wants.
type Message struct {
	Preview    bool // nothing is invalidated; there is one object
	Start, Max int  // of a preview: the first URL that is listed, from 0, and how many at most
	Objects    []Object
}

// Object is what is selected, and what is done with it.
type Object struct {
	Selector Selector
	Removal  time.Duration // so long it may still be used, stale; 0: it is removed at once
	Info     string        // for the log and the answer
}

// Selector selects what is stored. Everything that it says must be true.
type Selector struct {
	Basic bool
	Host  string // host, perhaps with a port; empty: any
	URI   string // Basic: path and query, to be compared with the canonical form

	Prefix  string         // of path and query; empty: any
	Exp     *regexp.Regexp // that path and query match somewhere; nil: none
	Method  string         // list of methods; empty: any
	Body    string         // expression on a POST body; empty: any
	Cookies []Pair
	Headers []Pair
	Others  []Other
}

// Pair is a cookie or a header field with its value.
type Pair struct{ Name, Value string }

// Other is a further condition.
type Other struct {
	Name  string // URI, BODY, QUERYSTRING_PARAMETER or SEARCHKEY
	Regex *regexp.Regexp
	Value string // a part of the text, if Regex is nil

	kind string // as it was written
}

// Stored is what a selector looks at of something stored. Its body was not sent by POST:
// such answers are stored for the GET that they stand for.
type Stored struct {
	Target  string                                    // path and query
	Tags    []string                                  // search keys
	Cookies func(name string) (value string, ok bool) // that it was chosen by
	Headers func(name string) (value string, ok bool)
}

// Matches reports whether a selector selects something, but for its host and, if it is
// basic, its URI.
func (s *Selector) Matches(o *Stored) bool {
	switch {
	case s.Basic:
		return true
	case !strings.HasPrefix(o.Target, s.Prefix), s.Exp != nil && !s.Exp.MatchString(o.Target):
		return false
	case !takesGet(s.Method), s.Body != "":
		return false
	}
	return allOf(s.Cookies, o.Cookies) && allOf(s.Headers, o.Headers) &&
		!slices.ContainsFunc(s.Others, func(c Other) bool { return !c.matches(o) })
}

// takesGet reports whether a list of methods has GET.
func takesGet(methods string) bool {
	return methods == "" || slices.ContainsFunc(strings.FieldsFunc(methods, func(c rune) bool { return c == ',' || c == ' ' || c == '|' }),
		func(m string) bool { return strings.EqualFold(m, "GET") })
}

func allOf(pairs []Pair, is func(string) (string, bool)) bool {
	for _, p := range pairs {
		if value, ok := is(p.Name); !ok || value != p.Value {
			return false
		}
	}
	return true
}

// matches reports whether the condition is true.
func (c *Other) matches(o *Stored) bool {
	switch c.Name {
	case "URI":
		return c.fits(o.Target)
	case "QUERYSTRING_PARAMETER":
		_, query, _ := strings.Cut(o.Target, "?")
		return query != "" && slices.ContainsFunc(strings.Split(query, "&"), c.fits)
	case "SEARCHKEY":
		return slices.ContainsFunc(o.Tags, c.fits)
	}
	return false // BODY: nothing stored has one
}

func (c *Other) fits(text string) bool {
	if c.Regex != nil {
		return c.Regex.MatchString(text)
	}
	return strings.Contains(text, c.Value)
}
