package plugins

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"time"

	"weirkeep/plugins/engine"
)

// wasiModule is what WASI functions are imported from.
const wasiModule = "wasi_snapshot_preview1"

// The error numbers of WASI that guests get.
const (
	wasiDone         = 0
	wasiBadFile      = 8
	wasiInvalid      = 28
	wasiNotSupported = 58
	wasiNoSeek       = 70
)

const maxPieces = 64 // of one fd_write

// wasiFunctions are what guests of Go, wasi-libc and Rust import. There are no
// files, no network, no environment and no arguments.
var wasiFunctions = []engine.HostFunction{
	{Name: "args_sizes_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiSizes)},
	{Name: "environ_sizes_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiSizes)},
	{Name: "args_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiNothing)},
	{Name: "environ_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiNothing)},
	{Name: "clock_time_get", Params: types(i32, i64, i32), Results: types(i32), Call: counted(wasiClock)},
	{Name: "random_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiRandom)},
	{Name: "fd_write", Params: types(i32, i32, i32, i32), Results: types(i32), Call: counted(wasiWrite)},
	{Name: "fd_fdstat_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiStat)},
	{Name: "fd_fdstat_set_flags", Params: types(i32, i32), Results: types(i32), Call: counted(wasiOfStreams(wasiDone))},
	{Name: "fd_close", Params: types(i32), Results: types(i32), Call: counted(wasiOfStreams(wasiDone))},
	{Name: "fd_seek", Params: types(i32, i64, i32, i32), Results: types(i32), Call: counted(wasiOfStreams(wasiNoSeek))},
	{Name: "fd_prestat_get", Params: types(i32, i32), Results: types(i32), Call: counted(wasiNoFile)},
	{Name: "fd_prestat_dir_name", Params: types(i32, i32, i32), Results: types(i32), Call: counted(wasiNoFile)},
	{Name: "poll_oneoff", Params: types(i32, i32, i32, i32), Results: types(i32), Call: counted(wasiPoll)},
	{Name: "sched_yield", Results: types(i32), Call: counted(wasiYield)},
	{Name: "proc_exit", Params: types(i32), Call: counted(wasiExit)},
}

func wasiSizes(_ *env, mem []byte, stack []uint64) {
	a, ok := slice(mem, stack[0], 4)
	b, also := slice(mem, stack[1], 4)
	if !ok || !also {
		answer(stack, wasiInvalid)
		return
	}
	clear(a)
	clear(b)
	answer(stack, wasiDone)
}

func wasiNothing(_ *env, _ []byte, stack []uint64) { answer(stack, wasiDone) }

// begin is that of monotonic time.
var begin = time.Now()

// wasiClock is clock_time_get(id, precision, out). The monotonic clock is the real
// one for all: the garbage collector of a Go guest starves without it.
func wasiClock(e *env, mem []byte, stack []uint64) {
	out, ok := slice(mem, stack[2], 8)
	id := uint32(stack[0])
	if !ok || id > 1 {
		answer(stack, wasiInvalid)
		return
	}
	now := uint64(time.Since(begin))
	if id == 0 {
		now = e.wallClock()
	}
	putUint64(out, now)
	answer(stack, wasiDone)
}

func wasiRandom(e *env, mem []byte, stack []uint64) {
	p, ok := slice(mem, stack[0], stack[1])
	if !ok {
		answer(stack, wasiInvalid)
		return
	}
	e.work(uint64(len(p)))
	e.fill(p)
	answer(stack, wasiDone)
}

// wasiWrite is fd_write(fd, pieces, n, out).
func wasiWrite(e *env, mem []byte, stack []uint64) {
	fd, n := uint32(stack[0]), uint64(uint32(stack[2]))
	out, ok := slice(mem, stack[3], 4)
	if fd != 1 && fd != 2 {
		answer(stack, wasiBadFile)
		return
	}
	pieces, fits := slice(mem, stack[1], 8*min(n, maxPieces+1))
	if !ok || !fits || n > maxPieces {
		answer(stack, wasiInvalid)
		return
	}
	written := uint64(0)
	for at := 0; at < len(pieces); at += 8 {
		p, ok := piece(mem, pieces[at:])
		if !ok {
			answer(stack, wasiInvalid)
			return
		}
		written += uint64(len(p))
	}
	e.work(written)
	for at := 0; at < len(pieces); at += 8 {
		p, _ := piece(mem, pieces[at:])
		e.write(fd, p)
	}
	binary.LittleEndian.PutUint32(out, uint32(written))
	answer(stack, wasiDone)
}

// piece is what a piece of fd_write refers to.
func piece(mem, b []byte) ([]byte, bool) {
	return slice(mem, uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:])))
}

// write takes what a guest writes to its stdout or stderr.
func (e *env) write(fd uint32, p []byte) {
	level := slog.LevelInfo
	if fd == 2 {
		level = slog.LevelWarn
		e.stderr.write(p)
	}
	e.lines[fd-1].write(p, func(line []byte) { e.log(level, line) })
}

// wasiStat is fd_fdstat_get(fd, out): a character device, which can be written to.
func wasiStat(_ *env, mem []byte, stack []uint64) {
	fd := uint32(stack[0])
	out, ok := slice(mem, stack[1], 24)
	switch {
	case fd > 2:
		answer(stack, wasiBadFile)
		return
	case !ok:
		answer(stack, wasiInvalid)
		return
	}
	clear(out)
	out[0] = 2
	if fd > 0 {
		out[8] = 64
	}
	answer(stack, wasiDone)
}

// wasiOfStreams answers for the three streams, and knows no others.
func wasiOfStreams(code int32) hostFunction {
	return func(_ *env, _ []byte, stack []uint64) {
		if uint32(stack[0]) > 2 {
			answer(stack, wasiBadFile)
			return
		}
		answer(stack, code)
	}
}

func wasiNoFile(_ *env, _ []byte, stack []uint64) { answer(stack, wasiBadFile) }

// wasiPoll is poll_oneoff(in, out, n, events): it never sleeps. A subscription is of
// 48 bytes, its kind at 8, 0 a clock; an event is of 32, error at 8, kind at 10.
func wasiPoll(e *env, mem []byte, stack []uint64) {
	n := uint64(uint32(stack[2]))
	in, ok := slice(mem, stack[0], min(48*n, 1<<32-1))
	out, fits := slice(mem, stack[1], min(32*n, 1<<32-1))
	events, there := slice(mem, stack[3], 4)
	if n == 0 || !ok || !fits || !there {
		answer(stack, wasiInvalid)
		return
	}
	e.work(48 * n)
	for i := range n {
		sub, event := in[48*i:], out[32*i:]
		kind, user := sub[8], binary.LittleEndian.Uint64(sub)
		clear(event[:32])
		binary.LittleEndian.PutUint64(event, user)
		if kind != 0 {
			event[8] = wasiNotSupported
		}
		event[10] = kind
	}
	binary.LittleEndian.PutUint32(events, uint32(n))
	answer(stack, wasiDone)
}

func wasiYield(_ *env, _ []byte, stack []uint64) { answer(stack, wasiDone) }

func wasiExit(_ *env, _ []byte, stack []uint64) {
	panic(fmt.Errorf("%w with %d", engine.Exit, uint32(stack[0])))
}
