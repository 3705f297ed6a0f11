// Package cache knows what a shared cache may do with HTTP messages (RFC 9111): which
// answers may be stored, under which key and variant, for how long each may be used,
// how it is validated, cut into ranges, updated and invalidated, and what is said of
// all that in Age and Cache-Status.
//
// It is pure: fields and times in, verdicts out. It knows of no store, connection or
// configuration file, and it never reads a clock. Numbers such as F3 or C7 in comments
// are those of the rows of the conformance suite.
package cache
