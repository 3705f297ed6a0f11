package gw1_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"weirkeep/abi"
	gw1 "weirkeep/sdk/go"
)

// text is a string of a view that is there; it may be empty.
var text = rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) []byte { return append([]byte{}, b...) })

// drawView draws any view that the host may write.
func drawView(t *rapid.T) *abi.View {
	maybe := func(name string) []byte {
		if !rapid.Bool().Draw(t, name+" is there") {
			return nil
		}
		return text.Draw(t, name)
	}
	fields := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) abi.Field {
		return abi.Field{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")}
	}), 0, 4)
	return &abi.View{
		Flags: rapid.Uint16().Draw(t, "flags"), RequestID: rapid.Uint64().Draw(t, "id"), Now: rapid.Uint64().Draw(t, "now"),
		Method: rapid.Uint8().Draw(t, "method id"), Version: rapid.Uint8().Draw(t, "version"),
		Attempts: rapid.Uint16().Draw(t, "attempts"), Generation: rapid.Uint32().Draw(t, "generation"),
		Granted: rapid.Uint32().Draw(t, "granted"), Port: rapid.Uint16().Draw(t, "port"), Status: rapid.Uint16().Draw(t, "status"),
		BodyLength: rapid.Uint64().Draw(t, "length"), UpstreamNS: rapid.Uint64().Draw(t, "upstream"),
		MethodText: maybe("method"), Scheme: maybe("scheme"), Host: maybe("host"), Path: maybe("path"),
		Query: maybe("query"), Client: maybe("client"), Mapping: maybe("mapping"), Session: maybe("session"),
		Target: maybe("target"), Site: maybe("site"), Cluster: maybe("cluster"), Application: maybe("application"),
		OriginName: maybe("origin"), Body: maybe("body"),
		Headers: fields.Draw(t, "headers"), Cookies: fields.Draw(t, "cookies"),
		Args: rapid.SliceOfN(text, 0, 3).Draw(t, "args"),
		Origins: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) abi.Origin {
			return abi.Origin{
				Health: rapid.Uint8().Draw(t, "health"), State: rapid.Uint8().Draw(t, "state"),
				InFlight: rapid.Uint16().Draw(t, "in flight"), Capacity: rapid.Uint16().Draw(t, "capacity"),
				Metric: rapid.Uint8().Draw(t, "metric"), Flags: rapid.Uint8().Draw(t, "flags"),
			}
		}), 0, 4).Draw(t, "origins"),
	}
}

// Whatever view the host writes, the SDK reads what is in it.
func TestEveryFieldOfAViewIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawView(t)
		b := make([]byte, 4096)
		n, err := want.Put(b)
		if err != nil {
			t.Fatal(err)
		}
		v := gw1.NewView(b[:n])
		sameNumbers(t, v, want)
		sameStrings(t, v, want)
		sameFields(t, "header", v.Headers(), want.Headers)
		sameFields(t, "cookie", v.Cookies(), want.Cookies)
		sameTables(t, v, want)
	})
}

func sameNumbers(t *rapid.T, v gw1.View, want *abi.View) {
	got := [...]uint64{
		uint64(v.Flags()), v.RequestID(), uint64(v.Now()), uint64(v.MethodID()), uint64(v.Version()), uint64(v.Attempts()),
		uint64(v.Generation()), uint64(v.Granted()), uint64(v.Port()), uint64(v.Status()), v.BodyLength(), uint64(v.UpstreamNS()),
	}
	all := [...]uint64{
		uint64(want.Flags), want.RequestID, want.Now, uint64(want.Method), uint64(want.Version), uint64(want.Attempts),
		uint64(want.Generation), uint64(want.Granted), uint64(want.Port), uint64(want.Status), want.BodyLength, want.UpstreamNS,
	}
	if got != all {
		t.Errorf("numbers are read as %v, want %v", got, all)
	}
}

