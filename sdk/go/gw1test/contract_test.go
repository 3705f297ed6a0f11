package gw1test

import (
	"bytes"
	"testing"

	"weirkeep/abi"
	gw1 "weirkeep/sdk/go"
)

const someday = 1796040000000000000

// What a test shows is, byte for byte, what the gateway would show.
func TestViewsAreThoseOfTheGateway(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	for _, tt := range []struct {
		name string
		v    View
		want abi.View
		size int
	}{
		{
			name: "nothing",
			v:    View{Method: NotShown},
			want: abi.View{Now: someday, Version: abi.HTTP11, Port: 80}, size: smallBuffer,
		},
		{
			name: "path and query",
			v:    View{URL: "/foo?arg=nancy"}, size: smallBuffer,
			want: abi.View{
				Now: someday, Version: abi.HTTP11, Port: 80, Method: abi.MethodGET, MethodText: b("GET"),
				Path: b("/foo"), Query: b("arg=nancy"), Granted: 1 | 8 | 16,
			},
		},
		{
			name: "an empty query, a port, another method",
			v:    View{URL: "https://[2001:db8::1]:8443?", Method: "PURGE"}, size: smallBuffer,
			want: abi.View{
				Now: someday, Version: abi.HTTP11, Port: 8443, MethodText: b("PURGE"), Scheme: b("https"), Flags: abi.FlagHTTPS,
				Host: b("2001:db8::1"), Path: b("/"), Query: b(""), Granted: 1 | 2 | 4 | 8 | 16,
			},
		},
		{
			name: "everything", size: BufferSize,
			v: View{
				URL: "http://shop.example/a%20b?x", Method: "POST", Target: "/a b?x", Client: "192.0.2.7", Mapping: "2", Session: "s1",
				Site: "shop", Cluster: "main/shop", Application: "app", Origin: "web1",
				Headers: []Header{{"X-A", "1"}, {"x-b", ""}}, Cookies: []Header{{"theme", "dark"}}, Args: []string{"strict", ""},
				Origins: []Origin{{Health: 1, State: 2, InFlight: 3, Capacity: 400, Metric: 255, Flags: 3}, {}},
				Body:    b("hello"), Status: 200, Flags: gw1.FlagInternal, Attempts: 1, Generation: 9, RequestID: 1 << 60, Now: 5,
				UpstreamNS: 1500000, HeadersShown: true,
			},
			want: abi.View{
				Flags: abi.FlagInternal | abi.FlagBody | abi.FlagWhole | abi.FlagAttempted, RequestID: 1 << 60, Now: 5,
				Method: abi.MethodPOST, Version: abi.HTTP11, Attempts: 1, Generation: 9, Granted: 1<<14 - 1, Port: 80, Status: 200,
				BodyLength: 5, UpstreamNS: 1500000, MethodText: b("POST"), Scheme: b("http"), Host: b("shop.example"),
				Path: b("/a%20b"), Query: b("x"), Client: b("192.0.2.7"), Mapping: b("2"), Session: b("s1"), Target: b("/a b?x"),
				Site: b("shop"), Cluster: b("main/shop"), Application: b("app"), OriginName: b("web1"),
				Origins: []abi.Origin{{Health: 1, State: 2, InFlight: 3, Capacity: 400, Metric: 255, Flags: 3}, {}},
				Headers: []abi.Field{{Name: b("X-A"), Value: b("1")}, {Name: b("x-b"), Value: b("")}},
				Cookies: []abi.Field{{Name: b("theme"), Value: b("dark")}}, Args: [][]byte{b("strict"), b("")}, Body: b("hello"),
			},
		},
	} {
		got, _, err := tt.v.encode(tt.size)
		want := make([]byte, tt.size)
		n, wantErr := tt.want.Put(want)
		if err != nil || wantErr != nil {
			t.Fatalf("%s: %v, %v", tt.name, err, wantErr)
		}
		if !bytes.Equal(got, want[:n]) {
			t.Errorf("%s:\n%x, want\n%x", tt.name, got, want[:n])
		}
	}
}

