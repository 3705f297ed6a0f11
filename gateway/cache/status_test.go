package cache

import (
	"testing"
	"time"
)

func TestCacheStatus(t *testing.T) {
	for _, tt := range []struct {
		status Status
		want   string
	}{
		{Status{Cache: "weirkeep", Hit: true}, "weirkeep; hit"},
		{Status{Cache: "weirkeep", Hit: true, HasTTL: true, TTL: 376 * time.Second}, "weirkeep; hit; ttl=376"},
		{Status{Cache: "weirkeep", Hit: true, HasTTL: true, TTL: -412 * time.Second}, "weirkeep; hit; ttl=-412"},
		{Status{Cache: "weirkeep", Hit: true, HasTTL: true, TTL: time.Millisecond}, "weirkeep; hit; ttl=1"},
		{Status{Cache: "weirkeep", Hit: true, HasTTL: true, TTL: -time.Millisecond}, "weirkeep; hit; ttl=0"},
		{Status{Cache: "weirkeep", Hit: true, HasTTL: true}, "weirkeep; hit; ttl=0"},
		{Status{Cache: "weirkeep", Fwd: FwdURIMiss, Stored: true}, "weirkeep; fwd=uri-miss; stored"},
		{Status{Cache: "weirkeep", Fwd: FwdStale, FwdStatus: 304, HasTTL: true, TTL: time.Minute, Stored: true, Collapsed: true},
			"weirkeep; fwd=stale; fwd-status=304; ttl=60; stored; collapsed"},
		{Status{Cache: "weirkeep", Fwd: FwdBypass, Detail: "no-store"}, "weirkeep; fwd=bypass; detail=no-store"},
		{Status{Cache: "weirkeep", Fwd: FwdMiss, Detail: "vary too long"}, `weirkeep; fwd=miss; detail="vary too long"`},
		{Status{Cache: "weirkeep", Fwd: FwdMiss, Detail: "9 lives"}, `weirkeep; fwd=miss; detail="9 lives"`},
		{Status{Cache: "10.0.0.1", Fwd: FwdMethod}, `"10.0.0.1"; fwd=method`},
		{Status{Cache: "", Fwd: FwdRequest}, `""; fwd=request`},
		{Status{Cache: "node-1.example", Fwd: FwdPartial}, "node-1.example; fwd=partial"},
		{Status{Cache: "a", Fwd: FwdVaryMiss, Key: []byte("/a\"b\\c\r\n\xff?x=1")}, `a; fwd=vary-miss; key="/a\"b\\c%0D%0A%FF?x=1"`},
		{Status{Cache: "a", Hit: true, HasTTL: true, TTL: 50 * time.Second, Fragments: 3}, "a; hit; ttl=50; fragments=3; fragments-hit=0"},
		{Status{Cache: "a", Fwd: FwdURIMiss, Stored: true, Fragments: 12, Ready: 11, Detail: "x"}, "a; fwd=uri-miss; stored; fragments=12; fragments-hit=11; detail=x"},
		{Status{Cache: "a", Fwd: FwdMiss, Key: []byte{}}, `a; fwd=miss; key=""`},
	} {
		if got := string(tt.status.Append(nil)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	if got := string((&Status{Cache: "b", Hit: true}).Append([]byte("a; hit, "))); got != "a; hit, b; hit" {
		t.Errorf("after another member: %s", got)
	}
}

// TestEveryRefusalIsNamed, and says whether an older answer stays, and whether the next
// client is spared the wait.
func TestEveryRefusalIsNamed(t *testing.T) {
	seen := map[string]Refusal{}
	for w := range Refusal(len(refusals)) {
		if other, twice := seen[w.String()]; twice || w.String() == "" || w.Sentence() == "" {
			t.Errorf("refusal %d is %q: %q, and so is %d", w, w.String(), w.Sentence(), other)
		}
		seen[w.String()] = w
	}
	for _, tt := range []struct {
		why              Refusal
		status           int
		removes, lasting bool
	}{
		{0, 200, false, false},
		{RefusedNoStore, 200, false, true}, // R1
		{RefusedPrivate, 200, false, true},
		{RefusedAuthorization, 200, false, false},
		{RefusedExpired, 200, true, true},
		{RefusedExpired, 404, true, true},
		{RefusedExpired, 503, false, true},
		{RefusedVary, 200, true, true},
		{RefusedByRule, 200, true, true},
		{RefusedPart, 206, false, false},
	} {
		if tt.why.Supersedes(tt.status) != tt.removes || tt.why.Lasting() != tt.lasting {
			t.Errorf("%v of a %d: supersedes %v, lasting %v", tt.why, tt.status, !tt.removes, tt.why.Lasting())
		}
	}
}
