package gateway

import (
	"log/slog"
	"testing"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/unit"
)

// A finder that one configuration has ended may be wanted by another, which was looked
// at before: then it looks again.
func TestEndedFinderBeginsAgain(t *testing.T) {
	soon := unit.Duration(time.Millisecond)
	f := &finder{cluster: "shop", log: slog.New(slog.DiscardHandler), where: &config.Discover{DNS: &config.DiscoverDNS{
		Name: "shop.invalid", Port: 8080, Resolver: "127.0.0.1:1", Timeout: soon, MinTTL: soon, MaxTTL: soon,
	}}}
	looked := func() uint64 { return f.status().Looks }
	f.begin(func() {})
	until(t, "it looks", func() bool { return looked() > 0 })
	f.end()
	before := looked()
	f.begin(func() {})
	defer f.end()
	until(t, "it looks again", func() bool { return looked() > before })
}
