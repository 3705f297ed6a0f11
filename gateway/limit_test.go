package gateway

import "testing"

// However few descriptors there are, clients and origins together leave some for
// the log, the administrators and the next configuration.
func TestConnectionsLeaveDescriptors(t *testing.T) {
	for _, tt := range []struct {
		descriptors int64
		want        int
	}{
		{16, 4},
		{64, 16},
		{256, 112},
		{1024, 448},
		{1 << 20, (1<<20 - 128) / 2},
	} {
		if got := halfOf(tt.descriptors); got != tt.want {
			t.Errorf("of %d descriptors clients get %d, want %d", tt.descriptors, got, tt.want)
		}
	}
}
