package rules

import (
	"bytes"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"

	"weirkeep/gateway/wire"
)

// Response is what an expression can ask about the answer of an origin: views of the
// caller's bytes, read during Match and not kept. Only programs of a language whose
// scope is [OfAnswer], [OfRetry] or [OfStored] ask.
type Response struct {
	Status   int
	Fields   []wire.Field // of its header
	Attempts int          // made so far, that with this answer included; of [OfRetry] alone
}

// Stored is what an expression can ask about an answer that a cache has, beside what the
// answer says.
type Stored struct {
	Age, TTL time.Duration // TTL is negative if the answer is stale
	Size     int64         // bytes that it takes
	Hits     int64
	Tags     []string
	Variant  string
}

// contentType is the media type of the answer in lower case, without parameters;
// empty: it does not say.
func (f *frame) contentType() []byte {
	kind, _, _ := bytes.Cut(field(f.request.Response.Fields, "content-type"), semicolon)
	return f.lower(wire.TrimBlanks(kind))
}

var semicolon = []byte(";")

func (f *frame) responseHeader(name string) string {
	return string(field(f.request.Response.Fields, strings.ToLower(name)))
}

// responseHeaderText compiles response_header() with a literal name.
func responseHeaderText(_ leaves, args []ast.Node) (value, bool) {
	name, ok := constant(args, 0)
	name = strings.ToLower(name)
	return value{read: func(f *frame) []byte { return field(f.request.Response.Fields, name) }}, ok
}