func TestViewsThatAreTooLargeAreNotShown(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    View
		want error
	}{
		{"just fits", View{URL: "/" + string(make([]byte, viewLimit-viewHead-1-len("GET")))}, nil},
		{"a byte more", View{URL: "/" + string(make([]byte, viewLimit-viewHead-len("GET")))}, errTooLarge},
	} {
		if _, _, err := tt.v.encode(smallBuffer); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestOtherBlobsAreThoseOfTheGateway(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []byte
		want interface {
			Size() int
			Put([]byte) (int, error)
		}
	}{
		{"no members", Cluster{Name: "shop", Generation: 1}.Bytes(), &abi.ClusterTable{Cluster: "shop", Generation: 1}},
		{
			"members", Cluster{Name: "shop", Cell: "main", Generation: 2, Members: []Member{
				{
					Name: "a", Address: "http://a:1", Host: "a", Zone: "z", Cell: "main", Edition: "1", Cluster: "shop",
					Labels: []Label{{"disk", "ssd"}, {"rack", ""}}, Weight: 1, HostWeight: 2, Capacity: 3, OnThisHost: true,
				},
				{Name: "b"},
			}}.Bytes(),
			&abi.ClusterTable{Cluster: "shop", Cell: "main", Generation: 2, Entries: []abi.ClusterEntry{
				{
					Name: "a", Address: "http://a:1", Host: "a", Zone: "z", Cell: "main", Edition: "1", Cluster: "shop",
					Labels: []abi.Label{{Key: "disk", Value: "ssd"}, {Key: "rack"}}, Weight: 1, HostWeight: 2, Capacity: 3, Flags: 1,
				},
				{Name: "b"},
			}},
		},
		{
			"sample", Sample{
				First: true, Now: 1, Position: 2, WindowMS: 3, Answers: 4, Failed: 5, Timeouts: 6, FailedConnects: 7, P50: 8, P95: 9,
				P99: 10, InFlight: 11, Waiting: 12, Name: "a", Address: "http://a:1", Sources: []Source{{"header:x", 1.5}, {"header:y", -2}},
				Generation: 13, Metric: 14, Capacity: 15, Health: 1, State: 2,
			}.Bytes(),
			&abi.CollectorView{
				Flags: 1, Now: 1, Position: 2, Window: 3, Answers: 4, Failed: 5, Timeouts: 6, FailedConnects: 7, P50: 8, P95: 9,
				P99: 10, InFlight: 11, Waiting: 12, Name: "a", Address: "http://a:1",
				Sources:    []abi.Source{{Name: "header:x", Value: 1.5}, {Name: "header:y", Value: -2}},
				Generation: 13, Metric: 14, Capacity: 15, Health: 1, State: 2,
			},
		},
		{"tick", Tick{Number: 3, PeriodMS: 10000}.Bytes(), &abi.TickView{Now: someday, Number: 3, Period: 10000}},
		{
			"answer", HTTPResponse{Token: 1, Now: 2, Status: 200, Headers: []Header{{"A", "b"}}, Body: "{}"}.Bytes(),
			&abi.HTTPResponse{
				Flags: abi.FlagBody | abi.FlagWhole, Now: 2, Token: 1, Status: 200,
				Headers: []abi.Field{{Name: []byte("A"), Value: []byte("b")}}, Body: []byte("{}"),
			},
		},
		{"no answer", HTTPResponse{Token: 2, Error: gw1.Timeout}.Bytes(), &abi.HTTPResponse{Now: someday, Token: 2, Error: abi.Timeout}},
	} {
		want := make([]byte, tt.want.Size())
		if _, err := tt.want.Put(want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(tt.got, want) {
			t.Errorf("%s:\n%x, want\n%x", tt.name, tt.got, want)
		}
	}
}

func TestOpsAreReadAsTheGatewayReadsThem(t *testing.T) {
	ok := abi.AppendOps(nil, []abi.Op{{Code: 1, Key: []byte("A"), Value: []byte("b")}, {Code: 5}, {Code: 77, Key: []byte("k")}})
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"three", ok, "set A: b; query ; ? k"},
		{"none", nil, ""},
		{"half", ok[:len(ok)-4], "operation 3 is cut off, or one too many"},
		{"a head cut off", ok[:16], "operation 2 is cut off"},
		{"a length that is too large", []byte{1, 0, 255, 255, 255, 255, 255, 255}, "operation 1 is cut off, or one too many"},
		{"padding", []byte{4, 0, 0, 0, 1, 0, 0, 0, '/', 0, 1, 0}, "operation 1 is not padded with zeros"},
	} {
		ops, err := readOps(tt.in)
		got := joinOps(ops)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
