//go:build !wasmtime

package promises

import "weirkeep/plugins/engine"

// taggedEngines are what build tags add: nothing.
var taggedEngines map[string]func(folder string) (engine.Engine, error)
