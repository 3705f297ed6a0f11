package abi

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// canary is what stands where nobody may write.
const canary = 0xa5

// checkPut checks what is true of every blob: Size is what Put writes, Put writes
// nowhere else, and a buffer that is a byte too small stays as it was.
func checkPut(t *rapid.T, v blob, least int) (written []byte) {
	size := v.Size()
	room := max(size, least)
	b := bytes.Repeat([]byte{canary}, room+64)
	n, err := v.Put(b[:room])
	if err != nil || n != size {
		t.Fatalf("Put() = %d, %v, want %d", n, err, size)
	}
	if rest := b[size:]; !allCanary(rest) {
		t.Fatalf("Put wrote behind its %d bytes: %x", size, rest)
	}
	small := bytes.Repeat([]byte{canary}, size-1)
	if _, err := v.Put(small); !errors.Is(err, ErrTooLarge) || !allCanary(small) {
		t.Fatalf("Put to a byte too few: error %v, untouched %v", err, allCanary(small))
	}
	return b[:size]
}

func allCanary(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c != canary })
}

var (
	text = rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) []byte { return append([]byte{}, b...) })
	// absent is a string that may be absent, or there and empty.
	absent = rapid.OneOf(rapid.Just([]byte(nil)), text)
	word   = rapid.StringN(0, 12, -1)
	fields = none(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Field {
		return Field{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")}
	}), 0, 6))
)

// none makes an empty list nil, which is how it is read.
func none[T any](g *rapid.Generator[[]T]) *rapid.Generator[[]T] {
	return rapid.Map(g, func(list []T) []T {
		if len(list) == 0 {
			return nil
		}
		return list
	})
}

func draw[T any](t *rapid.T, g *rapid.Generator[T], name string) T { return g.Draw(t, name) }

// someView is any view.
var someView = rapid.Custom(func(t *rapid.T) *View {
	v := &View{
		Flags: rapid.Uint16().Draw(t, "flags"), RequestID: rapid.Uint64().Draw(t, "id"), Now: rapid.Uint64().Draw(t, "now"),
		Method: rapid.Byte().Draw(t, "method id"), Version: rapid.Byte().Draw(t, "version"),
		Attempts: rapid.Uint16().Draw(t, "attempts"), Generation: rapid.Uint32().Draw(t, "generation"),
		Granted: rapid.Uint32().Draw(t, "granted"), Port: rapid.Uint16().Draw(t, "port"),
		Status: rapid.Uint16().Draw(t, "status"), BodyLength: rapid.Uint64().Draw(t, "body length"),
		UpstreamNS: rapid.Uint64().Draw(t, "upstream"),
		Headers:    fields.Draw(t, "headers"), Cookies: fields.Draw(t, "cookies"),
		Args: none(rapid.SliceOfN(text, 0, 8)).Draw(t, "args"), Body: absent.Draw(t, "body"),
		Origins: none(rapid.SliceOfN(rapid.Make[Origin](), 0, 5)).Draw(t, "origins"),
	}
	for _, s := range []*[]byte{
		&v.MethodText, &v.Scheme, &v.Host, &v.Path, &v.Query, &v.Client, &v.Mapping, &v.Session,
		&v.Target, &v.Site, &v.Cluster, &v.Application, &v.OriginName,
	} {
		*s = absent.Draw(t, "string")
	}
	return v
})

func TestViewsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := someView.Draw(t, "view")
		got, err := DecodeView(checkPut(t, v, ResultArea(v.Size())))
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("read %+v, %v, want %+v", got, err, v)
		}
	})
}

// A view that may not be as large as it is is not written at all.
func TestViewsKeepTheirLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := someView.Draw(t, "view")
		b := bytes.Repeat([]byte{canary}, v.Size()+16384)
		limit := rapid.IntRange(0, 2*v.Size()).Draw(t, "limit")
		n, err := v.PutWithin(b, limit)
		if fits := v.Size() <= limit; fits != (err == nil) || fits && n != v.Size() || !fits && !allCanary(b) {
			t.Fatalf("PutWithin(%d) of a view of %d bytes = %d, %v", limit, v.Size(), n, err)
		}
	})
}

