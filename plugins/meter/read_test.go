package meter

import (
	"encoding/hex"
	"math"
	"testing"
)

func TestUnsignedNumbers(t *testing.T) {
	for _, tt := range []struct {
		hex  string
		want uint32
		ok   bool
	}{
		{"00", 0, true},
		{"7f", 127, true},
		{"8001", 128, true},
		{"8000", 0, true}, // longer than it needs to be, which the format allows
		{"ffffffff0f", math.MaxUint32, true},
		{"8080808000", 0, true},
		{"ffffffff1f", 0, false}, // a bit too many
		{"808080808000", 0, false},
		{"", 0, false},
		{"80", 0, false},
	} {
		b, _ := hex.DecodeString(tt.hex)
		r := &reader{b: b}
		if got := r.u32(); got != tt.want || (r.err == nil) != tt.ok || tt.ok && r.more() {
			t.Errorf("%s is %d, %v; want %d", tt.hex, got, r.err, tt.want)
		}
	}
}

func TestSignedNumbers(t *testing.T) {
	for _, tt := range []struct {
		hex  string
		bits int
		want int64
		ok   bool
	}{
		{"00", 32, 0, true},
		{"7f", 32, -1, true},
		{"3f", 32, 63, true},
		{"40", 32, -64, true},
		{"ff00", 32, 127, true},
		{"ffffffff07", 32, math.MaxInt32, true},
		{"8080808078", 32, math.MinInt32, true},
		{"ffffffff0f", 32, 0, false}, // its unused bits are not copies of the sign
		{"8080808008", 32, 0, false},
		{"ffffffff4f", 32, 0, false},
		{"808080808000", 32, 0, false},
		{"ffffffff0f", 33, math.MaxUint32, true},
		{"8080808070", 33, -1 << 32, true},
		{"8080808010", 33, 0, false},
		{"ffffffffffffffffff00", 64, math.MaxInt64, true},
		{"8080808080808080807f", 64, math.MinInt64, true},
		{"80808080808080808001", 64, 0, false},
		{"ffffffffffffffffff7e", 64, 0, false},
		{"8080808080808080808000", 64, 0, false},
		{"80", 64, 0, false},
	} {
		b, _ := hex.DecodeString(tt.hex)
		r := &reader{b: b}
		if got := r.signed(tt.bits); got != tt.want || (r.err == nil) != tt.ok || tt.ok && r.more() {
			t.Errorf("%s in %d bits is %d, %v; want %d", tt.hex, tt.bits, got, r.err, tt.want)
		}
	}
}

func TestNumbersAreReadAsWritten(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8193, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64} {
		r := &reader{b: appendSigned(nil, v)}
		if got := r.signed(64); got != v || r.err != nil || r.more() {
			t.Errorf("%d is read as %d, %v", v, got, r.err)
		}
	}
}
