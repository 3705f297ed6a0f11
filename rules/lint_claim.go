package rules

// A claim is a condition in normal form: its negations stand at its atoms.
type claim struct {
	kind     kind
	parts    []claim // of allOf and anyOf
	fact     *fact   // of an atom
	negative bool    // the atom is that the fact does not hold
}

type kind int

const (
	atom kind = iota
	always
	never
	allOf
	anyOf
)

// not is the negation of a claim.
func (c claim) not() claim {
	switch c.kind {
	case always:
		return claim{kind: never}
	case never:
		return claim{kind: always}
	case allOf:
		return claim{kind: anyOf, parts: negations(c.parts)}
	case anyOf:
		return claim{kind: allOf, parts: negations(c.parts)}
	}
	c.negative = !c.negative
	return c
}

func negations(parts []claim) []claim {
	out := make([]claim, len(parts))
	for i, p := range parts {
		out[i] = p.not()
	}
	return out
}

// join makes one claim of several: all of them, or either. What decides nothing is
// left out.
func join(k kind, parts ...claim) claim {
	neutral, decisive := always, never
	if k == anyOf {
		neutral, decisive = never, always
	}
	out := claim{kind: k}
	for _, p := range parts {
		switch p.kind {
		case decisive:
			return claim{kind: decisive}
		case neutral:
		case k:
			out.parts = append(out.parts, p.parts...)
		default:
			out.parts = append(out.parts, p)
		}
	}
	switch len(out.parts) {
	case 0:
		return claim{kind: neutral}
	case 1:
		return out.parts[0]
	}
	return out
}

// proves reports whether b is true whenever a is. False means that it is not known.
func (l *linter) proves(a, b claim) bool {
	if l.steps--; l.steps < 0 {
		return false
	}
	switch {
	case a.kind == never || b.kind == always:
		return true
	case a.kind == always || b.kind == never:
		return false
	case a.kind == anyOf:
		return l.each(a.parts, func(p claim) bool { return l.proves(p, b) })
	case b.kind == allOf:
		return l.each(b.parts, func(p claim) bool { return l.proves(a, p) })
	case a.kind == atom && b.kind == atom:
		return atomProves(a, b)
	}
	return l.some(b, anyOf, func(p claim) bool { return l.proves(a, p) }) ||
		l.some(a, allOf, func(p claim) bool { return l.proves(p, b) })
}

func (l *linter) each(parts []claim, holds func(claim) bool) bool {
	for _, p := range parts {
		if !holds(p) {
			return false
		}
	}
	return true
}

func (l *linter) some(c claim, k kind, holds func(claim) bool) bool {
	if c.kind != k {
		return false
	}
	for _, p := range c.parts {
		if holds(p) {
			return true
		}
	}
	return false
}

// atomProves is proves of two atoms.
func atomProves(a, b claim) bool {
	f, g := a.fact, b.fact
	switch {
	case f.key == "" || g.key == "": // nothing is known of one of them
		return false
	case f.key == g.key && a.negative == b.negative:
		return true
	case !a.negative && !b.negative:
		return f.within(g)
	case !a.negative && b.negative:
		return f.apart(g)
	case a.negative && b.negative:
		return g.within(f)
	}
	return g.unless(f)
}
