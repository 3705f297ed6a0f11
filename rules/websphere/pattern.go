package websphere

import "strings"

// clause asks whether a text fits the pattern, in the plainest way there is: a
// prefix can be indexed, and is what a reader expects.
func (p pattern) clause(text string) clause {
	lead, trail := p.ends()
	inner, plain := p[min(lead, len(p)):max(lead, len(p)-trail)].literal()
	switch {
	case len(p) > 0 && lead == len(p):
		return always
	case !plain:
		return p.general(text)
	case lead == 0 && trail == 0:
		return compare(text + " == " + quote(inner))
	case lead == 0:
		return compare(text + " startsWith " + quote(inner))
	case trail == 0:
		return compare(text + " endsWith " + quote(inner))
	}
	return compare(text + " contains " + quote(inner))
}

// ends counts the % at both ends; of a pattern of nothing else all lead.
func (p pattern) ends() (lead, trail int) {
	for lead < len(p) && p[lead].many {
		lead++
	}
	for trail < len(p)-lead && p[len(p)-1-trail].many {
		trail++
	}
	return lead, trail
}

// literal is the text of a pattern without wildcards.
func (p pattern) literal() (string, bool) {
	var b strings.Builder
	for _, piece := range p {
		if piece.wild {
			return "", false
		}
		b.WriteRune(piece.rune)
	}
	return b.String(), true
}

// general asks by like, in which a backslash keeps a character from being a
// wildcard.
func (p pattern) general(text string) clause {
	var b strings.Builder
	for _, piece := range p {
		switch {
		case piece.many:
			b.WriteByte('%')
		case piece.wild:
			b.WriteByte('_')
		default:
			if strings.ContainsRune(`%_\`, piece.rune) {
				b.WriteByte('\\')
			}
			b.WriteRune(piece.rune)
		}
	}
	return call("like(" + text + ", " + quote(b.String()) + ")")
}
