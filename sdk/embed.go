// Package sdk has the SDKs for plugins as files, so that the program can start a new
// plugin without a network: each language's own folder, and a plugin of each kind
// among its examples.
package sdk

import "embed"

// Files are the sources of the SDKs, below the folder of each language, without what
// was built of them.
//
//go:embed go/*.go go/gw1test/*.go go/examples/*/*.go
//go:embed c/*.h c/examples/*.c
//go:embed rust/Cargo.toml rust/src rust/examples/*.rs
//go:embed assemblyscript/assembly assemblyscript/examples/*.ts
var Files embed.FS
