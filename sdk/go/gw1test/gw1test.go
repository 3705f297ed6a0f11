// Package gw1test is the gateway for the tests of a plugin: it shows a plugin
// views that are described in a few words, and says what it answered.
//
// In go test the plugin's functions are called as they are, without wasm:
//
//	func TestFooGoesToTheFirstServer(t *testing.T) {
//		g := gw1test.Native(t, gw1test.Exports{Route: gwRoute})
//		got := g.Route(gw1test.View{URL: "http://shop.example/foo"})
//		if !slices.Equal(got.Positions, []int{0}) {
//			t.Errorf("foo goes to %v, want the first", got)
//		}
//	}
//
// The package gw1wasm, beside this one, runs the built module in the same way.
//
// What the gateway would take as a fault fails the test: a panic, a result that
// breaks the contract, an export that is not there. What the words of an
// operation may be is not checked here; weirkeep plugin test does that, on
// every engine. A plugin has one exchange buffer, so tests that call its
// functions natively cannot run in parallel.
package gw1test

import (
	"testing"

	gw1 "weirkeep/sdk/go"
)

// Exports are the exports of a plugin, by their functions. Nil is an export
// that the plugin does not have.
type Exports struct {
	Configure, Enable, OnCluster func(int32) int32

	Route, RouteNames func(int32) int32
	Match             func(int32) int32
	Collect           func(int32) int32
	Enabled           func() int32

	OnRequest, OnResponse func(int32) int32
	Tick, OnHTTPResponse  func(int32) int32
}

// Guest is one instance of a plugin.
type Guest struct {
	// Host is what stands in for the gateway's functions.
	Host *Host

	t       testing.TB
	exports Exports
	memory  func() []byte // the exchange buffer, as it is now
}

// BufferSize is how large the exchange buffer is, as with the default limits and
// a plugin that is shown bodies. To a plugin that is not, views say smallBuffer.
const (
	viewLimit   = 48 << 10
	smallBuffer = viewLimit + 16<<10
	BufferSize  = smallBuffer + 2*64<<10
)

// Native returns the plugin whose functions these are.
func Native(t testing.TB, e Exports) *Guest {
	t.Helper()
	b := gw1.Buffer(BufferSize)
	g := NewGuest(t, e, NewHost(), func() []byte { return b })
	gw1.UseHost(g.Host)
	return g
}

// NewGuest returns a plugin that runs elsewhere; memory returns its exchange
// buffer of BufferSize bytes as it is now. Tests use Native or gw1wasm.Load.
func NewGuest(t testing.TB, e Exports, h *Host, memory func() []byte) *Guest {
	return &Guest{Host: h, t: t, exports: e, memory: memory}
}

// call calls an export with a blob that is in the buffer.
func (g *Guest) call(name string, f func(int32) int32, size int) int32 {
	g.t.Helper()
	if f == nil {
		g.t.Fatalf("the plugin has no export %s", name)
	}
	return f(int32(size))
}

// show puts a blob into the buffer and calls an export with it.
func (g *Guest) show(name string, f func(int32) int32, blob []byte) int32 {
	g.t.Helper()
	b := g.memory()
	if len(blob) > len(b) {
		g.t.Fatalf("%s: %d bytes do not fit the buffer of %d", name, len(blob), len(b))
	}
	copy(b, blob)
	return g.call(name, f, len(blob))
}

// Configure gives the plugin its params as JSON, "" for none. If it refuses
// them, the message is why.
func (g *Guest) Configure(params string) (message string, ok bool) {
	g.t.Helper()
	if g.show("gw_configure", g.exports.Configure, []byte(params)) >= 0 {
		return "", true
	}
	b := g.memory()
	n := int(le.Uint32(b))
	if n > gw1.MaxMessage {
		return "", false
	}
	return string(b[4 : 4+n]), false
}

