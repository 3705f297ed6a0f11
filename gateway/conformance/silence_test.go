package conformance

import "testing"

// silence is of an origin that takes requests and says nothing: it is as good as gone (Z1,
// Z3). These rows take the time that the gateway is patient.
var silence = []row{
	{"Z1", "the origin is silent", `
		O: Cache-Control: max-age=2
		until C: -> 200
		O: hold
		T+30 C: => GET -> stale / 200 / Age: 30`},
	{"Z3", "the origin is silent", `
		O: Cache-Control: max-age=2, must-revalidate
		until C: -> 200
		O: hold
		T+30 C: => GET -> 504`},
}

func TestSilentOrigins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, caching("default", ""), "first_byte_timeout: 1s")
	for _, r := range silence {
		if err := w.play(r); err != nil {
			t.Errorf("%s\n\t%v", r, err)
		}
	}
}
