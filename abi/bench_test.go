package abi

import (
	"fmt"
	"testing"
)

// typicalView is a browser's request as a router sees it: the strings of the
// default needs, one header, eight origins.
func typicalView(t testing.TB) *View {
	v, err := DecodeView(vectorOf(t, "request-view-router").bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	v.Scheme = []byte("https")
	for len(v.Origins) < 8 {
		v.Origins = append(v.Origins, v.Origins[0])
	}
	return v
}

// BenchmarkPutView has a budget of 0.2 µs/op and 0 allocs/op for the typical
// view; with 20 header fields it costs about twice that.
func BenchmarkPutView(b *testing.B) {
	typical := typicalView(b)
	whole := *typical
	for i := range 20 {
		whole.Headers = append(whole.Headers, Field{fmt.Appendf(nil, "X-Field-%d", i), []byte("text/html,application/xhtml+xml")})
	}
	buffer := make([]byte, 65536)
	for name, v := range map[string]*View{"typical": typical, "20 fields": &whole} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Put(buffer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadOps has a budget of 0.2 µs/op and 0 allocs/op for three
// operations, the check included.
func BenchmarkReadOps(b *testing.B) {
	area := vectorOf(b, "ops-edit").bytes(b)
	dst := make([]Op, 0, MaxOps)
	b.ReportAllocs()
	for b.Loop() {
		ops, err := ReadOps(area, int32(len(area)), dst)
		if err != nil {
			b.Fatal(err)
		}
		if err := CheckOps(ops, Where{Call: OnRequest}); err != nil {
			b.Fatal(err)
		}
	}
}
