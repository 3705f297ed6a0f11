package abi

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// FuzzReadOps: any bytes a filter returns are operations that read back as the
// same bytes, or are refused. What then passes the check is short enough and in
// its place.
func FuzzReadOps(f *testing.F) {
	for _, vec := range vectors(f) {
		if vec.Call != "" {
			f.Add(vec.bytes(f), int32(len(vec.bytes(f))))
		}
	}
	f.Add([]byte{1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, int32(8)) // lengths that overflow u32
	f.Add([]byte{}, int32(-4))
	f.Fuzz(func(t *testing.T, area []byte, n int32) {
		ops, err := ReadOps(area, n, nil)
		if err != nil {
			if !errors.Is(err, ErrInvalidResult) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if again := AppendOps(nil, ops); !bytes.Equal(again, area[:n]) {
			t.Fatalf("read %x, which is %x", area[:n], again)
		}
		if CheckOps(ops, anywhere(OnRequest)) == nil {
			checkHarmless(t, ops)
		}
	})
}

// checkHarmless checks what no operation may bring about: another line in a head,
// or a field that frames the message.
func checkHarmless(t *testing.T, ops []Op) {
	for _, o := range ops {
		if o.Code == OpSetBody || o.Code == OpRespond {
			continue
		}
		if bytes.ContainsAny(o.Key, "\r\n\x00: ") || bytes.ContainsAny(o.Value, "\r\n\x00") {
			t.Fatalf("%s with %q and %q passed", opName(o.Code), o.Key, o.Value)
		}
		if o.Code == OpAddHeader && (bytes.EqualFold(o.Key, []byte("content-length")) || bytes.EqualFold(o.Key, []byte("transfer-encoding"))) {
			t.Fatalf("%q passed", o.Key)
		}
	}
}

// FuzzDecodeView: any bytes are refused, or are a view that can be written and
// is read as the same.
func FuzzDecodeView(f *testing.F) {
	for _, name := range []string{"request-view-router", "request-view-matcher", "request-view-bare", "response-view"} {
		f.Add(vectorOf(f, name).bytes(f))
	}
	overflow := make([]byte, viewHead)
	le.PutUint32(overflow, viewHead)
	overflow[viewLayout] = layout
	for _, at := range []int{viewMethod, viewHeaders, viewOrigins, viewArgs} {
		b := bytes.Clone(overflow)
		le.PutUint64(b[at:], 0xffff_ffff_ffff_ffff)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := DecodeView(in)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("error %v", err)
			}
			return
		}
		b := make([]byte, ResultArea(v.Size()))
		n, err := v.Put(b)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if again, err := DecodeView(b[:n]); err != nil || !reflect.DeepEqual(again, v) {
			t.Fatalf("read %+v, %v, want %+v", again, err, v)
		}
	})
}

// FuzzReadRoute: what a router returns is n positions or n names that lie in the
// result area, or it is refused, and then no name was given to anybody.
func FuzzReadRoute(f *testing.F) {
	f.Add(vectorOf(f, "route-result").bytes(f), int32(2))
	f.Add(vectorOf(f, "route-names").bytes(f), int32(2))
	f.Add([]byte{0xff, 0xff}, int32(1))
	f.Add([]byte{}, int32(1<<31-1))
	f.Add([]byte{}, int32(-1<<31))
	f.Fuzz(func(t *testing.T, area []byte, n int32) {
		positions, err := ReadRoute(area, n, nil)
		if fits := n >= 0 && n <= MaxRoute && 2*int64(n) <= int64(len(area)); (err == nil) != fits || fits && len(positions) != int(n) {
			t.Fatalf("ReadRoute(%d bytes, %d) = %d positions, %v", len(area), n, len(positions), err)
		}
		var written []byte
		names := 0
		err = ReadNames(area, n, func(name []byte) {
			names++
			written = append(le.AppendUint16(written, uint16(len(name))), name...)
		})
		if err != nil && (names > 0 || !errors.Is(err, ErrInvalidResult)) || err == nil && names != int(n) || !bytes.HasPrefix(area, written) {
			t.Fatalf("ReadNames(%x, %d) = %d names, which are %x; %v", area, n, names, written, err)
		}
	})
}
