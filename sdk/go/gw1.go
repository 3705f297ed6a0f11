// Package gw1 is for people who write plugins in Go: it reads what the gateway
// shows a plugin and writes what the plugin answers.
//
// A plugin is a main package with one function for each export it has. The
// function says what is called; the work is done by a function of your own:
//
//	//go:wasmexport gw_route
//	func gwRoute(size int32) int32 { return gw1.ServeRoute(size, route) }
//
//	func route(v gw1.View, list *gw1.List) int32 {
//		list.Add(0)
//		return gw1.OK
//	}
//
//	func main() {} // never called
//
// It is built with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared. The
// exports gw_abi_1 and gw_buffer are this package's. On any other platform the
// same functions run in go test; see the package gw1test.
//
// A call allocates nothing here. What a View and its like return are slices of
// the exchange buffer, good until the call ends: copy what you keep. Whatever
// the bytes say, reading never panics: what is absent, or outside the blob, is
// nil or zero. An instance runs one call at a time, so package variables need
// no lock.
//
// The handlers return OK or an error code, a negative number such as Failed.
// An error code is an answer, not a fault: the configuration's on_error decides
// what becomes of the exchange.
package gw1

import "unsafe"

// OK is what a handler returns when what it wrote is its answer.
const OK = 0

// buffer is the exchange buffer, which the host writes to and reads from.
var buffer []byte

// Buffer makes the exchange buffer: what the export gw_buffer does. Only the
// package gw1test has to call it. It begins at a multiple of 16 and lives as
// long as the instance. A size of 0 or less is nil.
func Buffer(size int) []byte {
	if size <= 0 {
		return nil
	}
	room := make([]byte, size+15)
	skip := int(-uintptr(unsafe.Pointer(&room[0])) & 15)
	buffer = room[skip : skip+size : skip+size]
	return buffer
}

//go:wasmexport gw_abi_1
func exportABI() int32 { return Minor }

//go:wasmexport gw_buffer
func exportBuffer(size int32) int32 {
	b := Buffer(int(size))
	if b == nil {
		return 0
	}
	return int32(uintptr(unsafe.Pointer(&b[0])))
}

// open returns the blob that the host wrote: nil if its size cannot be that of
// a blob with such a head.
func open(size int32, head int) blob {
	if int(size) < head || int(size) > len(buffer) {
		return nil
	}
	return buffer[:size:size]
}

// behind returns the part of the buffer behind the view: where results go.
func (v View) behind() []byte {
	off := uint64(v.b.u32(ViewResultOff))
	end := off + uint64(v.b.u32(ViewResultCap))
	if off < uint64(len(v.b)) || end > uint64(len(buffer)) {
		return nil
	}
	return buffer[off:end:end]
}
