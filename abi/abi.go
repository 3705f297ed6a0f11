// Package abi is the contract between the gateway and its wasm guests, version
// gw1: what a blob looks like, which exports and host functions there are, what
// a result may say, and what everything costs.
//
// The contract is data: the tables in the contract files ([Layouts], [Exports],
// [HostFunctions], …) are what the codecs, the loader's checks, ABI.md and the
// constants of every SDK are made from. ABI.md, beside this file, is the page to
// read; `make generate` writes it.
//
// The host writes a blob into the guest's buffer with Put, in one pass and
// without an allocation, and reads what the guest answered with ReadRoute,
// ReadNames and ReadOps. What a guest wrote is lengths until proven otherwise:
// the host never reads back a length or an offset that it wrote itself, and a
// Put that does not fit writes nothing. The Decode functions are for tests and
// tools, which read blobs that somebody else wrote.
//
// The package knows no engine and no HTTP: which fields are shown to whom is the
// caller's to decide.
package abi

import (
	"encoding/binary"
	"errors"
)

// Major and Minor are the version of the contract. A guest is loaded when it
// exports gw_abi_1 and the minor that this returns is not above Minor.
const (
	Major = 1
	Minor = 0
)

// Module is the name that host functions are imported from.
const Module = "gw1"

// layout is what every blob has in its layout field.
const layout = 1

// maxField is the longest name or value of a header field or a cookie in a view.
const maxField = 1<<16 - 1

var (
	// ErrTooLarge means that a blob does not fit where it should be put. Nothing
	// was written.
	ErrTooLarge = errors.New("too large for the guest's buffer")

	// ErrFieldTooLong means that a name or value of a header field or a cookie
	// has more than 65535 bytes. Nothing was written.
	ErrFieldTooLong = errors.New("a field is longer than 65535 bytes")

	// ErrInvalidResult means that what a guest returned breaks the contract: the
	// fault kind invalid-result.
	ErrInvalidResult = errors.New("invalid result")

	// ErrMalformed means that a blob is not what its layout says.
	ErrMalformed = errors.New("malformed blob")
)

var le = binary.LittleEndian

// ResultArea is where the result area of a blob of the given size begins,
// counted from the buffer's start: behind the blob, at a multiple of 16.
func ResultArea(size int) int { return (size + 15) &^ 15 }

// BufferSize is the size N of a guest's buffer. View and body are limits.view
// and limits.body in bytes, body 0 for a plugin that is shown none; largest is
// the size of the params or the cluster table, whichever is larger.
func BufferSize(view, body, largest int) int {
	n := ResultArea(view) + ResultBytes + 2*ResultArea(body)
	return max(n, (largest+4095)&^4095)
}
