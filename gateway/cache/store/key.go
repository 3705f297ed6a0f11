package store

import (
	"bytes"
	"cmp"
	"hash/maphash"
)

// Key is what must be equal for two requests to share an answer, before Vary. It is a
// value that a caller fills for each request; what is kept of it is copied.
type Key struct {
	Site    string // stands for host and port, so that aliases share
	Secure  bool   // the scheme is https
	Variant string // what the decision says of its own choice
	Target  []byte // canonical path and query, as they are keyed
	Parts   []byte // what configuration adds: chosen fields and cookies
}

// sums are hashes of a key: of what names its target, whatever the variant and parts,
// and of all of it. Two keys with equal sums may still be different.
func (c *Cache) sums(k *Key) (target, all uint64) {
	target = maphash.String(c.seed, k.Site) ^ maphash.Bytes(c.seed, k.Target)*odd
	if k.Secure {
		target++
	}
	target *= odd
	all = target ^ maphash.String(c.seed, k.Variant)
	if len(k.Parts) > 0 {
		all = all*odd ^ maphash.Bytes(c.seed, k.Parts)
	}
	return target, all * odd
}

// odd spreads the bits of a sum: multiplying by it loses none of them.
const odd = 0x9e3779b97f4a7c15

// Equal reports whether all parts of two keys are.
func (k *Key) Equal(o *Key) bool {
	return k.SameTarget(o) && k.Variant == o.Variant && bytes.Equal(k.Parts, o.Parts)
}

// SameTarget reports whether two keys differ at most in variant and parts.
func (k *Key) SameTarget(o *Key) bool {
	return k.Site == o.Site && k.Secure == o.Secure && bytes.Equal(k.Target, o.Target)
}

// compare orders keys by what an operator reads of them.
func (k *Key) compare(o *Key) int {
	return cmp.Or(
		cmp.Compare(k.Site, o.Site), bytes.Compare(k.Target, o.Target),
		cmp.Compare(k.Variant, o.Variant), bytes.Compare(k.Parts, o.Parts))
}

// clone copies what is the request's.
func (k *Key) clone() Key {
	c := *k
	buf := make([]byte, len(k.Target)+len(k.Parts))
	copy(buf, k.Target)
	copy(buf[len(k.Target):], k.Parts)
	c.Target, c.Parts = buf[:len(k.Target):len(k.Target)], buf[len(k.Target):]
	return c
}

// size is how many bytes a copy takes.
func (k *Key) size() int64 { return int64(len(k.Target) + len(k.Parts)) }
