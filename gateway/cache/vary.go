package cache

// Vary is the fields of a request that an answer was chosen by, and what they were.
type Vary struct {
	Names  []string // in lower case, sorted, each once
	Values [][]byte // normalised, one a name; nil: the request had no such field
	Never  bool     // "*" stands among them: the answer fits no other request
}
