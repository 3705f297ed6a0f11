package abi

// Kind is what a plugin may do.
type Kind string

// The kinds.
const (
	Router    Kind = "router"
	Collector Kind = "collector"
	Matcher   Kind = "matcher"
	Filter    Kind = "filter"
)

// Kinds are all kinds.
var Kinds = []Kind{Router, Collector, Matcher, Filter}

// ValueType is the type of a parameter or a result.
type ValueType string

// The types.
const (
	I32 ValueType = "i32"
	I64 ValueType = "i64"
	F64 ValueType = "f64"
)

// Argument is a parameter of a function.
type Argument struct {
	Name string
	Type ValueType
}

// args makes arguments of one type.
func args(t ValueType, names ...string) (all []Argument) {
	for _, n := range names {
		all = append(all, Argument{n, t})
	}
	return all
}
