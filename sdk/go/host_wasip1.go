package gw1

import "unsafe"

//go:wasmimport gw1 log
//go:noescape
func importLog(level int32, line unsafe.Pointer, n int32)

//go:wasmimport gw1 get_property
//go:noescape
func importGetProperty(name unsafe.Pointer, nameLen int32, buf unsafe.Pointer, room int32) int32

//go:wasmimport gw1 now_ns
func hostNow() int64

//go:wasmimport gw1 random
//go:noescape
func importRandom(p unsafe.Pointer, n int32) int32

//go:wasmimport gw1 metric_define
//go:noescape
func importMetricDefine(kind int32, name unsafe.Pointer, n int32) int32

//go:wasmimport gw1 counter_add
func hostCounterAdd(id int32, n int64) int32

//go:wasmimport gw1 gauge_set
func hostGaugeSet(id int32, v float64) int32

//go:wasmimport gw1 kv_get
//go:noescape
func importKVGet(key unsafe.Pointer, keyLen int32, buf unsafe.Pointer, room int32, version unsafe.Pointer) int32

//go:wasmimport gw1 kv_set
//go:noescape
func importKVSet(key unsafe.Pointer, keyLen int32, value unsafe.Pointer, valueLen int32, ttlMS, version int64) int32

//go:wasmimport gw1 kv_delete
//go:noescape
func importKVDelete(key unsafe.Pointer, keyLen int32) int32

//go:wasmimport gw1 http_call
//go:noescape
func importHTTPCall(ops unsafe.Pointer, n, timeoutMS int32) int32

func textAt(s string) unsafe.Pointer  { return unsafe.Pointer(unsafe.StringData(s)) }
func bytesAt(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func hostLog(level int32, line string) { importLog(level, textAt(line), int32(len(line))) }

func hostGetProperty(name string, buf []byte) int32 {
	return importGetProperty(textAt(name), int32(len(name)), bytesAt(buf), int32(len(buf)))
}

func hostRandom(p []byte) int32 { return importRandom(bytesAt(p), int32(len(p))) }

func hostMetricDefine(kind int32, name string) int32 {
	return importMetricDefine(kind, textAt(name), int32(len(name)))
}

func hostKVGet(key string, buf []byte) (n int32, version uint64) {
	n = importKVGet(textAt(key), int32(len(key)), bytesAt(buf), int32(len(buf)), unsafe.Pointer(&version))
	return n, version
}

func hostKVSet(key string, value []byte, ttlMS, version int64) int32 {
	return importKVSet(textAt(key), int32(len(key)), bytesAt(value), int32(len(value)), ttlMS, version)
}

func hostKVDelete(key string) int32 { return importKVDelete(textAt(key), int32(len(key))) }

func hostHTTPCall(ops []byte, timeoutMS int32) int32 {
	return importHTTPCall(bytesAt(ops), int32(len(ops)), timeoutMS)
}