func TestClusterTablesAreReadAsTheyWereWritten(t *testing.T) {
	labels := none(rapid.Map(rapid.MapOfN(word, word, 0, 4), func(m map[string]string) (list []Label) {
		for k, v := range m {
			list = append(list, Label{k, v})
		}
		slices.SortFunc(list, func(a, b Label) int { return bytes.Compare([]byte(a.Key), []byte(b.Key)) })
		return list
	}))
	entry := rapid.Custom(func(t *rapid.T) ClusterEntry {
		return ClusterEntry{
			Name: draw(t, word, "name"), Address: draw(t, word, "address"), Host: draw(t, word, "host"),
			Zone: draw(t, word, "zone"), Cell: draw(t, word, "cell"), Edition: draw(t, word, "edition"),
			Cluster: draw(t, word, "cluster"), Labels: draw(t, labels, "labels"),
			Weight: draw(t, rapid.Uint32(), "weight"), HostWeight: draw(t, rapid.Uint32(), "host weight"),
			Capacity: draw(t, rapid.Uint32(), "capacity"), Flags: draw(t, rapid.Uint32(), "flags"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		v := &ClusterTable{
			Generation: draw(t, rapid.Uint32(), "generation"), Cluster: draw(t, word, "cluster"),
			Cell: draw(t, word, "cell"), Entries: draw(t, none(rapid.SliceOfN(entry, 0, 5)), "entries"),
		}
		if got, err := DecodeClusterTable(checkPut(t, v, 0)); err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("read %+v, %v, want %+v", got, err, v)
		}
	})
}

func TestCollectorViewsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := draw(t, rapid.Make[*CollectorView]().Filter(func(v *CollectorView) bool { return v != nil }), "view")
		if len(v.Sources) == 0 {
			v.Sources = nil
		}
		if got, err := DecodeCollectorView(checkPut(t, v, 0)); err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("read %+v, %v, want %+v", got, err, v)
		}
	})
}

func TestHTTPResponsesAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &HTTPResponse{
			Flags: draw(t, rapid.Uint16(), "flags"), Now: draw(t, rapid.Uint64(), "now"),
			Token: draw(t, rapid.Int32(), "token"), Error: Code(draw(t, rapid.Int32(), "error")),
			Status: draw(t, rapid.Uint16(), "status"), Headers: draw(t, fields, "headers"), Body: draw(t, absent, "body"),
		}
		if got, err := DecodeHTTPResponse(checkPut(t, v, 0)); err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("read %+v, %v, want %+v", got, err, v)
		}
	})
}

// Whatever an answer is made to fit, it fits, and says what is missing.
func TestHTTPResponsesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &HTTPResponse{Flags: FlagBody | FlagWhole, Headers: draw(t, fields, "headers"), Body: draw(t, text, "body")}
		before := *v
		view, body := draw(t, rapid.IntRange(responseHead, 200), "view"), draw(t, rapid.IntRange(0, 20), "body limit")
		v.Fit(view, body)
		if v.Size() > view+body {
			t.Fatalf("%d bytes, want at most %d", v.Size(), view+body)
		}
		if whole := len(v.Body) == len(before.Body); whole != (v.Flags&FlagWhole != 0) {
			t.Fatalf("flags %d for a body of %d of %d bytes", v.Flags, len(v.Body), len(before.Body))
		}
		if all := len(v.Headers) == len(before.Headers); all == (v.Flags&FlagFieldsLeft != 0) {
			t.Fatalf("flags %d for %d of %d fields", v.Flags, len(v.Headers), len(before.Headers))
		}
	})
}

func TestOperationsAreReadAsTheyWereWritten(t *testing.T) {
	some := rapid.Custom(func(t *rapid.T) Op {
		return Op{Code: draw(t, rapid.Uint16(), "code"), Key: draw(t, text, "key"), Value: draw(t, text, "value")}
	})
	rapid.Check(t, func(t *rapid.T) {
		ops := draw(t, none(rapid.SliceOfN(some, 0, 10)), "ops")
		b := AppendOps(nil, ops)
		area := append(slices.Clone(b), 1, 2, 3) // what stands there from the call before
		if got, err := ReadOps(area, int32(len(b)), nil); err != nil || !reflect.DeepEqual(got, ops) {
			t.Fatalf("read %v, %v, want %v", got, err, ops)
		}
	})
}
