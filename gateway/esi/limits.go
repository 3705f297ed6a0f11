package esi

// Limits bound what a parser takes. The zero value has the defaults.
type Limits struct {
	// Template is the longest template in bytes. Zero means 4 MiB.
	Template int64

	// Attribute is the longest value of an attribute in bytes. Zero means 8 KiB. A whole
	// tag may be twice as long.
	Attribute int

	// Problems is how many problems are told; the others are counted. Zero means MaxProblems.
	Problems int
}

func (l Limits) template() int64 {
	if l.Template == 0 {
		return 4 << 20
	}
	return l.Template
}

func (l Limits) attribute() int {
	if l.Attribute == 0 {
		return 8 << 10
	}
	return l.Attribute
}

func (l Limits) problems() int {
	if l.Problems == 0 {
		return MaxProblems
	}
	return l.Problems
}

// What is bounded and not configured.
const (
	maxNesting    = 64   // of elements in a template
	maxReference  = 1024 // bytes of "$(...)" in text
	maxParens     = 32   // of an expression, nested (X5)
	maxPattern    = 256  // bytes of a regular expression
	maxSteps      = 1000 // instructions of a regular expression
	maxPatterns   = 64   // regular expressions of a template, those that are refused among them
	maxSubject    = 8 << 10
	maxOrder      = 64 << 10 // bytes of an invalidate element
	maxTags       = 128      // of a fragment
	maxParameters = 32       // of an include
	maxIncludes   = 4096     // of a template: each run has a place for each
)
