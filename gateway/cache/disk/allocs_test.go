package disk

import "testing"

// Budget: reading allocates nothing, wherever a read begins and ends. Opening costs the
// object and its record.
func TestReadAllocs(t *testing.T) {
	s := open(t, folder(t), options())
	mustPut(t, s, 1, 1, 2*chunkSize+1000)
	mustPut(t, s, 2, 1, 1000)
	o, err := s.Open(idOf(1))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	p := make([]byte, chunkSize)
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"blocks", 0, func() { o.ReadAt(p, chunkSize) }},
		{"parts", 0, func() { o.ReadAt(p[:1000], 12345) }},
		{"across chunks", 0, func() { o.ReadAt(p, chunkSize/2+1) }},
		{"to the end", 0, func() { o.ReadAt(p[:100], 2*chunkSize+950) }},
		{"a miss", 0, func() { s.Open(idOf(3)) }},
		{"opening", 2, func() {
			if o, err := s.Open(idOf(2)); err == nil {
				o.Close()
			}
		}},
	} {
		if got := testing.AllocsPerRun(200, tt.do); got > tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
