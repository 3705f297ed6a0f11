package gw1_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"weirkeep/abi"
	gw1 "weirkeep/sdk/go"
)

// serve shows a view to a function that serves it, and returns the result area.
func serve(t *testing.T, v *abi.View, buffer int, f func(size int32) int32) (area []byte, n int32) {
	t.Helper()
	b := gw1.Buffer(buffer)
	size, err := v.Put(b)
	if err != nil {
		t.Fatal(err)
	}
	n = f(int32(size))
	return b[abi.ResultArea(size):], n
}

func TestBufferIsAligned(t *testing.T) {
	for _, size := range []int{1, 100, 4095, 65536, 65552, 1 << 20} {
		b := gw1.Buffer(size)
		if len(b) != size || alignment(b) != 0 {
			t.Errorf("a buffer of %d has %d bytes and is off by %d", size, len(b), alignment(b))
		}
	}
	if b := gw1.Buffer(0); b != nil {
		t.Errorf("a buffer of 0 has %d bytes, want none", len(b))
	}
}

func TestSizesThatCannotBeAreRefused(t *testing.T) {
	gw1.Buffer(512)
	never := errors.New("the handler was called")
	for _, size := range []int32{-1 << 31, -1, 513, 1<<31 - 1} {
		for name, code := range map[string]int32{
			"params":  gw1.ServeConfigure(size, func([]byte) error { return never }),
			"cluster": gw1.ServeCluster(size, func(gw1.Cluster) int32 { return 1 }),
			"route":   gw1.ServeRoute(size, func(gw1.View, *gw1.List) int32 { return 1 }),
			"names":   gw1.ServeRouteNames(size, func(gw1.View, *gw1.NameList) int32 { return 1 }),
			"match":   gw1.ServeMatch(size, func(gw1.View) int32 { return 1 }),
			"collect": gw1.ServeCollect(size, func(gw1.Sample) int32 { return 1 }),
			"filter":  gw1.ServeFilter(size, func(gw1.View, *gw1.Ops) int32 { return 1 }),
			"tick":    gw1.ServeTick(size, func(gw1.Tick) int32 { return 1 }),
			"answer":  gw1.ServeHTTPResponse(size, func(gw1.HTTPResponse) int32 { return 1 }),
		} {
			if code != gw1.BadArgument {
				t.Errorf("%s of %d bytes = %d, want %d", name, size, code, gw1.BadArgument)
			}
		}
	}
}

func TestRefusalsAreCutBetweenCharacters(t *testing.T) {
	for _, tt := range []struct {
		buffer  int
		message string
		want    string
	}{
		{4096, "split must be one letter", "split must be one letter"},
		{4096, strings.Repeat("x", 1024), strings.Repeat("x", 1024)},
		{4096, strings.Repeat("x", 1023) + "ü", strings.Repeat("x", 1023)},
		{4096, strings.Repeat("ü", 600), strings.Repeat("ü", 512)},
		{16, "longer than the buffer", "longer than "},
	} {
		b := gw1.Buffer(tt.buffer)
		code := gw1.ServeConfigure(0, func(params []byte) error {
			if len(params) != 0 {
				t.Errorf("there are params: %q", params)
			}
			return errors.New(tt.message)
		})
		got, ok := abi.ReadRefusal(b)
		if code >= 0 || !ok || string(got) != tt.want {
			t.Errorf("code %d, message %q (%v), want %q", code, got, ok, tt.want)
		}
	}
}

func TestRoutesHaveBounds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		buffer   int
		position []int
		want     []uint16
		refused  int
	}{
		{"best first", 512, []int{2, 0, 65535}, []uint16{2, 0, 65535}, 0},
		{"not there", 512, []int{-1, 1, 65536}, []uint16{1}, 2},
		{"full area", 208 + 4, []int{1, 2, 3}, []uint16{1, 2}, 1},
		{"none", 512, nil, nil, 0},
	} {
		refused := 0
		area, n := serve(t, &abi.View{}, tt.buffer, func(size int32) int32 {
			return gw1.ServeRoute(size, func(_ gw1.View, list *gw1.List) int32 {
				for _, p := range tt.position {
					if !list.Add(p) {
						refused++
					}
				}
				return gw1.OK
			})
		})
		got, err := abi.ReadRoute(area, n, nil)
		if err != nil || string(u16(got)) != string(u16(tt.want)) || refused != tt.refused {
			t.Errorf("%s: %v (%v) with %d refused, want %v with %d", tt.name, got, err, refused, tt.want, tt.refused)
		}
	}
}

func u16(list []uint16) (b []byte) {
	for _, n := range list {
		b = append(b, byte(n), byte(n>>8))
	}
	return b
}

