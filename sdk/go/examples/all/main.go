// Command all is a plugin of every kind at once, which uses everything that the
// SDK has. It is for tests of hosts; to learn from, see the other examples.
//
//	kind       export              what it does
//	all        gw_configure        refuses {"refuse":"…"} with that message
//	router     gw_route            lists the origins that are usable, by capacity left
//	           gw_on_cluster       counts and logs members
//	           gw_tick             adds to a counter, sets a gauge, writes a key, calls out
//	           gw_on_http_response writes status and body of the answer to a key
//	matcher    gw_match            does what its first argument says
//	collector  gw_collect          100 − percentage of the capacity in use
//	filter     gw_on_request       tags the request with what it was shown
//	           gw_on_response      body in capitals
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	gw1 "weirkeep/sdk/go"
)

var (
	members int
	order   []candidate // of the last call; its memory is used again
)

type candidate struct{ position, left int }

//go:wasmexport gw_configure
func gwConfigure(size int32) int32 { return gw1.ServeConfigure(size, configure) }

//go:wasmexport gw_enable
func gwEnable(_ int32) int32 { return gw1.OK }

//go:wasmexport gw_on_cluster
func gwOnCluster(size int32) int32 { return gw1.ServeCluster(size, onCluster) }

//go:wasmexport gw_route
func gwRoute(size int32) int32 { return gw1.ServeRoute(size, route) }

//go:wasmexport gw_match
func gwMatch(size int32) int32 { return gw1.ServeMatch(size, match) }

//go:wasmexport gw_collect
func gwCollect(size int32) int32 { return gw1.ServeCollect(size, collect) }

//go:wasmexport gw_enabled
func gwEnabled() int32 { return 1 }

//go:wasmexport gw_on_request
func gwOnRequest(size int32) int32 { return gw1.ServeFilter(size, onRequest) }

//go:wasmexport gw_on_response
func gwOnResponse(size int32) int32 { return gw1.ServeFilter(size, onResponse) }

//go:wasmexport gw_tick
func gwTick(size int32) int32 { return gw1.ServeTick(size, tick) }

//go:wasmexport gw_on_http_response
func gwOnHTTPResponse(size int32) int32 { return gw1.ServeHTTPResponse(size, onHTTPResponse) }

func configure(params []byte) error {
	if len(params) == 0 {
		return nil
	}
	var p struct{ Refuse string }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	if p.Refuse != "" {
		return errors.New(p.Refuse)
	}
	return nil
}

func onCluster(c gw1.Cluster) int32 {
	members = c.Len()
	order = make([]candidate, 0, members)
	gw1.Log(gw1.LogInfo, "generation "+strconv.Itoa(int(c.Generation()))+" has "+strconv.Itoa(members)+" origins")
	return gw1.OK
}

func route(v gw1.View, list *gw1.List) int32 {
	order = order[:0]
	origins := v.Origins()
	for i := range origins.Len() {
		if o := origins.At(i); o.Flags&gw1.OriginUsable != 0 {
			order = append(order, candidate{i, o.Capacity - o.InFlight})
		}
	}
	slices.SortStableFunc(order, func(a, b candidate) int { return b.left - a.left })
	for _, c := range order {
		list.Add(c.position)
	}
	return gw1.OK
}

// match does what a rule says: plugin("all", "path", "/a"), "random", "error".
func match(v gw1.View) int32 {
	switch string(v.Arg(0)) {
	case "path":
		return truth(bytes.Equal(v.Path(), v.Arg(1)))
	case "cookie":
		_, found := v.Cookie(string(v.Arg(1)))
		return truth(found)
	case "random": // half of all
		var b [1]byte
		gw1.Random(b[:])
		return truth(b[0] < 128)
	case "error":
		return gw1.Failed
	}
	return gw1.Unknown
}

func truth(b bool) int32 {
	if b {
		return gw1.Match
	}
	return gw1.NoMatch
}

func collect(s gw1.Sample) int32 {
	if s.Capacity() == 0 {
		return gw1.NoOpinion
	}
	return gw1.MetricIdle - int32(min(100*s.InFlight()/s.Capacity(), 100))
}

func onRequest(v gw1.View, ops *gw1.Ops) int32 {
	ops.Tag("granted", strconv.AppendInt(nil, int64(v.Granted()), 10))
	fields := v.Headers()
	for i := range fields.Len() {
		name, _ := fields.At(i)
		ops.Tag("header", name)
	}
	if sni, code := gw1.AppendProperty(nil, "tls.sni"); code == gw1.OK {
		ops.Tag("sni", sni)
	}
	return gw1.OK
}

func onResponse(v gw1.View, ops *gw1.Ops) int32 {
	if v.Flags()&gw1.FlagWhole != 0 {
		ops.SetBody(bytes.ToUpper(v.Body()))
	}
	return gw1.OK
}

func tick(t gw1.Tick) int32 {
	gw1.NewCounter("ticks").Add(1)
	gw1.NewGauge("members").Set(float64(members))
	number := strconv.AppendUint(nil, t.Number(), 10)
	if code := gw1.KVSet("tick", number, time.Minute, gw1.KVAlways); code < 0 {
		return code
	}
	call := gw1.HTTPCall{Method: "POST", URL: "cluster://shop/tick", Headers: []gw1.Header{{Name: "Accept", Value: "*/*"}}, Body: number}
	return min(call.Send(time.Second), gw1.OK)
}

func onHTTPResponse(r gw1.HTTPResponse) int32 {
	if r.Error() < 0 {
		return r.Error()
	}
	last, version, _ := gw1.KVGet(nil, "answer")
	text := append(strconv.AppendInt(nil, int64(r.Status()), 10), ' ')
	text = append(text, r.Body()...)
	if bytes.Equal(last, text) {
		return gw1.OK
	}
	return gw1.KVSet("answer", text, 0, int64(version))
}

func main() {}
