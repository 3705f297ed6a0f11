package esi

import "strings"

// variable is a reference to one (V1, V2): its name, its key if there is one, and what
// stands in for it if it is empty.
type variable struct {
	name     variableName
	key      string
	keyed    bool
	fallback string
}

// variableName is which variable one is.
type variableName uint8

const (
	noVariable variableName = iota
	acceptLanguage
	cookie
	header
	host
	referer
	userAgent
	queryString
	queryEncoded
	queryDecoded
	requestQuery
)

// variableNames are all variables there are, and what they look at.
var variableNames = map[string]variableName{
	"HTTP_ACCEPT_LANGUAGE": acceptLanguage,
	"HTTP_COOKIE":          cookie,
	"HTTP_HEADER":          header,
	"HTTP_HOST":            host,
	"HTTP_REFERER":         referer,
	"HTTP_USER_AGENT":      userAgent,
	"QUERY_STRING":         queryString,
	"QUERY_STRING_ENCODED": queryEncoded,
	"QUERY_STRING_DECODED": queryDecoded,
	"REQUEST_QUERY":        requestQuery,
}

// uses is what part of the client's request a variable looks at. The query of a fragment
// is none of it.
func (n variableName) uses() Uses {
	switch n {
	case acceptLanguage:
		return UsesLanguage
	case cookie:
		return UsesCookies
	case header:
		return UsesFields
	case host:
		return UsesHost
	case referer:
		return UsesReferer
	case userAgent:
		return UsesAgent
	case queryString, queryEncoded, queryDecoded:
		return UsesQuery
	}
	return 0
}

// variableEnd looks for the ")" of a reference, and goes on where it was when more has come.
type variableEnd struct {
	n     int
	quote byte
}

// scan looks at what has come of the reference that b begins with.
func (e *variableEnd) scan(b []byte) verdict {
	e.n = max(e.n, len("$("))
	for ; e.n < len(b); e.n++ {
		c := b[e.n]
		switch {
		case e.n == maxReference, c == ':' && beginsTag(b[:e.n]):
			return broken
		case c == e.quote:
			e.quote = 0
		case e.quote != 0:
		case c == '\'' || c == '"':
			e.quote = c
		case c == ')':
			e.n++
			return ended
		case c == '<' || c == '$':
			return broken
		}
	}
	return more
}

// takeVariable takes the reference that b begins with. What is none is text.
func (p *Parser) takeVariable(b []byte, last bool) int {
	v := p.variable.scan(b)
	if v == more && !last {
		return 0
	}
	n := p.variable.n
	p.variable = variableEnd{}
	if v == ended {
		if ref, taken := cutVariable(string(b[:n])); taken == n {
			p.build.print(ref, p.at)
			return n
		}
	}
	p.build.problem(Problem{p.at, "vars", Variable, "this is no variable, and stays as it is"})
	p.build.literal(b[:len("$(")], p.at)
	return len("$(")
}

// cutVariable takes the reference off that s begins with. It returns its length, 0 if there
// is none.
func cutVariable(s string) (v variable, n int) {
	rest, ok := strings.CutPrefix(s, "$(")
	if !ok {
		return v, 0
	}
	rest = trimLeft(rest)
	name := rest[:nameLength(rest)]
	rest = trimLeft(rest[len(name):])
	v.name, ok = variableNames[name], name != ""
	if ok && strings.HasPrefix(rest, "{") {
		v.keyed = true
		v.key, rest, ok = cutWord(rest[1:], "}")
	}
	if ok && strings.HasPrefix(rest, "|") {
		v.fallback, rest, ok = cutFallback(rest[1:])
	}
	if !ok || !strings.HasPrefix(rest, ")") {
		return v, 0
	}
	if v.name == acceptLanguage || v.name == header {
		v.key = strings.ToLower(v.key) // the case of what it names means nothing
	}
	return v, len(s) - len(rest) + len(")")
}

// nameLength is how many bytes of s may be the name of a variable.
func nameLength(s string) (n int) {
	for n < len(s) && ('A' <= s[n] && s[n] <= 'Z' || s[n] == '_' || n > 0 && isDigit(s[n])) {
		n++
	}
	return n
}

// cutFallback takes what stands in for a variable, and leaves the ")".
func cutFallback(s string) (word, rest string, ok bool) {
	word, rest, ok = cutWord(s, ")")
	return word, ")" + rest, ok
}

// cutWord takes a word, perhaps in quotes, and the end behind it.
func cutWord(s, end string) (word, rest string, ok bool) {
	s = trimLeft(s)
	if s != "" && (s[0] == '\'' || s[0] == '"') {
		word, rest, ok = strings.Cut(s[1:], s[:1])
		rest, closed := strings.CutPrefix(trimLeft(rest), end)
		return word, trimLeft(rest), ok && closed
	}
	word, rest, ok = strings.Cut(s, end)
	word = strings.TrimRight(word, blanks)
	return word, trimLeft(rest), ok && !strings.ContainsAny(word, "{}()|$'\"")
}

func trimLeft(s string) string { return strings.TrimLeft(s, blanks) }

// mixed is text in which there may be variables: the value of src, alt and the like.
type mixed []segment

// segment is text, or a variable.
type segment struct {
	text     string
	variable uint32 // index of it, from 1; 0: it is text
}

// mix reads text with variables.
func (b *builder) mix(s string) (m mixed) {
	from, at := 0, 0 // where text begins, and what is looked at
	for {
		i := strings.Index(s[at:], "$(")
		if i < 0 {
			return m.with(s[from:])
		}
		at += i
		v, n := cutVariable(s[at:])
		if n == 0 {
			b.tell(Variable, "there is a $( that begins no variable, and stays as it is")
			at += len("$(")
			continue
		}
		m = append(m.with(s[from:at]), segment{variable: b.intern(v) + 1})
		at += n
		from = at
	}
}

// with adds text.
func (m mixed) with(s string) mixed {
	if s == "" {
		return m
	}
	return append(m, segment{text: s})
}

// literal is the text, if there is no variable in it.
func (m mixed) literal() (s string, ok bool) {
	switch {
	case len(m) == 0:
		return "", true
	case len(m) == 1 && m[0].variable == 0:
		return m[0].text, true
	}
	return "", false
}

func (m mixed) size() int {
	n := sizeOf(m)
	for i := range m {
		n += len(m[i].text)
	}
	return n
}
