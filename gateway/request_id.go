package gateway

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"
)

// requestIDs makes the ids of exchanges whose client sent none: a random number
// a process and a count, so that no two of a fleet are alike.
type requestIDs struct {
	process [8]byte
	count   atomic.Uint64
}

func newRequestIDs() *requestIDs {
	ids := new(requestIDs)
	rand.Read(ids.process[:])
	return ids
}

// write fills dst with the id of an exchange by its number: 32 hex digits.
func (ids *requestIDs) write(dst *[32]byte, number uint64) {
	var raw [16]byte
	copy(raw[:], ids.process[:])
	binary.BigEndian.PutUint64(raw[8:], number)
	hex.Encode(dst[:], raw[:])
}

// maxRequestID is the longest id that is taken from a client.
const maxRequestID = 128

// nameRequest gives the exchange its id: the client's, if it is one, else ours.
// A client's id that is none is not passed on.
func (x *Exchange) nameRequest(g *Gateway) {
	x.number = g.ids.count.Add(1)
	if id := x.Head.RequestID; validRequestID(id) {
		x.requestID = id
		return
	}
	x.Head.RequestID = nil
	g.ids.write(&x.ids, x.number)
	x.requestID = x.ids[:]
}

func validRequestID(id []byte) bool {
	if len(id) == 0 || len(id) > maxRequestID {
		return false
	}
	for _, c := range id {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