func sameStrings(t *rapid.T, v gw1.View, want *abi.View) {
	for _, s := range []struct {
		name      string
		got, want []byte
	}{
		{"method", v.Method(), want.MethodText}, {"scheme", v.Scheme(), want.Scheme}, {"host", v.Host(), want.Host},
		{"path", v.Path(), want.Path}, {"query", v.Query(), want.Query}, {"client", v.Client(), want.Client},
		{"mapping", v.Mapping(), want.Mapping}, {"session", v.Session(), want.Session}, {"target", v.Target(), want.Target},
		{"site", v.Site(), want.Site}, {"cluster", v.Cluster(), want.Cluster}, {"application", v.Application(), want.Application},
		{"origin", v.Origin(), want.OriginName}, {"body", v.Body(), want.Body},
	} {
		if !bytes.Equal(s.got, s.want) || (s.got == nil) != (s.want == nil) {
			t.Errorf("%s is read as %q, want %q", s.name, s.got, s.want)
		}
	}
}

func sameFields(t *rapid.T, kind string, got gw1.Fields, want []abi.Field) {
	if got.Len() != len(want) {
		t.Fatalf("%d fields of kind %s, want %d", got.Len(), kind, len(want))
	}
	for i, f := range want {
		if name, value := got.At(i); !bytes.Equal(name, f.Name) || !bytes.Equal(value, f.Value) {
			t.Errorf("%s %d is read as %q: %q, want %q: %q", kind, i, name, value, f.Name, f.Value)
		}
	}
	if name, value := got.At(len(want)); len(name)+len(value) > 0 {
		t.Errorf("%s behind the last is %q: %q", kind, name, value)
	}
}

func sameTables(t *rapid.T, v gw1.View, want *abi.View) {
	if v.Args() != len(want.Args) || v.Origins().Len() != len(want.Origins) {
		t.Fatalf("%d arguments and %d origins, want %d and %d", v.Args(), v.Origins().Len(), len(want.Args), len(want.Origins))
	}
	for i, a := range want.Args {
		if !bytes.Equal(v.Arg(i), a) {
			t.Errorf("argument %d is read as %q, want %q", i, v.Arg(i), a)
		}
	}
	for i, w := range want.Origins {
		o := v.Origins().At(i)
		got := abi.Origin{
			Health: uint8(o.Health), State: uint8(o.State), InFlight: uint16(o.InFlight), Capacity: uint16(o.Capacity),
			Metric: uint8(o.Metric), Flags: uint8(o.Flags),
		}
		if got != w {
			t.Errorf("origin %d is read as %+v, want %+v", i, got, w)
		}
	}
}

func TestEveryFieldOfAClusterTableIsRead(t *testing.T) {
	want := abi.ClusterTable{Generation: 7, Cluster: "shop", Cell: "main", Entries: []abi.ClusterEntry{
		{
			Name: "server1", Address: "http://a:1", Host: "a", Zone: "z", Cell: "main", Edition: "1.0", Cluster: "shop",
			Labels: []abi.Label{{Key: "disk", Value: "ssd"}, {Key: "rack", Value: "r1"}},
			Weight: 2, HostWeight: 3, Capacity: 150, Flags: abi.FlagOnThisHost,
		},
		{Name: "server2"},
	}}
	put(t, &want)
	code := gw1.ServeCluster(int32(want.Size()), func(c gw1.Cluster) int32 {
		if c.Generation() != 7 || string(c.Name()) != "shop" || string(c.Cell()) != "main" || c.Len() != 2 {
			t.Errorf("the head is read as %d, %q, %q, %d", c.Generation(), c.Name(), c.Cell(), c.Len())
		}
		if got, want := member(c.At(0)), "server1 http://a:1 a z main 1.0 shop 2 3 150 true ssd r1"; got != want {
			t.Errorf("the first is read as %q, want %q", got, want)
		}
		if got, want := member(c.At(1)), "server2       0 0 0 false  "; got != want {
			t.Errorf("the second is read as %q, want %q", got, want)
		}
		if c.Find("server2") != 1 || c.Find("server3") != -1 {
			t.Errorf("server2 is found at %d, server3 at %d; want 1, -1", c.Find("server2"), c.Find("server3"))
		}
		return gw1.Failed
	})
	if code != gw1.Failed {
		t.Errorf("ServeCluster = %d, want what the handler returned", code)
	}
}

