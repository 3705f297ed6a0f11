//go:build !wasmtime

package main

// taggedEngines are what build tags add: nothing.
var taggedEngines []guestEngine
