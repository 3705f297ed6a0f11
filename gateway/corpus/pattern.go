package corpus

import (
	"regexp"
	"strings"
)

// A pattern is a regular expression over bytes, each read as one Latin-1
// character, in the notation of the corpus: that of Python's re.
type pattern struct {
	text   string
	want   *regexp.Regexp
	unless *regexp.Regexp // if not nil, must not match
}

// lookaheads are the corpus' expressions that Go's regexp cannot say in one,
// with their equals: what must match, and what must not.
var lookaheads = map[string][2]string{
	`(?i)forwarded: *for=6\.6\.6\.6(?!,)`: {`(?i)forwarded: *for=6\.6\.6\.6([^,]|$)`},
	`(?is)^(?!.*x-forwarded-for:[^` + "\n" + `]*127\.0\.0\.1).*x-forwarded-for: *6\.6\.6\.6`: {
		`(?i)x-forwarded-for: *6\.6\.6\.6`,
		`(?i)x-forwarded-for:[^\n]*127\.0\.0\.1`,
	},
	// Without the s flag the first branch is one line, in which no blank line can be.
	"^(?!.*\r\n\r\n).*$|extra": {`^[^\n]*\n?$|extra`},
}

func (p *pattern) UnmarshalJSON(raw []byte) error {
	var b blob
	if err := b.UnmarshalJSON(raw); err != nil {
		return err
	}
	p.text = latin1(b)
	pair, known := lookaheads[p.text]
	if !known {
		pair[0] = p.text
	}
	var err error
	if p.want, err = compile(pair[0]); err != nil || pair[1] == "" {
		return err
	}
	p.unless, err = compile(pair[1])
	return err
}

// compile evens out what differs from the corpus' notation: there \s has \v,
// and folding leaves every byte above 0x7f alone.
func compile(expr string) (*regexp.Regexp, error) {
	expr = strings.ReplaceAll(expr, `\S`, `[^\s\v]`)
	var out strings.Builder
	for _, r := range expr {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		out.WriteString("(?-i:" + string(r) + ")")
	}
	return regexp.Compile(out.String())
}

// in reports whether the pattern is found in b.
func (p *pattern) in(b []byte) bool {
	s := latin1(b)
	return p.want.MatchString(s) && (p.unless == nil || !p.unless.MatchString(s))
}

// latin1 is b with each byte as one character.
func latin1(b []byte) string {
	var out strings.Builder
	for _, c := range b {
		out.WriteRune(rune(c))
	}
	return out.String()
}
