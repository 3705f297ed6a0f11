package gateway

import (
	"fmt"
	"testing"
)

// TestClaimsOfTheURLPoisonNobody: what a client says of the URL that it asked for does not reach
// the origin, and what a trusted proxy says of it is in the key.
func TestClaimsOfTheURLPoisonNobody(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		for _, name := range []string{
			"Front-End-Https", "X-Envoy-Original-Path", "X-Host", "X-HTTP-Host-Override", "X-Original-Host", "X-Original-URL", "X-Rewrite-URL",
			"X-Scheme", "X-Script-Name", "X-URL-Scheme", "X-Forwarded-Host", "X-Forwarded-Path", "X-Forwarded-Port", "X-Forwarded-Prefix",
			"X-Forwarded-Proto", "X-Forwarded-Protocol", "X-Forwarded-Scheme", "X-Forwarded-Server", "X-Forwarded-Ssl", "X-Forwarded-Uri",
		} {
			t.Run(fmt.Sprint(name, ", trusted: ", trusted), func(t *testing.T) {
				s := newShop(t, "")
				if trusted {
					apply(t, s.g, s.text+"\ntrusted_proxies: [127.0.0.1]\n")
				}
				s.answer = func(head string) (string, string) { return stored60, "said <" + fieldIn(head, name) + ">" }
				want := "said <>"
				switch name {
				case "X-Forwarded-Host":
					want = "said <shop.example>"
				case "X-Forwarded-Proto":
					want = "said <http>"
				}
				said := want
				if trusted {
					said = "said <evil>"
				}
				wants(t, "with it", s.get(t, "/x", name+": evil"), said)
				wants(t, "without", s.get(t, "/x"), want)
				wants(t, "with it, stored", s.get(t, "/x", name+": evil"), said, "; hit")
			})
		}
	}
}
