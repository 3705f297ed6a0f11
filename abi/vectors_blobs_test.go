package abi

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// blob is what all blobs can do.
type blob interface {
	Size() int
	Put(b []byte) (int, error)
}

// checkBlob checks that a blob is written as the vector's bytes, and to no other.
func checkBlob(t *testing.T, v blob, want []byte) {
	t.Helper()
	if got := v.Size(); got != len(want) {
		t.Errorf("Size() = %d, want %d", got, len(want))
	}
	buffer := bytes.Repeat([]byte{0xaa}, len(want)+32)
	n, err := v.Put(buffer)
	if err != nil || !bytes.Equal(buffer[:n], want) {
		t.Errorf("Put wrote (error %v)\n%x, want\n%x", err, buffer[:n], want)
	}
	if after := buffer[len(want):]; !bytes.Equal(after, bytes.Repeat([]byte{0xaa}, 32)) {
		t.Errorf("Put wrote behind the blob: %x", after)
	}
}

func TestClusterTableVector(t *testing.T) {
	vec := vectorOf(t, "cluster-table")
	var said struct {
		Generation    uint32
		Cluster, Cell string
		Origins       []struct {
			Name, Address, Host, Zone, Cell, Edition, Cluster string
			Weight, Capacity, Flags                           uint32
			HostWeight                                        uint32 `json:"host_weight"`
			Labels                                            map[string]string
		}
	}
	vec.decode(t, &said)
	table := &ClusterTable{Generation: said.Generation, Cluster: said.Cluster, Cell: said.Cell}
	for _, o := range said.Origins {
		e := ClusterEntry{
			Name: o.Name, Address: o.Address, Host: o.Host, Zone: o.Zone, Cell: o.Cell, Edition: o.Edition,
			Cluster: o.Cluster, Weight: o.Weight, HostWeight: o.HostWeight, Capacity: o.Capacity, Flags: o.Flags,
		}
		for _, key := range slices.Sorted(maps.Keys(o.Labels)) {
			e.Labels = append(e.Labels, Label{Key: key, Value: o.Labels[key]})
		}
		table.Entries = append(table.Entries, e)
	}
	checkBlob(t, table, vec.bytes(t))
	if got, err := DecodeClusterTable(vec.bytes(t)); err != nil || !reflect.DeepEqual(got, table) {
		t.Errorf("DecodeClusterTable() = %+v, %v, want %+v", got, err, table)
	}
}

func TestCollectorViewVector(t *testing.T) {
	vec := vectorOf(t, "collector-view")
	var said struct {
		Flags                       uint16
		Now                         number
		Origin, Waiting, Generation uint32
		WindowMS                    uint32 `json:"window_ms"`
		Requests, Errors, Timeouts  uint64
		P50                         uint64 `json:"p50_ns"`
		P95                         uint64 `json:"p95_ns"`
		P99                         uint64 `json:"p99_ns"`
		InFlight                    uint32 `json:"in_flight"`
		ConnectFailures             uint64 `json:"connect_failures"`
		Previous, Capacity          uint32
		Health, State               uint8
		Name, Address               string
		Sources                     [][2]any
	}
	vec.decode(t, &said)
	v := &CollectorView{
		Flags: said.Flags, Now: uint64(said.Now), Position: said.Origin, Window: said.WindowMS,
		Answers: said.Requests, Failed: said.Errors, Timeouts: said.Timeouts, P50: said.P50, P95: said.P95, P99: said.P99,
		InFlight: said.InFlight, Waiting: said.Waiting, FailedConnects: said.ConnectFailures,
		Name: said.Name, Address: said.Address, Generation: said.Generation, Metric: said.Previous,
		Capacity: said.Capacity, Health: said.Health, State: said.State,
	}
	for _, s := range said.Sources {
		v.Sources = append(v.Sources, Source{Name: s[0].(string), Value: s[1].(float64)})
	}
	checkBlob(t, v, vec.bytes(t))
	if got, err := DecodeCollectorView(vec.bytes(t)); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("DecodeCollectorView() = %+v, %v, want %+v", got, err, v)
	}
}

func TestTickViewVector(t *testing.T) {
	vec := vectorOf(t, "tick-view")
	var said struct {
		Now      number
		Tick     uint64
		PeriodMS uint32 `json:"period_ms"`
	}
	vec.decode(t, &said)
	v := &TickView{Now: uint64(said.Now), Number: said.Tick, Period: said.PeriodMS}
	checkBlob(t, v, vec.bytes(t))
	if got, err := DecodeTickView(vec.bytes(t)); err != nil || *got != *v {
		t.Errorf("DecodeTickView() = %+v, %v, want %+v", got, err, v)
	}
}

func TestHTTPResponseVectors(t *testing.T) {
	const now = 1796040000000000000 // of all vectors; these two do not say it
	for _, name := range []string{"http-response-view", "http-response-timeout"} {
		vec := vectorOf(t, name)
		var said struct {
			Token   int32
			Error   Code
			Status  uint16
			Flags   uint16
			Headers pairs
			Body    *string
		}
		vec.decode(t, &said)
		v := &HTTPResponse{
			Now: now, Token: said.Token, Error: said.Error, Status: said.Status, Flags: said.Flags,
			Headers: said.Headers.fields(), Body: maybe(said.Body),
		}
		checkBlob(t, v, vec.bytes(t))
		if got, err := DecodeHTTPResponse(vec.bytes(t)); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: DecodeHTTPResponse() = %+v, %v, want %+v", name, got, err, v)
		}
	}
}

