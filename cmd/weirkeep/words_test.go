package main

import (
	"reflect"
	"strings"
	"testing"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	gatewayorigin "weirkeep/gateway/origin"
	"weirkeep/gateway/rollout"
)

// TestEveryStateAndHealthIsExplained: what status, logs, configuration and roll-outs
// call an origin can be looked up.
func TestEveryStateAndHealthIsExplained(t *testing.T) {
	field, ok := reflect.TypeFor[config.Origin]().FieldByName("State")
	states := strings.Split(field.Tag.Get("enum"), "|")
	if !ok || len(states) < 2 {
		t.Fatalf("the states of an origin are %q", states)
	}
	healths := namesFrom(gatewayorigin.Up)
	if len(healths) < 3 || healths[0] != "up" {
		t.Fatalf("an origin's healths are %q", healths)
	}
	for _, stage := range []rollout.Stage{rollout.Pending, rollout.Draining, rollout.Waiting, rollout.Ready, rollout.Done} {
		states = append(states, string(stage))
	}
	for _, name := range append(states, healths...) {
		if _, ok := findWord(name); !ok {
			t.Errorf("%s is not explained", name)
		}
	}
}

// TestEveryOutcomeOfTheCacheIsExplained: what the access log has in its field cache can be
// looked up.
func TestEveryOutcomeOfTheCacheIsExplained(t *testing.T) {
	for _, name := range metrics.CacheOutcomes {
		if _, ok := findWord(name); !ok {
			t.Errorf("%s is not explained", name)
		}
	}
}

// TestKeysOfWordsExist: who is told of a key finds it in the configuration.
func TestKeysOfWordsExist(t *testing.T) {
	keys := map[string]bool{}
	keysBelow(reflect.TypeFor[config.Config](), "", keys)
	for _, w := range words {
		if w.means == "" || w.keys == "" {
			t.Errorf("%s is not explained: %+v", w.name, w)
		}
		for key := range strings.SplitSeq(w.keys, ", ") {
			if !strings.HasPrefix(key, "sites.*.pages.") && !keys[key] {
				t.Errorf("%s: there is no key %s", w.name, key)
			}
		}
	}
}

// keysBelow collects the keys of a type, with * for names and [] for entries.
func keysBelow(t reflect.Type, path string, found map[string]bool) {
	found[path] = true
	switch t.Kind() {
	case reflect.Pointer:
		keysBelow(t.Elem(), path, found)
	case reflect.Slice:
		keysBelow(t.Elem(), path+"[]", found)
	case reflect.Map:
		keysBelow(t.Elem(), path+".*", found)
	case reflect.Struct:
		for i := range t.NumField() {
			if key := t.Field(i).Tag.Get("yaml"); key != "" && key != "-" {
				keysBelow(t.Field(i).Type, strings.TrimPrefix(path+"."+key, "."), found)
			}
		}
	}
}
