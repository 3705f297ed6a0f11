//go:build wasmtime

package main

import (
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wasmtime"
)

var taggedEngines = []guestEngine{
	{"wasmtime", func(folder string) (engine.Engine, error) { return wasmtime.New(wasmtime.Options{CacheDir: folder}) }},
}
