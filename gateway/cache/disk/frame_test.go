package disk

import "testing"

// A frame passes where it was written, and nowhere else: what a body has in it, whoever
// made that, is never taken for one.
func TestFramesBelongToTheirPlace(t *testing.T) {
	for _, k := range []kind{data, record, deletion, flagging, erased} {
		b := make([]byte, frameHead+40)
		closeFrame(b, k, 7, 1000)
		for _, tt := range []struct {
			name   string
			secret uint64
			at     int64
			want   bool
		}{
			{"its own", 7, 1000, true},
			{"another place", 7, 1001, false},
			{"another segment", 8, 1000, false},
			{"a guess", 0, 1000, false},
		} {
			if got := passes(b, tt.secret, tt.at); got != tt.want {
				t.Errorf("kind %d, %s: passes %t", k, tt.name, got)
			}
		}
		for i := range k.checked(40) {
			b[i] ^= 4
			if passes(b, 7, 1000) {
				t.Errorf("kind %d passes with another byte %d", k, i)
			}
			b[i] ^= 4
		}
	}
}
