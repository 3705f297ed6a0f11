//go:build wasmtime

package promises

import (
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wasmtime"
)

var taggedEngines = map[string]func(folder string) (engine.Engine, error){
	"wasmtime": func(folder string) (engine.Engine, error) {
		return wasmtime.New(wasmtime.Options{CacheDir: folder})
	},
}
