//go:build !wasip1

package gw1

// Host is what stands in for the gateway's functions where there is no gateway:
// in go test. They are those of the contract, with a slice for each pair of
// address and length.
type Host interface {
	Log(level int32, line []byte)
	GetProperty(name, buf []byte) int32
	NowNS() int64
	Random(p []byte) int32
	MetricDefine(kind int32, name []byte) int32
	CounterAdd(id int32, n int64) int32
	GaugeSet(id int32, v float64) int32
	KVGet(key, buf []byte) (n int32, version uint64)
	KVSet(key, value []byte, ttlMS, version int64) int32
	KVDelete(key []byte) int32
	HTTPCall(ops []byte, timeoutMS int32) int32
}

var host Host

// UseHost makes h the host. Only the package gw1test has to call it; a plugin
// that calls a host function before panics.
func UseHost(h Host) { host = h }

func hostLog(level int32, line string)               { host.Log(level, []byte(line)) }
func hostGetProperty(name string, buf []byte) int32  { return host.GetProperty([]byte(name), buf) }
func hostNow() int64                                 { return host.NowNS() }
func hostRandom(p []byte) int32                      { return host.Random(p) }
func hostMetricDefine(kind int32, name string) int32 { return host.MetricDefine(kind, []byte(name)) }
func hostCounterAdd(id int32, n int64) int32         { return host.CounterAdd(id, n) }
func hostGaugeSet(id int32, v float64) int32         { return host.GaugeSet(id, v) }
func hostKVGet(key string, buf []byte) (int32, uint64) {
	return host.KVGet([]byte(key), buf)
}
func hostKVSet(key string, value []byte, ttlMS, version int64) int32 {
	return host.KVSet([]byte(key), value, ttlMS, version)
}
func hostKVDelete(key string) int32                  { return host.KVDelete([]byte(key)) }
func hostHTTPCall(ops []byte, timeoutMS int32) int32 { return host.HTTPCall(ops, timeoutMS) }
