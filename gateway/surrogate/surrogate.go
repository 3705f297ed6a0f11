// Package surrogate is the handshake between an origin and the caches in front of it, of
// the note Edge Architecture 1.0: a surrogate says in Surrogate-Capability what it can do,
// and the origin in Surrogate-Control what is to be done with its answer.
//
// What is here reads and writes the two fields. What follows from them is others' matter:
// freshness is the cache's, content the ESI processor's, and which peer may send the field
// the gateway's.
package surrogate

// What a body may need to have done with it, and what a device may be capable of.
const (
	Surrogate = "Surrogate/1.0"  // Surrogate-Control is understood
	ESI       = "ESI/1.0"        // the language
	ESIInline = "ESI-Inline/1.0" // its inline elements, as entries of their own
)
