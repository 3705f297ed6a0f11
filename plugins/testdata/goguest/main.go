//go:build wasip1

// Package main is a guest of all kinds, written in Go without an SDK: what it does in
// a call the path says. With the tag calls it makes http calls too, see calls.go.
package main

import (
	"encoding/binary"
	"runtime/debug"
	"unsafe"
)

// buffer is where the host writes; result is where the result area begins.
var buffer []byte

func init() { debug.SetGCPercent(-1) }

func main() {}

//go:wasmexport gw_abi_1
func version() int32 { return 0 }

//go:wasmexport gw_buffer
func takeBuffer(size int32) int32 {
	all := make([]byte, size+16)
	at := uintptr(unsafe.Pointer(&all[0]))
	skip := (16 - at%16) % 16
	buffer = all[skip : skip+uintptr(size)]
	return int32(at + skip)
}

func u32(at uint32) uint32 { return binary.LittleEndian.Uint32(buffer[at:]) }

// text is what a ref of the view refers to.
func text(at uint32) string { return string(buffer[u32(at):][:u32(at+4)]) }

func path() string { return text(56) }

func result() []byte { return buffer[u32(112):] }

// kept grows with /keep.
var kept [][]byte

var waste []byte

// behave does what the path says before anything else.
func behave() {
	switch p := path(); {
	case p == "/waste": // garbage of 10 KiB
		waste = make([]byte, 10<<10)
		waste[0] = 1
	case p == "/keep":
		kept = append(kept, make([]byte, 64<<10))
	case p == "/panic":
		panic("no such shop")
	}
}

//go:wasmexport gw_on_cluster
func onCluster(int32) int32 { return 0 }

// gw_route lists all origins that are usable.
//
//go:wasmexport gw_route
func route(int32) int32 {
	behave()
	n, at := int32(0), u32(108)
	for i := range u32(104) {
		if buffer[at+8*i+7]&1 != 0 {
			binary.LittleEndian.PutUint16(result()[2*n:], uint16(i))
			n++
		}
	}
	return n
}

//go:wasmexport gw_match
func match(int32) int32 {
	behave()
	if path() == "/match" {
		return 1
	}
	return 0
}

var collected int32

//go:wasmexport gw_collect
func collect(int32) int32 {
	collected++
	return collected
}

// op writes one operation, and returns its size.
func op(code uint16, key, value string) int32 {
	out := result()[:0]
	out = binary.LittleEndian.AppendUint16(out, code)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(key)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(value)))
	out = append(append(out, key...), value...)
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return int32(len(out))
}

//go:wasmexport gw_on_request
func onRequest(int32) int32 {
	behave()
	return op(1, "X-Path", path()+" seen")
}

//go:wasmexport gw_on_response
func onResponse(int32) int32 { return op(9, "guest", "go") }
