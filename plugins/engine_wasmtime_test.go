//go:build wasmtime

package plugins

import (
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wasmtime"
)

// newEngine makes the engine that the tests run on.
func newEngine(cacheDir string) (engine.Engine, error) {
	return wasmtime.New(wasmtime.Options{CacheDir: cacheDir})
}
