//go:build !wasmtime

package plugins

import (
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wazero"
)

// newEngine makes the engine that the tests run on: with the build tag wasmtime that
// one, so that make test, which runs them twice, has both.
func newEngine(cacheDir string) (engine.Engine, error) {
	return wazero.New(wazero.Options{CacheDir: cacheDir})
}