// Cluster gives the plugin its cluster table and returns what it returned: 0,
// or an error code.
func (g *Guest) Cluster(c Cluster) (code int32) {
	g.t.Helper()
	return g.show("gw_on_cluster", g.exports.OnCluster, c.Bytes())
}

// showView shows a view and returns the result area.
func (g *Guest) showView(name string, f func(int32) int32, v View) (area []byte, n int32) {
	g.t.Helper()
	size := smallBuffer
	if v.Body != nil {
		size = BufferSize
	}
	blob, off, err := v.encode(size)
	if err != nil {
		g.t.Fatalf("%s: %v", name, err)
	}
	n = g.show(name, f, blob)
	return g.memory()[off:size], n
}

// Route is what a router answered.
type Route struct {
	Code      int32    // 0, or an error code
	Positions []int    // in the cluster table, best first; none is an abstention
	Names     []string // the same of a router of the names form
}

// Route shows a router a request.
func (g *Guest) Route(v View) Route {
	g.t.Helper()
	if g.exports.RouteNames != nil && g.exports.Route == nil {
		area, n := g.showView("gw_route_names", g.exports.RouteNames, v)
		return g.names(area, n)
	}
	area, n := g.showView("gw_route", g.exports.Route, v)
	if n < 0 {
		return Route{Code: n}
	}
	if n > gw1.MaxRoute || 2*int(n) > len(area) {
		g.t.Fatalf("invalid-result: gw_route lists %d origins in %d bytes", n, len(area))
	}
	var r Route
	for i := range int(n) {
		r.Positions = append(r.Positions, int(le.Uint16(area[2*i:])))
	}
	return r
}

func (g *Guest) names(area []byte, n int32) Route {
	g.t.Helper()
	if n < 0 {
		return Route{Code: n}
	}
	var r Route
	for range n {
		if len(area) < 2 || 2+int(le.Uint16(area)) > len(area) || n > gw1.MaxRoute {
			g.t.Fatalf("invalid-result: the list of gw_route_names is cut off, or too long")
		}
		end := 2 + int(le.Uint16(area))
		r.Names = append(r.Names, string(area[2:end]))
		area = area[end:]
	}
	return r
}

// Match shows a matcher a request and returns gw1.Match, gw1.NoMatch,
// gw1.Unknown or an error code.
func (g *Guest) Match(v View) int32 {
	g.t.Helper()
	v.Flags |= gw1.FlagDeterministic
	_, n := g.showView("gw_match", g.exports.Match, v)
	if n > gw1.Unknown {
		g.t.Fatalf("invalid-result: gw_match returned %d", n)
	}
	return n
}

// Collect shows a collector a sample and returns its metric, gw1.NoOpinion or an
// error code. A collector whose gw_enabled says 0 has no opinion.
func (g *Guest) Collect(s Sample) int32 {
	g.t.Helper()
	if g.exports.Enabled != nil && g.exports.Enabled() == 0 {
		return gw1.NoOpinion
	}
	return g.show("gw_collect", g.exports.Collect, s.Bytes())
}

// OnRequest shows a filter a request.
func (g *Guest) OnRequest(v View) Edit {
	g.t.Helper()
	area, n := g.showView("gw_on_request", g.exports.OnRequest, v)
	return g.edit(area, n)
}

// OnResponse shows a filter an answer.
func (g *Guest) OnResponse(v View) Edit {
	g.t.Helper()
	area, n := g.showView("gw_on_response", g.exports.OnResponse, v)
	return g.edit(area, n)
}

// Tick is a tick, and returns what the plugin returned.
func (g *Guest) Tick(t Tick) (code int32) {
	g.t.Helper()
	return g.show("gw_tick", g.exports.Tick, t.Bytes())
}

// HTTPResponse gives the plugin the answer to one of Host.Calls, and returns
// what it returned.
func (g *Guest) HTTPResponse(r HTTPResponse) (code int32) {
	g.t.Helper()
	return g.show("gw_on_http_response", g.exports.OnHTTPResponse, r.Bytes())
}
