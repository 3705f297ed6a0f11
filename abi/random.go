package abi

// Random is the stream of random bytes that a deterministic guest gets:
// SplitMix64, each output as eight bytes, the lowest first. The zero value is
// the stream of seed 0.
type Random struct {
	state uint64
	word  uint64 // what is left of the last output, the next byte lowest
	left  int    // bytes in word
}

// NewRandom returns the stream of a seed.
func NewRandom(seed uint64) Random { return Random{state: seed} }

// MatcherSeed is the seed of a matcher's call for a request and the rule that
// asks.
func MatcherSeed(requestID uint64, rule string) uint64 { return requestID ^ FNV1a(rule) }

// Fill fills p with the next bytes of the stream.
func (r *Random) Fill(p []byte) {
	for i := range p {
		if r.left == 0 {
			r.word, r.left = r.next(), 8
		}
		p[i] = byte(r.word)
		r.word >>= 8
		r.left--
	}
}

// next returns the next output of SplitMix64.
func (r *Random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// FNV1a returns the 64-bit FNV-1a hash of a string.
func FNV1a(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}
