// Package wire reads and writes the bytes of HTTP/1.1 messages: header fields
// in their order, request targets and authorities, bodies, the chunked coding.
//
// It reads strictly. A message either has one reading, which is the same for
// us and for whoever gets it next, or it is refused with one of the errors of
// this package. Nothing is repaired: no folded line, no bare LF, no blank
// before a colon, no length stated twice.
//
// What it returns are views into the caller's bytes, valid for as long as
// those are. Nothing here allocates once the buffers of a reused [Head],
// [Target], [Authority] or [Body] have grown to their size; the writers append
// to what the caller owns.
//
// Bodies are pulled: [Body.Next] gives a view of what has arrived, whatever
// the framing, and asks its [Source] for more only when there is nothing.
//
// The package knows nothing of sockets, deadlines, statuses or configuration,
// and decides nothing about forwarding: a field's [Class] says what kind it is,
// the gateway what becomes of it.
package wire
