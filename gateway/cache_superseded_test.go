package gateway

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestOlderAnswersDoNotComeBack: an answer that shows that what is stored is out of date, and is
// not stored itself, takes away all that fits the request, and not the newest alone: an
// older one, chosen by less, in memory or on the disk, would be what is found next.
func TestOlderAnswersDoNotComeBack(t *testing.T) {
	for _, onDisk := range []bool{false, true} {
		t.Run(fmt.Sprint("on the disk: ", onDisk), func(t *testing.T) {
			a := newAbsent(t, diskOf(filepath.Join(t.TempDir(), "cache")))
			fields := ""
			a.answer = func(string) (string, string) { return fields, "page" }
			for _, step := range []struct {
				at     int64
				fields string
				ask    string
				want   string // a part of Cache-Status
			}{
				{0, "Cache-Control: max-age=10\r\nETag: \"one\"\r\n", "GET /a|X-Kind: k", "fwd=uri-miss; fwd-status=200; ttl=10; stored"},
				{20, "Cache-Control: max-age=10\r\nETag: \"two\"\r\nVary: X-Kind\r\n", "GET /a|X-Kind: k", "fwd=stale; fwd-status=200; ttl=10; stored"},
				{40, "", "GET /a|X-Kind: k", "fwd=stale; fwd-status=200; detail=\"no freshness\""},
			} {
				a.clock.Store(step.at)
				fields = step.fields
				if onDisk && step.at == 40 {
					a.restart(t)
				}
				if got := a.says(t, step.ask); got != "200 "+step.want {
					t.Errorf("at %d: %q, want %q", step.at, got, step.want)
				}
			}
			list, err := a.g.ListStored(StoredSelection{All: true}, "", 9)
			if err != nil || list.Matched != 0 {
				t.Errorf("%s is stored, %v", placesOf(list.Objects), err)
			}
			a.home.down.Store(true)
			if got := a.says(t, "GET /a|X-Kind: k"); !strings.HasPrefix(got, "502") {
				t.Errorf("%q: an older answer is back", got)
			}
			a.restart(t)
			if got := a.says(t, "GET /a|X-Kind: k"); !strings.HasPrefix(got, "502") {
				t.Errorf("%q: an older answer is back after a restart", got)
			}
		})
	}
}
