// Command collector is a plugin of kind collector: how much an origin can still
// take, 0 to 100.
//
// An origin that reports how busy it is, in percent, is believed. Of another the
// answers say it: those that take longer than target_ms lower the metric, those
// that failed lower it by their share. The metric is half what was seen now and
// half what it was before, so that one bad window does not empty an origin.
//
//	plugins:
//	  busy: { kind: collector, module: collector.wasm, params: { source: "header:x-busy", target_ms: 50 } }
package main

import (
	"encoding/json"
	"errors"

	gw1 "weirkeep/sdk/go"
)

var (
	targetMS int64  = 50
	before   []last // by position
)

// last is the metric that an origin had last, if it had one.
type last struct {
	metric float64
	known  bool
}

//go:wasmexport gw_configure
func gwConfigure(size int32) int32 { return gw1.ServeConfigure(size, configure) }

//go:wasmexport gw_on_cluster
func gwOnCluster(size int32) int32 { return gw1.ServeCluster(size, onCluster) }

//go:wasmexport gw_collect
func gwCollect(size int32) int32 { return gw1.ServeCollect(size, collect) }

func configure(params []byte) error {
	if len(params) == 0 {
		return nil
	}
	p := struct {
		TargetMS int64 `json:"target_ms"`
	}{targetMS}
	if err := json.Unmarshal(params, &p); err != nil || p.TargetMS < 1 || p.TargetMS > 60000 {
		return errors.New("target_ms must be a whole number from 1 to 60000")
	}
	targetMS = p.TargetMS
	return nil
}

// onCluster forgets what it knew, for the table may have changed its positions.
func onCluster(c gw1.Cluster) int32 {
	before = make([]last, c.Len())
	return gw1.OK
}

func collect(s gw1.Sample) int32 {
	seen := 0.0
	switch {
	case s.Sources() > 0:
		_, busy := s.SourceAt(0)
		seen = clamp(100 - busy)
	case s.Answers() > 0:
		seen = byAnswers(s)
	default:
		return gw1.NoOpinion
	}
	if s.Position() >= len(before) {
		return gw1.Limit
	}
	b := &before[s.Position()]
	if b.known {
		seen = (seen + b.metric) / 2
	}
	metric := int32(seen + 0.5)
	*b = last{float64(metric), true}
	return metric
}

// byAnswers is what the answers of the window say.
func byAnswers(s gw1.Sample) float64 {
	slow := float64(s.P95()) / (float64(targetMS) * 1e6)
	good := clamp(100 - 100*float64(s.Failed())/float64(s.Answers()))
	return good / max(slow, 1)
}

func clamp(metric float64) float64 { return min(max(metric, 0), 100) }

func main() {}