func TestRoutesStopAt256(t *testing.T) {
	area, n := serve(t, &abi.View{}, 4096, func(size int32) int32 {
		return gw1.ServeRoute(size, func(_ gw1.View, list *gw1.List) int32 {
			for i := range 300 {
				list.Add(i)
			}
			return gw1.OK
		})
	})
	if got, err := abi.ReadRoute(area, n, nil); err != nil || len(got) != 256 || got[255] != 255 {
		t.Errorf("listed %d (%v), want 256", len(got), err)
	}
}

func TestNamesAreRead(t *testing.T) {
	area, n := serve(t, &abi.View{}, 240, func(size int32) int32 {
		return gw1.ServeRouteNames(size, func(_ gw1.View, list *gw1.NameList) int32 {
			list.Add([]byte("server2"))
			list.Add([]byte("main/shop/server-with-a-long-name")) // no room
			list.Add([]byte("main/shop/server3"))
			return int32(list.Len()) // not negative: as good as 0
		})
	})
	var got []string
	if err := abi.ReadNames(area, n, func(name []byte) { got = append(got, string(name)) }); err != nil || strings.Join(got, " ") != "server2 main/shop/server3" {
		t.Errorf("listed %q (%v)", got, err)
	}
}

func TestErrorCodesPassThrough(t *testing.T) {
	_, n := serve(t, &abi.View{}, 512, func(size int32) int32 {
		return gw1.ServeRoute(size, func(_ gw1.View, list *gw1.List) int32 {
			list.Add(1)
			return gw1.Busy
		})
	})
	if n != gw1.Busy {
		t.Errorf("ServeRoute = %d, want %d", n, gw1.Busy)
	}
	_, n = serve(t, &abi.View{}, 512, func(size int32) int32 {
		return gw1.ServeFilter(size, func(_ gw1.View, ops *gw1.Ops) int32 {
			ops.DeleteHeader("Server")
			return gw1.Denied
		})
	})
	if n != gw1.Denied {
		t.Errorf("ServeFilter = %d, want %d", n, gw1.Denied)
	}
}

// Every operation is what the host reads, with the bytes of the contract's own
// example among them.
func TestOpsAreWhatTheHostReads(t *testing.T) {
	area, n := serve(t, &abi.View{}, 4096, func(size int32) int32 {
		return gw1.ServeFilter(size, func(_ gw1.View, ops *gw1.Ops) int32 {
			ops.SetHeader("X-Tenant", []byte("blue"))
			ops.DeleteHeader("X-Debug")
			ops.Tag("tenant", []byte("blue"))
			ops.AddHeader("A", nil)
			ops.SetPath([]byte("/b"))
			ops.SetQuery(nil)
			ops.SetHost([]byte("h:1"))
			ops.SetBody([]byte("body"))
			ops.Respond(204, nil)
			return gw1.OK
		})
	})
	want := []abi.Op{
		{Code: abi.OpSetHeader, Key: []byte("X-Tenant"), Value: []byte("blue")},
		{Code: abi.OpDeleteHeader, Key: []byte("X-Debug")},
		{Code: abi.OpTag, Key: []byte("tenant"), Value: []byte("blue")},
		{Code: abi.OpAddHeader, Key: []byte("A")},
		{Code: abi.OpSetPath, Value: []byte("/b")},
		{Code: abi.OpSetQuery},
		{Code: abi.OpSetHost, Value: []byte("h:1")},
		{Code: abi.OpSetBody, Value: []byte("body")},
		{Code: abi.OpRespond, Key: []byte("204")},
	}
	if whole := abi.AppendOps(nil, want); !bytes.Equal(area[:n], whole) {
		t.Errorf("written\n%x, want\n%x", area[:n], whole)
	}
	example, _ := hex.DecodeString("0100080004000000582d54656e616e74626c756503000700000000" +
		"00582d4465627567000900060004000000" + "74656e616e74626c75650000")
	if got := area[:len(example)]; !bytes.Equal(got, example) {
		t.Errorf("the contract's example is written\n%x, want\n%x", got, example)
	}
}

func TestOpsAreAllOrNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		buffer int
		filter func(*gw1.Ops)
		want   int32
	}{
		{"fits to the byte", 208 + 16, func(o *gw1.Ops) { o.SetPath([]byte("/1234567")) }, 16},
		{"a byte too long", 208 + 16, func(o *gw1.Ops) { o.SetPath([]byte("/12345678")) }, gw1.BufferSmall},
		{"no room for the padding", 208 + 15, func(o *gw1.Ops) { o.SetPath([]byte("/12345")) }, gw1.BufferSmall},
		{"the second does not fit, the third would", 208 + 32, func(o *gw1.Ops) {
			o.SetPath([]byte("/"))
			o.SetBody(make([]byte, 100))
			o.DeleteHeader("A")
		}, gw1.BufferSmall},
		{"256", 1 << 16, func(o *gw1.Ops) { many(o, 256) }, 256 * 12},
		{"257", 1 << 16, func(o *gw1.Ops) { many(o, 257) }, gw1.Limit},
		{"a name that is too long", 1 << 18, func(o *gw1.Ops) { o.DeleteHeader(strings.Repeat("a", 65536)) }, gw1.BadArgument},
		{"no status", 1 << 16, func(o *gw1.Ops) { o.Respond(1200, nil) }, gw1.BadArgument},
		{"nothing", 1 << 16, func(*gw1.Ops) {}, 0},
	} {
		_, n := serve(t, &abi.View{}, tt.buffer, func(size int32) int32 {
			return gw1.ServeFilter(size, func(_ gw1.View, ops *gw1.Ops) int32 {
				tt.filter(ops)
				return gw1.OK
			})
		})
		if n != tt.want {
			t.Errorf("%s: ServeFilter = %d, want %d", tt.name, n, tt.want)
		}
	}
}

