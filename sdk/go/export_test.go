package gw1_test

import "unsafe"

// alignment is how far a buffer's begin is from a multiple of 16.
func alignment(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) & 15 }
