package abi

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"testing"
)

// vector is a blob that is the same on every host, with what it says.
type vector struct {
	Name, Description, Hex string
	Decoded                json.RawMessage
	Call                   string // the export that returned these operations
	Expect                 string // apply, or the fault kind
}

// bytes are the vector's.
func (v vector) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
	return b
}

// decode reads what the vector says into a pointer.
func (v vector) decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(v.Decoded, into); err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
}

// vectors are all that there are.
func vectors(t testing.TB) (all []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// vectorOf is the one of a name.
func vectorOf(t testing.TB, name string) vector {
	t.Helper()
	for _, v := range vectors(t) {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("there is no vector %q", name)
	return vector{}
}

// number is a 64-bit number, which the vectors have as text where it may be
// large.
type number uint64

func (n *number) UnmarshalJSON(b []byte) error {
	u, err := strconv.ParseUint(string(bytes.Trim(b, `"`)), 10, 64)
	*n = number(u)
	return err
}

// pairs are header fields or cookies.
type pairs [][2]string

func (p pairs) fields() (fields []Field) {
	for _, f := range p {
		fields = append(fields, Field{Name: []byte(f[0]), Value: []byte(f[1])})
	}
	return fields
}

// maybe is a string that may be absent.
func maybe(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

// viewVector is a view as the vectors tell it.
type viewVector struct {
	Flags, Port, Status, Attempt              uint16
	ID, Now                                   number
	MethodID                                  uint8 `json:"method_id"`
	Version                                   uint8
	Generation, Granted                       uint32
	BodyLength                                number `json:"body_length"`
	UpstreamNS                                number `json:"upstream_ns"`
	Method, Scheme, Host, Path, Query, Client *string
	Mapping, Session, Target, Site            *string
	Cluster, Application, Origin, Body        *string
	Headers, Cookies                          pairs
	Args                                      []string
	Origins                                   []originVector
	Size                                      int
	ResultOff                                 int `json:"result_off"`
	ResultCap                                 int `json:"result_cap"`
	BufferSize                                int `json:"buffer_size"`
}

type originVector struct {
	Health, State, Metric, Flags uint8
	InFlight                     uint16 `json:"in_flight"`
	Capacity                     uint16
}

// view is the view that should encode to the vector's bytes.
func (w viewVector) view() *View {
	v := &View{
		Flags: w.Flags, RequestID: uint64(w.ID), Now: uint64(w.Now), Method: w.MethodID, Version: w.Version,
		Attempts: w.Attempt, Generation: w.Generation, Granted: w.Granted, Port: w.Port, Status: w.Status,
		BodyLength: uint64(w.BodyLength), UpstreamNS: uint64(w.UpstreamNS),
		MethodText: maybe(w.Method), Scheme: maybe(w.Scheme), Host: maybe(w.Host), Path: maybe(w.Path),
		Query: maybe(w.Query), Client: maybe(w.Client), Mapping: maybe(w.Mapping), Session: maybe(w.Session),
		Target: maybe(w.Target), Site: maybe(w.Site), Cluster: maybe(w.Cluster),
		Application: maybe(w.Application), OriginName: maybe(w.Origin), Body: maybe(w.Body),
		Headers: w.Headers.fields(), Cookies: w.Cookies.fields(),
	}
	for _, a := range w.Args {
		v.Args = append(v.Args, []byte(a))
	}
	for _, o := range w.Origins {
		v.Origins = append(v.Origins, Origin{Health: o.Health, State: o.State, InFlight: o.InFlight, Capacity: o.Capacity, Metric: o.Metric, Flags: o.Flags})
	}
	return v
}

func TestViewVectors(t *testing.T) {
	for _, name := range []string{"request-view-router", "request-view-matcher", "request-view-bare", "response-view"} {
		t.Run(name, func(t *testing.T) {
			vec := vectorOf(t, name)
			var said viewVector
			vec.decode(t, &said)
			want, v := vec.bytes(t), said.view()
			buffer := make([]byte, said.BufferSize)
			size, err := v.Put(buffer)
			if err != nil || size != said.Size {
				t.Fatalf("Put() = %d, %v, want %d", size, err, said.Size)
			}
			if !bytes.Equal(buffer[:size], want) {
				t.Errorf("Put wrote\n%x, want\n%x", buffer[:size], want)
			}
			if got := ResultArea(size); got != said.ResultOff || said.BufferSize-got != said.ResultCap {
				t.Errorf("the result area is at %d, want %d with %d bytes", got, said.ResultOff, said.ResultCap)
			}
			if got, err := DecodeView(want); err != nil || !reflect.DeepEqual(got, v) {
				t.Errorf("DecodeView() = %+v, %v, want %+v", got, err, v)
			}
		})
	}
}
