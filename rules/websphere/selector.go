package websphere

import "strings"

// A condition is a part of a selector that is true, false or unknown: a
// comparison with something that a request does not have is unknown, and so is
// its negation.
type condition interface {
	// when is an expression that is true exactly for requests for which the
	// condition is what is wanted: true, or false. For one that is unknown it is
	// false, whatever is wanted.
	when(w *writer, wanted bool) clause
	// truth is the condition's value for one request.
	truth(r *sample) truth
	// examples offers values of operands for which the condition may differ.
	examples(try func(o operand, text string))
}

type (
	// both is l AND r.
	both struct{ l, r condition }
	// either is l OR r.
	either struct{ l, r condition }
	// negated is NOT of.
	negated struct{ of condition }
	// comparison is l op r; op is = <> < <= > >= or, for texts alone, sameFold.
	comparison struct {
		op   string
		l, r value
		at   int
	}
	// between is of BETWEEN low AND high.
	between struct{ of, low, high value }
	// oneOf is of IN (list).
	oneOf struct {
		of   operand
		list []value
	}
	// like is of LIKE pattern.
	like struct {
		of      operand
		pattern pattern
	}
	// absent is of IS NULL.
	absent struct{ of operand }
	// chance is percentage$n.
	chance struct{ percent int }
	// constant is TRUE or FALSE.
	constant bool
)

// sameFold is the operator EQUALSIGNORECASE.
const sameFold = "EQUALSIGNORECASE"

type (
	// A value is an operand, a textValue, a numberValue or a sum.
	value any
	// operand is what a request has, such as uri or header$Host.
	operand struct {
		kind *operandKind
		key  string // after the $; empty: the kind has none
		at   int
	}
	textValue struct {
		text string
		at   int
	}
	numberValue struct {
		number
		at int
	}
	// sum is what is calculated with an operand, which rules here do not.
	sum struct{ at int }
)

// placeOf is where a value begins.
func placeOf(v value) int {
	switch v := v.(type) {
	case operand:
		return v.at
	case textValue:
		return v.at
	case numberValue:
		return v.at
	case sum:
		return v.at
	}
	return -1
}

// A pattern is that of a LIKE: literal runes, any one rune, any run of them.
type pattern []patternPiece

type patternPiece struct {
	wild bool // one rune, if many is false
	many bool
	rune rune // of a literal one
}

// parsePattern reads a LIKE pattern. escape is 0 if there is none.
func parsePattern(text string, escape rune) (pattern, bool) {
	var p pattern
	escaped := false
	for _, c := range text {
		switch {
		case escaped:
			p, escaped = append(p, patternPiece{rune: c}), false
		case escape != 0 && c == escape:
			escaped = true
		case c == '%':
			p = append(p, patternPiece{wild: true, many: true})
		case c == '_':
			p = append(p, patternPiece{wild: true})
		default:
			p = append(p, patternPiece{rune: c})
		}
	}
	return p, !escaped
}

// matches reports whether a text fits, in time that is their product at most.
func (p pattern) matches(text string) bool {
	runes := []rune(text)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(runes) {
		switch {
		case i < len(p) && p[i].many:
			star, mark = i, j
			i++
		case i < len(p) && (p[i].wild || p[i].rune == runes[j]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i].many {
		i++
	}
	return i == len(p)
}

// lower is the pattern for texts that are in lower case.
func (p pattern) lower() pattern {
	low := make(pattern, len(p))
	for i, piece := range p {
		piece.rune = []rune(strings.ToLower(string(piece.rune)))[0]
		low[i] = piece
	}
	return low
}
