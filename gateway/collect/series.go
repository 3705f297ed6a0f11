package collect

import (
	"errors"
	"fmt"
	"strings"
)

// A Series names one series of a Prometheus text: by its name, and by labels where
// that alone fits several. It may have more labels than those.
type Series struct {
	name   string
	labels []label
}

type label struct{ name, value string }

// ParseSeries reads a name, perhaps with labels: jobs_busy{pool="web"}. The error says
// what the text must be.
func ParseSeries(text string) (Series, error) {
	s, rest, err := cutSeries(strings.Trim(text, " \t"))
	if err == nil && rest != "" {
		err = errSeries
	}
	if err != nil {
		return Series{}, err
	}
	return s, nil
}

// errSeries is of a text that is no series.
var errSeries = errors.New(`must be the name of a series, perhaps with labels, as in jobs_busy{pool="web"}`)

// Number is the value of the one series of a text that fits. The error says what is
// there instead.
func (s Series) Number(text []byte) (n float64, err error) {
	found := 0
	for line := range strings.Lines(string(text)) {
		value, fits, err := s.value(strings.Trim(line, " \t\r\n"))
		if err != nil {
			return 0, err
		}
		if !fits {
			continue
		}
		if n, err = finite(value); err != nil {
			return 0, fmt.Errorf("the value of %s %w", s.name, err)
		}
		found++
	}
	switch found {
	case 0:
		return 0, fmt.Errorf("the answer has no series %s with these labels", s.name)
	case 1:
		return n, nil
	}
	return 0, fmt.Errorf("the answer has %d series %s that fit; name more of their labels", found, s.name)
}

// value is the value of a line, as text, if the line is of a series that fits.
func (s Series) value(line string) (value string, fits bool, err error) {
	behind, ok := strings.CutPrefix(line, s.name)
	if !ok || behind == "" || !strings.ContainsRune("{ \t", rune(behind[0])) {
		return "", false, nil
	}
	of, rest, err := cutSeries(line)
	if err != nil {
		return "", false, fmt.Errorf("the answer has a line of %s that cannot be read", s.name)
	}
	value, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimLeft(rest, " \t"), "\t", " "), " ")
	return value, of.has(s.labels), nil
}

// has reports whether a series has all labels of some; one that is empty is as good as
// none.
func (s Series) has(labels []label) bool {
	for _, l := range labels {
		if s.label(l.name) != l.value {
			return false
		}
	}
	return true
}

func (s Series) label(name string) string {
	for _, l := range s.labels {
		if l.name == name {
			return l.value
		}
	}
	return ""
}

// cutSeries reads the series that a text begins with.
func cutSeries(text string) (s Series, rest string, err error) {
	if s.name, rest = cutName(text, ":"); s.name == "" {
		return s, text, errSeries
	}
	inside, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t"), "{")
	if !ok {
		return s, rest, nil
	}
	for {
		inside = strings.TrimLeft(inside, " \t")
		if rest, ok := strings.CutPrefix(inside, "}"); ok {
			return s, rest, nil
		}
		var l label
		if l, inside, ok = cutLabel(inside); !ok {
			return s, text, errSeries
		}
		s.labels = append(s.labels, l)
	}
}

// cutLabel reads name="value" and what separates it from the next.
func cutLabel(text string) (l label, rest string, ok bool) {
	l.name, rest = cutName(text, "")
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "=")
	if l.name == "" || !ok {
		return l, text, false
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), `"`); !ok {
		return l, text, false
	}
	if l.value, rest, ok = cutQuoted(rest); !ok {
		return l, text, false
	}
	rest = strings.TrimLeft(rest, " \t")
	next, comma := strings.CutPrefix(rest, ",")
	return l, next, comma || strings.HasPrefix(rest, "}")
}

// cutName reads the letters, digits, underscores, and further characters, that a text
// begins with; a name begins with no digit.
func cutName(text, further string) (name, rest string) {
	i := 0
	for i < len(text) && (isLetter(text[i]) || strings.IndexByte(further, text[i]) >= 0 || i > 0 && '0' <= text[i] && text[i] <= '9') {
		i++
	}
	return text[:i], text[i:]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// cutQuoted reads a text up to its closing quote: \\, \" and \n are escapes.
func cutQuoted(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:], true
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(text) && strings.IndexByte(`\"n`, text[i+1]) >= 0:
			i++
			b.WriteString(escapes[text[i]])
		default:
			return "", text, false
		}
	}
	return "", text, false
}

var escapes = map[byte]string{'\\': `\`, '"': `"`, 'n': "\n"}
