package cache

import (
	"testing"
	"time"
)

// What is said to clients stands in Cache-Control alone, in whatever lines and case.
func TestForClients(t *testing.T) {
	for _, tt := range []struct {
		answer string
		most   time.Duration
		ok     bool
	}{
		{"Surrogate-Control: max-age=60", Unbounded, true},
		{"Surrogate-Control: max-age=60 / Cache-Control: public, max-age=5", 5 * time.Second, true},
		{"Surrogate-Control: max-age=60 / Cache-Control: s-maxage=5", Unbounded, true},
		{"Surrogate-Control: max-age=60 / Cache-Control: max-age=x", 0, true},
		{"Surrogate-Control: max-age=60 / Cache-Control: max-age=5 / Cache-Control: Private", 0, false},
		{"Surrogate-Control: max-age=60 / Cache-Control: no-cache", 0, false},
		{"Surrogate-Control: max-age=60 / Cache-Control: no-store", 0, false},
		{"Surrogate-Control: max-age=60 / Cache-Control: max-age=5, x=\"", 0, false},
	} {
		p := Default()
		most, ok := stored(t, &p, request(t, ""), answer(t, tt.answer)).ForClients()
		if most != tt.most || ok != tt.ok {
			t.Errorf("%s: %v, %v; want %v, %v", tt.answer, most, ok, tt.most, tt.ok)
		}
	}
}
