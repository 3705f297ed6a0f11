// Command collector is a plugin of kind collector that makes a metric from what
// the origins say of themselves.
//
// An origin tells in the header X-Busy-Time of its answers for how many
// milliseconds it was at work since the last time somebody asked. What is left
// of the window, in percent, is its metric; half of the one before is kept, so
// that a short rush does not move all the load. An origin that tells nothing
// keeps the metric it has.
//
//	plugins:
//	  busy: { kind: collector, module: collector.wasm, params: { source: "header:X-Busy-Time" } }
package main

import gw1 "weirkeep/sdk/go"

// idle is the last metric of each origin, by its position.
var idle []int32

//go:wasmexport gw_configure
func gwConfigure(size int32) int32 { return gw1.ServeConfigure(size, configure) }

//go:wasmexport gw_on_cluster
func gwOnCluster(size int32) int32 { return gw1.ServeCluster(size, onCluster) }

//go:wasmexport gw_collect
func gwCollect(size int32) int32 { return gw1.ServeCollect(size, collect) }

// configure has nothing to read: source is the gateway's to follow.
func configure([]byte) error { return nil }

// onCluster forgets what it knew, for the positions are new.
func onCluster(c gw1.Cluster) int32 {
	idle = make([]int32, c.Len())
	return gw1.OK
}

func collect(s gw1.Sample) int32 {
	busy, told := s.Source("header:x-busy-time")
	if !told || !(busy >= 0) || s.WindowMS() == 0 {
		return gw1.NoOpinion
	}
	metric := gw1.MetricIdle - int32(min(100*busy/float64(s.WindowMS()), 100))
	if s.Position() >= len(idle) {
		return metric
	}
	last := &idle[s.Position()]
	if !s.First() {
		metric = (metric + *last) / 2
	}
	*last = metric
	return metric
}

func main() {}
