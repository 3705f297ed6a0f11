package gw1_test

import (
	"testing"

	"weirkeep/abi"
	gw1 "weirkeep/sdk/go"
)

// FuzzBlobs: whatever bytes a blob has, reading all of it neither panics nor
// gives a byte that is not the blob's.
func FuzzBlobs(f *testing.F) {
	for _, blob := range []interface{ Put([]byte) (int, error) }{
		&abi.View{Path: []byte("/a"), Headers: make([]abi.Field, 2), Args: [][]byte{nil}, Origins: make([]abi.Origin, 2), Body: []byte("b")},
		&abi.ClusterTable{Cluster: "c", Entries: []abi.ClusterEntry{{Name: "a", Labels: []abi.Label{{Key: "k"}}}}},
		&abi.CollectorView{Name: "a", Sources: []abi.Source{{Name: "s", Value: 1}}},
		&abi.HTTPResponse{Headers: make([]abi.Field, 1), Body: []byte("b")},
	} {
		b := make([]byte, 1024)
		n, err := blob.Put(b)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:n])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		b := gw1.Buffer(len(in) + 64)
		if b == nil {
			return
		}
		copy(b, in)
		const sentinel = 0xa5 // what is behind the blob
		for i := len(in); i < len(b); i++ {
			b[i] = sentinel
		}
		n := 0
		size := int32(len(in))
		gw1.ServeFilter(size, func(v gw1.View, ops *gw1.Ops) int32 {
			n = readView(v)
			ops.SetBody(v.Body())
			return gw1.OK
		})
		gw1.ServeRoute(size, func(v gw1.View, list *gw1.List) int32 {
			list.Add(1)
			return gw1.OK
		})
		n = max(n, readOthers(size))
		if n > len(in) {
			t.Fatalf("a string of %d bytes was read from %d", n, len(in))
		}
		if string(b[:len(in)]) != string(in) {
			t.Fatalf("writing a result changed the blob")
		}
	})
}

// readView reads all there is, and returns the length of the longest string.
func readView(v gw1.View) (longest int) {
	for _, s := range [][]byte{
		v.Method(), v.Scheme(), v.Host(), v.Path(), v.Query(), v.Client(), v.Mapping(), v.Session(), v.Target(),
		v.Site(), v.Cluster(), v.Application(), v.Origin(), v.Body(), v.Arg(-1), v.Arg(1 << 40),
	} {
		longest = max(longest, len(s), cap(s))
	}
	for i := range v.Args() {
		longest = max(longest, len(v.Arg(i)))
	}
	for i := range v.Origins().Len() {
		v.Origins().At(i)
	}
	return max(longest, readFields(v.Headers()), readFields(v.Cookies()))
}

func readFields(f gw1.Fields) (longest int) {
	for i := -1; i <= f.Len(); i++ {
		name, value := f.At(i)
		longest = max(longest, len(name), len(value))
	}
	return longest
}

func readOthers(size int32) (longest int) {
	gw1.ServeCluster(size, func(c gw1.Cluster) int32 {
		for i := -1; i <= c.Len(); i++ {
			m := c.At(i)
			label, _ := m.Label("k")
			for _, s := range [][]byte{m.Name(), m.Address(), m.Host(), m.Zone(), m.Cell(), m.Edition(), m.Cluster(), label} {
				longest = max(longest, len(s))
			}
		}
		return int32(c.Find("a"))
	})
	gw1.ServeCollect(size, func(s gw1.Sample) int32 {
		longest = max(longest, len(s.Name()), len(s.Address()))
		s.Source("s")
		return gw1.OK
	})
	gw1.ServeHTTPResponse(size, func(r gw1.HTTPResponse) int32 {
		longest = max(longest, len(r.Body()), readFields(r.Headers()))
		return gw1.OK
	})
	return longest
}
