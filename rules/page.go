package rules

import _ "embed" // of RULES.md

//go:embed RULES.md
var page string

// Page is RULES.md: the language of conditions, with every operator, variable and
// function.
func Page() string { return page }
