//go:build wasip1 && !calls

package main

//go:wasmexport gw_tick
func tick(int32) int32 { return 0 }
