package plugins

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"weirkeep/abi"
)

const maxPropertyName = 64 // none is longer

// hostCalls are what the functions of module gw1 do.
var hostCalls = map[string]hostFunction{
	"log":           hostLog,
	"get_property":  hostProperty,
	"now_ns":        hostNow,
	"random":        hostRandom,
	"metric_define": hostMetric,
	"counter_add":   hostCount,
	"gauge_set":     hostGauge,
	"kv_get":        hostGet,
	"kv_set":        hostSet,
	"kv_delete":     hostDelete,
	"http_call":     hostHTTP,
}

var levels = map[int32]slog.Level{1: slog.LevelDebug, 2: slog.LevelInfo, 3: slog.LevelWarn, 4: slog.LevelError}

// hostLog is log(level, ptr, len).
func hostLog(e *env, mem []byte, stack []uint64) {
	level, known := levels[int32(stack[0])]
	if text, ok := slice(mem, stack[1], stack[2]); ok && known {
		e.log(level, text)
	}
}

// log writes a line of the guest, unless it writes too many.
func (e *env) log(level slog.Level, text []byte) {
	p := e.plugin
	if e.phase == trying {
		return
	}
	if !p.lines.allow(time.Now(), p.limits.LogRate) {
		p.counters.LogDropped.Inc()
		return
	}
	cut := string(text[:min(len(text), abi.MaxMessage)])
	p.house.log.Log(context.Background(), level, visible(cut), slog.String("plugin", p.config.Name), slog.String("at", e.place.String()))
}

// visible is a text with its control characters, which a terminal might obey, and
// what is no UTF-8 escaped.
func visible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var out []byte
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, s[0])
		case unicode.IsControl(r):
			quoted := strconv.QuoteRune(r)
			out = append(out, quoted[1:len(quoted)-1]...)
		default:
			out = append(out, s[:n]...)
		}
		s = s[n:]
	}
	return string(out)
}

// hostProperty is get_property(name, len, buf, cap).
func hostProperty(e *env, mem []byte, stack []uint64) {
	name, ok := slice(mem, stack[0], stack[1])
	room, fits := slice(mem, stack[2], stack[3])
	if !ok || !fits {
		answerCode(stack, abi.BadArgument)
		return
	}
	if len(name) > maxPropertyName {
		answerCode(stack, abi.NotFound)
		return
	}
	value, code := e.property(string(name))
	if code != 0 {
		answerCode(stack, code)
		return
	}
	if len(value) <= len(room) {
		copy(room, value)
	}
	answer(stack, int32(len(value)))
}

// hostNow is now_ns().
func hostNow(e *env, _ []byte, stack []uint64) {
	stack[0] = e.wallClock()
}

// wallClock is the Unix time in ns; for a matcher's call that of its view.
func (e *env) wallClock() uint64 {
	if e.deterministic() && e.phase != making {
		return e.now
	}
	return uint64(time.Now().UnixNano())
}

// hostRandom is random(ptr, len).
func hostRandom(e *env, mem []byte, stack []uint64) {
	p, ok := slice(mem, stack[0], stack[1])
	if !ok || len(p) > abi.MaxRandom {
		answerCode(stack, abi.BadArgument)
		return
	}
	e.fill(p)
	answer(stack, 0)
}

// fill fills p with random bytes; for a matcher with those of its stream.
func (e *env) fill(p []byte) {
	if e.deterministic() {
		e.random.Fill(p)
		return
	}
	rand.Read(p)
}

// hostMetric is metric_define(kind, name, len).
func hostMetric(e *env, mem []byte, stack []uint64) {
	name, ok := slice(mem, stack[1], stack[2])
	switch kind := int32(stack[0]); {
	case e.phase == trying:
		answerCode(stack, abi.Busy)
	case !ok || kind != 1 && kind != 2 || !isMetricName(name):
		answerCode(stack, abi.BadArgument)
	default:
		answer(stack, e.plugin.store.metrics.define(kind == 1, string(name)))
	}
}

// isMetricName reports whether a name is [a-z][a-z0-9_]{0,47}.
func isMetricName(name []byte) bool {
	if len(name) == 0 || len(name) > 48 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// hostCount is counter_add(id, n).
func hostCount(e *env, _ []byte, stack []uint64) {
	if e.phase == trying {
		answerCode(stack, abi.Busy)
		return
	}
	answerCode(stack, e.plugin.store.metrics.add(int32(stack[0]), int64(stack[1])))
}

// hostGauge is gauge_set(id, v).
func hostGauge(e *env, _ []byte, stack []uint64) {
	if e.phase == trying {
		answerCode(stack, abi.Busy)
		return
	}
	answerCode(stack, e.plugin.store.metrics.set(int32(stack[0]), math.Float64frombits(stack[1])))
}

// hostGet is kv_get(key, klen, buf, cap, ver).
func hostGet(e *env, mem []byte, stack []uint64) {
	key, ok := slice(mem, stack[0], stack[1])
	room, fits := slice(mem, stack[2], stack[3])
	at, there := slice(mem, stack[4], 8)
	wanted := uint32(stack[4]) != 0
	if code := e.mayStore(key, ok && fits && (there || !wanted)); code != 0 {
		answerCode(stack, code)
		return
	}
	value, version, found := e.plugin.store.kv.get(string(key), time.Now())
	if !found {
		answerCode(stack, abi.NotFound)
		return
	}
	if len(value) <= len(room) {
		copy(room, value)
	}
	if wanted {
		putUint64(at, version)
	}
	answer(stack, int32(len(value)))
}

// mayStore is why the store may not be used; 0: it may.
func (e *env) mayStore(key []byte, inMemory bool) abi.Code {
	switch {
	case !inMemory || len(key) == 0 || len(key) > maxKey:
		return abi.BadArgument
	case e.plugin.config.KV == 0:
		return abi.Denied
	case e.phase == trying:
		return abi.Busy
	}
	return 0
}

// hostSet is kv_set(key, klen, val, vlen, ttl_ms, ver).
func hostSet(e *env, mem []byte, stack []uint64) {
	key, ok := slice(mem, stack[0], stack[1])
	value, fits := slice(mem, stack[2], stack[3])
	ttl, version := int64(stack[4]), int64(stack[5])
	code := e.mayStore(key, ok && fits && len(value) <= maxStored && ttl >= 0 && version >= -1)
	if code == 0 {
		code = e.plugin.store.kv.set(string(key), value, time.Duration(min(ttl, maxTTL))*time.Millisecond, version, time.Now())
	}
	answerCode(stack, code)
}

// hostDelete is kv_delete(key, klen).
func hostDelete(e *env, mem []byte, stack []uint64) {
	key, ok := slice(mem, stack[0], stack[1])
	code := e.mayStore(key, ok)
	if code == 0 && !e.plugin.store.kv.delete(string(key), time.Now()) {
		code = abi.NotFound
	}
	answerCode(stack, code)
}

// hostHTTP is http_call(ptr, len, timeout_ms).
func hostHTTP(e *env, mem []byte, stack []uint64) {
	blob, ok := slice(mem, stack[0], stack[1])
	switch {
	case !ok:
		answerCode(stack, abi.BadArgument)
	case e.phase == trying:
		answerCode(stack, abi.Busy)
	case e.caller == nil || !e.phase.callsOut():
		answerCode(stack, abi.Denied)
	default:
		answer(stack, e.caller.call(blob, int32(stack[2])))
	}
}
