package tier

import (
	"crypto/sha256"
	"encoding/binary"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// An id names an answer: 8 bytes are a sum of its target, 4 of its whole key, 4 of that
// and what tells it from others under the key. So those of a target, and of a key, are
// found together. Two answers may have the same: then one takes the other's place. What is
// read is compared with what is wanted, so that no sum is trusted.

// keySum is the first twelve bytes of the ids of a key.
type keySum [12]byte

// sumOf is what all ids of a key begin with.
func sumOf(k *store.Key) (s keySum) {
	var room [512]byte
	b := appendPart(room[:0], k.Site)
	b = appendPart(b, k.Target)
	if k.Secure {
		b = append(b, 1)
	}
	sum := sha256.Sum256(b)
	copy(s[:8], sum[:])
	b = appendPart(b, k.Variant)
	b = appendPart(b, k.Parts)
	sum = sha256.Sum256(b)
	copy(s[8:], sum[:])
	return s
}

// idOf is the id of an answer. Two that take each other's place have the same.
func idOf(k *store.Key, s *cache.Stored) (id disk.ID) {
	whole := sumOf(k)
	copy(id[:], whole[:])
	var room [256]byte
	b := append(room[:0], whole[:]...)
	if s.Part.Size != 0 {
		for _, n := range []int64{s.Part.First, s.Part.Size, s.Length} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
	}
	if s.Vary.Never {
		b = append(b, 1)
	}
	for i, name := range s.Vary.Names {
		b = appendPart(b, name)
		if v := s.Vary.Values[i]; v != nil {
			b = appendPart(append(b, 1), v)
		}
	}
	sum := sha256.Sum256(b)
	copy(id[12:], sum[:])
	return id
}

// appendPart appends a string so that where it ends is plain.
func appendPart[S string | []byte](b []byte, s S) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
