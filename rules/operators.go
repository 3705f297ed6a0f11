package rules

// An Operator is one that stands between values, or before one.
type Operator struct {
	Name, About, Example string
}

var operatorTable = []Operator{
	{"and", "both are true; && is the same", `method == "GET" and port == 8443`},
	{"or", "one of them is true; || is the same", `port == 80 or port == 8443`},
	{"not", "what follows is false; it binds tighter than ==, so brackets are needed; ! is the same", `not (method == "PUT")`},
	{"==", "equal, letter by letter", `path == "/shop/7/cart"`},
	{"!=", "not equal", `method != "PUT"`},
	{"<", "less, of numbers", `now.hour < 18`},
	{"<=", "less or equal", `now.hour <= 18`},
	{">", "greater", `int(header("X-Level"), 0) > 3`},
	{">=", "greater or equal", `now.weekday >= 6`},
	{"in", "one of a list; not in: none of it", `method in ["GET", "HEAD"]`},
	{"contains", "a text has another in it; not contains: it has not", `path contains "/cart"`},
	{"startsWith", "a text begins with another", `path startsWith "/shop/"`},
	{"endsWith", "a text ends with another", `host endsWith ".example.com"`},
	{"matches", "a literal RE2 pattern fits a part of a text, whose ends are ^ and $; not matches: it does not", "path matches `^/shop/\\d+/`"},
	{"?", "a ? b : c is b where a is true, else c", `port == 80 ? scheme == "http" : scheme == "https"`},
	{"??", "a ?? b is a, since nothing is ever nil", `(cookie("a") ?? "") == "1"`},
}

// Operators are the operators of expressions.
func Operators() []Operator { return operatorTable }

// operators are their names.
var operators = func() (names []string) {
	for _, o := range operatorTable {
		names = append(names, o.Name)
	}
	return names
}()