func TestRouteVectors(t *testing.T) {
	var said struct {
		Returned int32
		Indices  []uint16
		Names    []string
	}
	vec := vectorOf(t, "route-result")
	vec.decode(t, &said)
	if got, err := ReadRoute(vec.bytes(t), said.Returned, nil); err != nil || !slices.Equal(got, said.Indices) {
		t.Errorf("ReadRoute() = %v, %v, want %v", got, err, said.Indices)
	}
	vec = vectorOf(t, "route-names")
	vec.decode(t, &said)
	var got []string
	err := ReadNames(vec.bytes(t), said.Returned, func(name []byte) { got = append(got, string(name)) })
	if err != nil || !slices.Equal(got, said.Names) {
		t.Errorf("ReadNames() = %q, %v, want %q", got, err, said.Names)
	}
}

// opVector is what the vectors say of operations.
type opVector struct {
	Returned int32
	Ops      []struct {
		Code       uint16
		Key, Value string
	}
}

func (w opVector) ops() (ops []Op) {
	for _, o := range w.Ops {
		ops = append(ops, Op{Code: o.Code, Key: []byte(o.Key), Value: []byte(o.Value)})
	}
	return ops
}

// calls are where the vectors' operations stand. The response is the one of
// response-view.
var calls = map[string]Where{
	"gw_on_request":  {Call: OnRequest},
	"gw_on_response": {Call: OnResponse, Status: 200, WholeBody: true, MaxBody: 65536},
}

func TestOpVectors(t *testing.T) {
	for _, vec := range vectors(t) {
		if !strings.HasPrefix(vec.Name, "ops-") {
			continue
		}
		t.Run(vec.Name, func(t *testing.T) {
			var said opVector
			vec.decode(t, &said)
			ops, err := ReadOps(vec.bytes(t), said.Returned, nil)
			if err == nil {
				err = CheckOps(ops, calls[vec.Call])
			}
			switch vec.Expect {
			case "apply":
				if err != nil || !bytes.Equal(AppendOps(nil, said.ops()), vec.bytes(t)) {
					t.Errorf("refused: %v; or written otherwise: %x", err, AppendOps(nil, said.ops()))
				}
			case "invalid-result":
				if !errors.Is(err, ErrInvalidResult) {
					t.Errorf("%s: error %v, want %v", vec.Description, err, ErrInvalidResult)
				}
			default:
				t.Errorf("expect is %q", vec.Expect)
			}
			if len(said.Ops) > 0 && !reflect.DeepEqual(ops, said.ops()) {
				t.Errorf("ReadOps() = %v, want %v", ops, said.ops())
			}
		})
	}
}

func TestHTTPCallVector(t *testing.T) {
	vec := vectorOf(t, "http-call")
	var said opVector
	vec.decode(t, &said)
	b := vec.bytes(t)
	ops, err := ReadOps(b, int32(len(b)), nil)
	if err != nil || !reflect.DeepEqual(ops, said.ops()) || !bytes.Equal(AppendOps(nil, said.ops()), b) {
		t.Fatalf("ReadOps() = %v, %v, want %v", ops, err, said.ops())
	}
	if err := CheckOps(ops, Where{Call: HTTPCall}); err != nil {
		t.Error(err)
	}
}

func TestParamsVectors(t *testing.T) {
	vec := vectorOf(t, "configure-params")
	params, err := AppendParams(nil, ordered(t, vec.Decoded))
	if err != nil || !bytes.Equal(params, vec.bytes(t)) {
		t.Errorf("AppendParams() = %s, %v, want %s", params, err, vec.bytes(t))
	}
	vec = vectorOf(t, "configure-refused")
	var said struct{ Message string }
	vec.decode(t, &said)
	if got, ok := ReadRefusal(append(vec.bytes(t), "what stood there before"...)); !ok || string(got) != said.Message {
		t.Errorf("ReadRefusal() = %q, %v, want %q", got, ok, said.Message)
	}
}

// ordered reads an object of JSON into params, in its order.
func ordered(t *testing.T, text []byte) (params []Param) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		p := Param{Key: key.(string)}
		if err := d.Decode(&p.Value); err != nil {
			t.Fatal(err)
		}
		params = append(params, p)
	}
	return params
}

func TestRandomVectors(t *testing.T) {
	var said struct {
		RequestID string `json:"request_id"`
		Rule      string
		FNV1a64   string
		Seed      string
		First     string `json:"first_u64"`
	}
	vec := vectorOf(t, "random-matcher")
	vec.decode(t, &said)
	if got := FNV1a(said.Rule); got != hex64(t, said.FNV1a64) {
		t.Errorf("FNV1a(%q) = %x, want %s", said.Rule, got, said.FNV1a64)
	}
	seed := MatcherSeed(hex64(t, said.RequestID), said.Rule)
	if seed != hex64(t, said.Seed) {
		t.Errorf("MatcherSeed() = %x, want %s", seed, said.Seed)
	}
	checkStream(t, seed, vec.bytes(t))
	vec = vectorOf(t, "random-zero")
	vec.decode(t, &said)
	if first := le.Uint64(vec.bytes(t)); first != hex64(t, said.First) {
		t.Errorf("the vector's first output is %x and %s", first, said.First)
	}
	checkStream(t, 0, vec.bytes(t))
}

// checkStream checks the first bytes of a stream, however they are asked for.
func checkStream(t *testing.T, seed uint64, want []byte) {
	t.Helper()
	for _, step := range []int{1, 3, 8, len(want)} {
		r, got := NewRandom(seed), []byte(nil)
		for piece := range slices.Chunk(make([]byte, len(want)), step) {
			r.Fill(piece)
			got = append(got, piece...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("seed %x gives %x in steps of %d, want %x", seed, got, step, want)
		}
	}
}

func hex64(t *testing.T, s string) uint64 {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 8 {
		t.Fatalf("%q are not 16 digits: %v", s, err)
	}
	var n uint64
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}