func many(o *gw1.Ops, n int) {
	for range n {
		o.AddHeader("A", []byte("b"))
	}
}

func TestHeadersAreFoundWithoutCase(t *testing.T) {
	v := &abi.View{
		Headers: []abi.Field{
			{Name: []byte("x-tag"), Value: []byte("a")}, {Name: []byte("X-Tag"), Value: []byte("b")},
			{Name: []byte("Empty")}, {Name: []byte("x[tag"), Value: []byte("c")},
		},
		Cookies: []abi.Field{{Name: []byte("a"), Value: []byte("1")}, {Name: []byte("A"), Value: []byte("2")}},
	}
	b := make([]byte, 1024)
	n, _ := v.Put(b)
	view := gw1.NewView(b[:n])
	for _, tt := range []struct {
		name, want string
		found      bool
	}{{"X-TAG", "a", true}, {"empty", "", true}, {"x-ta", "", false}, {"X{TAG", "", false}, {"", "", false}} {
		if got, found := view.Header(tt.name); string(got) != tt.want || found != tt.found {
			t.Errorf("Header(%q) = %q, %v; want %q, %v", tt.name, got, found, tt.want, tt.found)
		}
	}
	if got, _ := view.Cookie("A"); string(got) != "2" {
		t.Errorf("cookie A is %q, want 2: the case of cookies matters", got)
	}
}

// Budget: a call costs no allocation, in the guest no more than in the host.
func TestCallAllocs(t *testing.T) {
	b := gw1.Buffer(65536)
	v := &abi.View{
		Path: []byte("/foo"), Query: []byte("a=1&arg=nancy"), Origins: make([]abi.Origin, 3),
		Headers: []abi.Field{{Name: []byte("X-User"), Value: []byte("alice")}}, Args: [][]byte{[]byte("a")},
	}
	size, _ := v.Put(b)
	var decoded []byte
	route := func(v gw1.View, list *gw1.List) int32 {
		user, _ := v.Header("x-user")
		value, _ := gw1.QueryValue(v.Query(), "arg")
		decoded, _ = gw1.AppendDecoded(decoded[:0], value)
		list.Add(v.Origins().At(1).Metric + len(user) + len(v.Arg(0)) + v.Origins().Len())
		return gw1.OK
	}
	filter := func(v gw1.View, ops *gw1.Ops) int32 {
		ops.SetHeader("X-Path", v.Path())
		ops.SetHeader("X-A-Value-That-Is-Long", []byte("much longer than what fits on a stack of 32 bytes"))
		ops.Respond(403, v.Path())
		return gw1.OK
	}
	n := testing.AllocsPerRun(100, func() {
		gw1.ServeRoute(int32(size), route)
		gw1.ServeFilter(int32(size), filter)
	})
	if n != 0 {
		t.Errorf("a routed and a filtered call allocate %v times, want 0", n)
	}
}

func TestQueryValues(t *testing.T) {
	for _, tt := range []struct {
		query, want string
		found, ok   bool
	}{
		{"arg=a", "a", true, true},
		{"x=1&arg=b&arg=z", "b", true, true},
		{"arg", "", true, true},
		{"arg=", "", true, true},
		{"", "", false, true},
		{"xarg=1&Arg=2&arg2=3", "", false, true},
		{"&&=&arg=a=b", "a=b", true, true},
		{"arg=a+b%20c%2B%c3%BC", "a b c+ü", true, true},
		{"arg=%00%ff", "\x00\xff", true, true},
		{"arg=%", "", true, false},
		{"arg=a%4", "", true, false},
		{"arg=%4g", "", true, false},
		{"arg=%g4", "", true, false},
		{"arg=%-1", "", true, false},
		{"arg=%%41", "", true, false},
	} {
		value, found := gw1.QueryValue([]byte(tt.query), "arg")
		got, ok := gw1.AppendDecoded(nil, value)
		if found != tt.found || ok != tt.ok || ok && string(got) != tt.want {
			t.Errorf("arg in %q is %q (found %v, ok %v), want %q (%v, %v)", tt.query, got, found, ok, tt.want, tt.found, tt.ok)
		}
	}
}
