package promises

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"testing"

	"weirkeep/gateway"
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/enginetest"
	"weirkeep/plugins/engine/wazero"
)

// engines are those of this build by name. What a build tag adds stands in a file of
// that tag.
func engines() map[string]func(folder string) (engine.Engine, error) {
	all := map[string]func(string) (engine.Engine, error){
		"wazero": func(folder string) (engine.Engine, error) { return wazero.New(wazero.Options{CacheDir: folder}) },
	}
	maps.Copy(all, taggedEngines)
	return all
}

// eachEngine runs a test with every engine of this build.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	for name := range engines() {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

// tallied is [gateway.Options.Engines]: the one engine of that name, counted.
func tallied(name string, t *enginetest.Tally) gateway.Engines {
	return func(folder string) (all []engine.Engine, err error) {
		open := engines()[name]
		if open == nil {
			return nil, fmt.Errorf("this build has no engine %q", name)
		}
		t.Engine, err = open(cmp.Or(os.Getenv(childCode), folder))
		return []engine.Engine{t}, err
	}
}
