package gateway

import (
	"reflect"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/config"
)

// TestProfilesOfTheCache: what configuration says without being told anything is what
// package cache calls the default, and its profile what RFC 9111 allows.
func TestProfilesOfTheCache(t *testing.T) {
	for profile, want := range map[string]cache.Policy{"default": cache.Default(), "conformance": cache.Conformance()} {
		cfg := load(t, plainListener+"clusters: { a: { origins: [{ address: \"127.0.0.1:9001\" }] } }\ncache: { enabled: true, profile: "+profile+" }")
		got := cachePolicy(&cfg.Cache, &config.Node{})
		if len(got.TTL) == 0 {
			got.TTL = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, want\n%+v", profile, got, want)
		}
	}
}
