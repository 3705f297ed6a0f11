package gateway

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/discover"
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

// What is wrong is said once. Who mends one mistake of a file and leaves, or makes,
// another one is told of that; errors of DNS have other words each time.
func TestEachMistakeOfAFileIsSaidOnce(t *testing.T) {
	for _, tt := range []struct {
		name  string
		where config.Discover
		looks string // each with what was wrong; "-": nothing
		want  string // what the log has of them
	}{
		{"file", config.Discover{File: "list.txt"}, "a a a - a a", "a a"},
		{"file, another mistake", config.Discover{File: "list.txt"}, "a a b b a", "a b a"},
		{"DNS", config.Discover{DNS: &config.DiscoverDNS{Name: "shop.invalid"}}, "a b c - d e", "a d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := new(lockedText)
			f := &finder{cluster: "shop", log: slog.New(slog.NewTextHandler(log, nil)), where: &tt.where}
			for _, wrong := range strings.Fields(tt.looks) {
				var err error
				if wrong != "-" {
					err = errors.New(wrong)
				}
				f.hear(nil, discover.Answer{}, err)
			}
			var said []string
			for line := range strings.Lines(log.String()) {
				if _, because, warned := strings.Cut(line, "because="); warned {
					said = append(said, strings.TrimSpace(because))
				}
			}
			if got := strings.Join(said, " "); got != tt.want {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}
