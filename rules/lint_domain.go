package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"weirkeep/gateway/wire"
)

// A place is where in a text a part of it stands.
type place int

const (
	entire place = iota
	start
	middle
	end
)

// impossible is what says why a subject cannot have a text at a place, or be it; the
// reason is empty if it may. It is nil if nothing is known of the subject.
func impossible(subject string) func(text string, at place) string {
	switch {
	case subject == "host" || subject == "scheme":
		return func(text string, _ place) string { return notLower(subject+" is", text) }
	case subject == "path":
		return notCanonical
	case subject == "content_type":
		return notMediaType
	case strings.HasPrefix(subject, "(call lower "):
		return func(text string, _ place) string { return notLower("what lower() makes is", text) }
	case strings.HasPrefix(subject, "(call upper "):
		return func(text string, _ place) string { return notUpper(text) }
	}
	return nil
}

func notLower(what, text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return 'A' <= c && c <= 'Z' }) {
		return fmt.Sprintf("%s in lower case, and %q is not", what, text)
	}
	return ""
}

func notUpper(text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return 'a' <= c && c <= 'z' }) {
		return fmt.Sprintf("what upper() makes is in upper case, and %q is not", text)
	}
	return ""
}

// notMediaType says what of a text no media type has as content_type writes it.
func notMediaType(text string, _ place) string {
	if strings.Contains(text, ";") {
		return `content_type ends before the ";": response_header("Content-Type") has what follows`
	}
	return notLower("content_type is", text)
}

// notCanonical says what of a text no canonical path has, by the rules of
// wire.Target.Parse.
func notCanonical(text string, at place) string {
	if (at == entire || at == start) && text != "" && text[0] != '/' && text[0] != '*' {
		return fmt.Sprintf("a path begins with a slash, and %q does not", text)
	}
	if strings.Contains(text, "?") {
		return `a path ends before the "?": query_string and url have what follows`
	}
	for rest := text; rest != ""; {
		written, canonical := octet(rest, at)
		if written != canonical {
			return fmt.Sprintf("%q is written %q in a path", written, canonical)
		}
		rest = rest[len(written):]
	}
	return dotted(text, at)
}

// octet is the character or escape that a text begins with, and how the canonical path
// writes it.
func octet(text string, at place) (written, canonical string) {
	_, size := utf8.DecodeRuneInString(text)
	written = text[:size]
	switch c := text[0]; {
	case c == '%':
		return escape(text, at)
	case c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>\\^`{|}", c) >= 0:
		return written, escaped(written)
	}
	return written, written
}

// escape is the escape that a text begins with. Where the text may go on it can be cut.
func escape(text string, at place) (written, canonical string) {
	if len(text) < len("%XX") && (at == start || at == middle) {
		return text, strings.ToUpper(text)
	}
	o, ok := wire.CutOctet([]byte(text))
	if !ok {
		return "%", "%25"
	}
	return text[:o.Taken], string(o.Append(nil))
}

func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// dotted is about segments that are dots: requests with them are refused.
func dotted(text string, at place) string {
	if at == entire || at == end {
		text += "/" // what ends the path ends a segment
	}
	for _, segment := range []string{"/./", "/../"} {
		if strings.Contains(text, segment) {
			return fmt.Sprintf("a request with %q in its path is refused", strings.TrimSuffix(segment, "/"))
		}
	}
	return ""
}

// noneListed says why a call of in_list() can be true of nothing; empty: it may be true, or
// the list is not known.
func (v *facts) noneListed(n ast.Node) string {
	c, ok := n.(*ast.CallNode)
	if !ok || calleeOf(c) != "in_list" {
		return ""
	}
	name, _ := constant(c.Arguments, 1)
	list := v.lists[name]
	if list == nil {
		return ""
	}
	subject := subjectOf(c.Arguments[0])
	if (subject == "client.ip" || subject == "peer.ip") && list.networks.Size() == 0 {
		return fmt.Sprintf("there is no address in the list %q", name)
	}
	if cannot := impossible(subject); cannot != nil && list.noText(cannot) {
		return fmt.Sprintf("nothing in the list %q can be a %s", name, subject)
	}
	return ""
}

// noText reports whether no entry can be a text that has some reason against it.
func (l *List) noText(cannot func(text string, at place) string) bool {
	for text := range l.texts {
		if cannot(text, entire) == "" {
			return false
		}
	}
	return len(l.suffixes) == 0
}
