package gateway

import (
	"strings"
	"testing"
)

// TestSurrogateControlGoesNoFurther: it is for the cache that honours it, be the answer stored
// or not; where there is no cache it passes like any other field.
func TestSurrogateControlGoesNoFurther(t *testing.T) {
	const get = "GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
	for _, tt := range []struct {
		name, fields string
		off          bool
		want         []string
	}{
		{"stored", "Surrogate-Control: max-age=60\r\nCache-Control: no-store\r\n", false, []string{"Cache-Control: no-store", "edge; hit; ttl=60"}},
		{"said to this node", "Surrogate-Control: no-store, max-age=60;edge\r\n", false, []string{"edge; hit; ttl=60"}},
		{"not stored", "Surrogate-Control: no-store\r\nCache-Control: max-age=60\r\n", false, []string{"Cache-Control: max-age=60", "detail=no-store"}},
		{"no cache", "Surrogate-Control: max-age=60\r\n", true, []string{"Surrogate-Control: max-age=60"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShop(t, "")
			if tt.off {
				apply(t, s.g, strings.Replace(s.text, "enabled: true", "enabled: false", 1))
			}
			s.answer = func(string) (string, string) { return tt.fields, "page" }
			send(t, s.addr, get)
			got := send(t, s.addr, get)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
			if strings.Contains(got, "Surrogate-") != tt.off {
				t.Error(got)
			}
		})
	}
}
