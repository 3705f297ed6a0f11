package gw1wasm

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
)

// provide makes the host functions, each of which is one of h with addresses
// for slices. One that is given an address outside memory returns BadArgument.
func provide(ctx context.Context, r wazero.Runtime, h *gw1test.Host) error {
	b := r.NewHostModuleBuilder("gw1")
	for name, f := range map[string]any{
		"log": func(_ context.Context, m api.Module, level int32, line, n uint32) {
			if p, ok := m.Memory().Read(line, n); ok {
				h.Log(level, p)
			}
		},
		"get_property": func(_ context.Context, m api.Module, name, n, buf, room uint32) int32 {
			return with2(m, name, n, buf, room, h.GetProperty)
		},
		"now_ns": func() int64 { return h.NowNS() },
		"random": func(_ context.Context, m api.Module, p, n uint32) int32 {
			return with(m, p, n, h.Random)
		},
		"metric_define": func(_ context.Context, m api.Module, kind int32, name, n uint32) int32 {
			return with(m, name, n, func(name []byte) int32 { return h.MetricDefine(kind, name) })
		},
		"counter_add": func(id int32, n int64) int32 { return h.CounterAdd(id, n) },
		"gauge_set":   func(id int32, v float64) int32 { return h.GaugeSet(id, v) },
		"kv_get": func(_ context.Context, m api.Module, key, n, buf, room, version uint32) int32 {
			return with2(m, key, n, buf, room, func(key, buf []byte) int32 {
				n, v := h.KVGet(key, buf)
				if n >= 0 && version != 0 && !m.Memory().WriteUint64Le(version, v) {
					return gw1.BadArgument
				}
				return n
			})
		},
		"kv_set": func(_ context.Context, m api.Module, key, n, value, vn uint32, ttl, version int64) int32 {
			return with2(m, key, n, value, vn, func(key, value []byte) int32 { return h.KVSet(key, value, ttl, version) })
		},
		"kv_delete": func(_ context.Context, m api.Module, key, n uint32) int32 {
			return with(m, key, n, h.KVDelete)
		},
		"http_call": func(_ context.Context, m api.Module, ops, n uint32, timeout int32) int32 {
			return with(m, ops, n, func(ops []byte) int32 { return h.HTTPCall(ops, timeout) })
		},
	} {
		b.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

func with(m api.Module, at, n uint32, f func([]byte) int32) int32 {
	p, ok := m.Memory().Read(at, n)
	if !ok {
		return gw1.BadArgument
	}
	return f(p)
}

func with2(m api.Module, at1, n1, at2, n2 uint32, f func(a, b []byte) int32) int32 {
	a, ok1 := m.Memory().Read(at1, n1)
	b, ok2 := m.Memory().Read(at2, n2)
	if !ok1 || !ok2 {
		return gw1.BadArgument
	}
	return f(a, b)
}