// member is all that is known of an origin.
func member(m gw1.Member) string {
	disk, _ := m.Label("disk")
	rack, _ := m.Label("rack")
	return fmt.Sprintf("%s %s %s %s %s %s %s %d %d %d %v %s %s", m.Name(), m.Address(), m.Host(), m.Zone(), m.Cell(),
		m.Edition(), m.Cluster(), m.Weight(), m.HostWeight(), m.Capacity(), m.OnThisHost(), disk, rack)
}

// put writes a blob to the exchange buffer.
func put(t *testing.T, blob interface{ Put([]byte) (int, error) }) {
	t.Helper()
	if _, err := blob.Put(gw1.Buffer(65536)); err != nil {
		t.Fatal(err)
	}
}

func TestEveryFieldOfASampleIsRead(t *testing.T) {
	w := abi.CollectorView{
		Flags: abi.FlagFirstSample | abi.FlagSelfTest, Now: 1, Position: 2, Window: 3, Answers: 4, Failed: 5, Timeouts: 6,
		P50: 7, P95: 8, P99: 9, InFlight: 10, Waiting: 11, FailedConnects: 12, Name: "server1", Address: "http://a:1",
		Sources:    []abi.Source{{Name: "header:a", Value: -1.5}, {Name: "header:b", Value: math.MaxFloat64}},
		Generation: 13, Metric: 14, Capacity: 15, Health: 1, State: 3,
	}
	put(t, &w)
	code := gw1.ServeCollect(int32(w.Size()), func(s gw1.Sample) int32 {
		got := [...]int{
			int(s.Now()), s.Position(), s.WindowMS(), int(s.Answers()), int(s.Failed()), int(s.Timeouts()), int(s.P50()), int(s.P95()), int(s.P99()),
			s.InFlight(), s.Waiting(), int(s.FailedConnects()), int(s.Generation()), s.Metric(), s.Capacity(), s.Health(), s.State(), s.Flags(),
		}
		if want := [...]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 3, 257}; got != want {
			t.Errorf("numbers are read as %v, want %v", got, want)
		}
		a, _ := s.Source("header:a")
		b, _ := s.Source("header:b")
		if _, found := s.Source("header:c"); a != -1.5 || b != math.MaxFloat64 || found {
			t.Errorf("sources are read as %v, %v; a third is found: %v", a, b, found)
		}
		if string(s.Name()) != "server1" || string(s.Address()) != "http://a:1" || !s.First() {
			t.Errorf("read as %q, %q, first %v", s.Name(), s.Address(), s.First())
		}
		return 42
	})
	if code != 42 {
		t.Errorf("ServeCollect = %d, want 42", code)
	}
}

func TestEveryFieldOfATickAndAnAnswerIsRead(t *testing.T) {
	tick := abi.TickView{Now: 1, Number: 2, Period: 3}
	put(t, &tick)
	gw1.ServeTick(int32(tick.Size()), func(v gw1.Tick) int32 {
		if v.Now() != 1 || v.Number() != 2 || v.PeriodMS() != 3 {
			t.Errorf("the tick is read as %d, %d, %d", v.Now(), v.Number(), v.PeriodMS())
		}
		return gw1.OK
	})
	answer := abi.HTTPResponse{
		Flags: abi.FlagBody, Now: 4, Token: 5, Error: abi.Timeout, Status: 200,
		Headers: []abi.Field{{Name: []byte("A"), Value: []byte("b")}}, Body: []byte("{}"),
	}
	put(t, &answer)
	gw1.ServeHTTPResponse(int32(answer.Size()), func(r gw1.HTTPResponse) int32 {
		name, value := r.Headers().At(0)
		if r.Flags() != gw1.FlagBody || r.Now() != 4 || r.Token() != 5 || r.Error() != gw1.Timeout || r.Status() != 200 ||
			string(name) != "A" || string(value) != "b" || string(r.Body()) != "{}" {
			t.Errorf("the answer is read as %d %d %d %d %d %s: %s %s", r.Flags(), r.Now(), r.Token(), r.Error(), r.Status(), name, value, r.Body())
		}
		return gw1.OK
	})
}
