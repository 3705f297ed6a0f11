package plugins

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

// wasiCalls are what the functions do that guests of Go, wasi-libc and Rust import.
// There are no files, no network, no environment and no arguments.
var wasiCalls = map[string]hostFunction{
	"args_sizes_get":      wasiSizes,
	"environ_sizes_get":   wasiSizes,
	"args_get":            wasiNothing,
	"environ_get":         wasiNothing,
	"clock_time_get":      wasiClock,
	"random_get":          wasiRandom,
	"fd_write":            wasiWrite,
	"fd_fdstat_get":       wasiStat,
	"fd_fdstat_set_flags": wasiOfStreams(abi.ErrnoDone),
	"fd_close":            wasiOfStreams(abi.ErrnoDone),
	"fd_seek":             wasiOfStreams(abi.ErrnoNoSeek),
	"fd_prestat_get":      wasiNoFile,
	"fd_prestat_dir_name": wasiNoFile,
	"poll_oneoff":         wasiPoll,
	"sched_yield":         wasiYield,
	"proc_exit":           wasiExit,
}

func wasiSizes(_ *env, mem []byte, stack []uint64) {
	a, ok := slice(mem, stack[0], 4)
	b, also := slice(mem, stack[1], 4)
	if !ok || !also {
		answer(stack, abi.ErrnoInvalid)
		return
	}
	clear(a)
	clear(b)
	answer(stack, abi.ErrnoDone)
}

func wasiNothing(_ *env, _ []byte, stack []uint64) { answer(stack, abi.ErrnoDone) }

// begin is that of monotonic time.
var begin = time.Now()

// wasiClock is clock_time_get(id, precision, out). The monotonic clock is the real
// one for all: the garbage collector of a Go guest starves without it.
func wasiClock(e *env, mem []byte, stack []uint64) {
	out, ok := slice(mem, stack[2], 8)
	id := uint32(stack[0])
	if !ok || id > 1 {
		answer(stack, abi.ErrnoInvalid)
		return
	}
	now := uint64(time.Since(begin))
	if id == 0 {
		now = e.wallClock()
	}
	putUint64(out, now)
	answer(stack, abi.ErrnoDone)
}

func wasiRandom(e *env, mem []byte, stack []uint64) {
	p, ok := slice(mem, stack[0], stack[1])
	if !ok {
		answer(stack, abi.ErrnoInvalid)
		return
	}
	e.work(uint64(len(p)))
	e.fill(p)
	answer(stack, abi.ErrnoDone)
}

// wasiWrite is fd_write(fd, pieces, n, out).
func wasiWrite(e *env, mem []byte, stack []uint64) {
	fd, n := uint32(stack[0]), uint64(uint32(stack[2]))
	out, ok := slice(mem, stack[3], 4)
	if fd != 1 && fd != 2 {
		answer(stack, abi.ErrnoBadFile)
		return
	}
	pieces, fits := slice(mem, stack[1], 8*min(n, abi.MaxPieces+1))
	if !ok || !fits || n > abi.MaxPieces {
		answer(stack, abi.ErrnoInvalid)
		return
	}
	written := uint64(0)
	for at := 0; at < len(pieces); at += 8 {
		p, ok := piece(mem, pieces[at:])
		if !ok {
			answer(stack, abi.ErrnoInvalid)
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
	answer(stack, abi.ErrnoDone)
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
		answer(stack, abi.ErrnoBadFile)
		return
	case !ok:
		answer(stack, abi.ErrnoInvalid)
		return
	}
	clear(out)
	out[0] = 2
	if fd > 0 {
		out[8] = 64
	}
	answer(stack, abi.ErrnoDone)
}

// wasiOfStreams answers for the three streams, and knows no others.
func wasiOfStreams(code int32) hostFunction {
	return func(_ *env, _ []byte, stack []uint64) {
		if uint32(stack[0]) > 2 {
			answer(stack, abi.ErrnoBadFile)
			return
		}
		answer(stack, code)
	}
}

func wasiNoFile(_ *env, _ []byte, stack []uint64) { answer(stack, abi.ErrnoBadFile) }

// wasiPoll is poll_oneoff(in, out, n, events): it never sleeps. A subscription is of
// 48 bytes, its kind at 8, 0 a clock; an event is of 32, error at 8, kind at 10.
func wasiPoll(e *env, mem []byte, stack []uint64) {
	n := uint64(uint32(stack[2]))
	in, ok := slice(mem, stack[0], min(48*n, 1<<32-1))
	out, fits := slice(mem, stack[1], min(32*n, 1<<32-1))
	events, there := slice(mem, stack[3], 4)
	if n == 0 || !ok || !fits || !there {
		answer(stack, abi.ErrnoInvalid)
		return
	}
	e.work(48 * n)
	for i := range n {
		sub, event := in[48*i:], out[32*i:]
		kind, user := sub[8], binary.LittleEndian.Uint64(sub)
		clear(event[:32])
		binary.LittleEndian.PutUint64(event, user)
		if kind != 0 {
			event[8] = abi.ErrnoUnsupported
		}
		event[10] = kind
	}
	binary.LittleEndian.PutUint32(events, uint32(n))
	answer(stack, abi.ErrnoDone)
}

func wasiYield(_ *env, _ []byte, stack []uint64) { answer(stack, abi.ErrnoDone) }

func wasiExit(_ *env, _ []byte, stack []uint64) {
	panic(fmt.Errorf("%w with %d", engine.Exit, uint32(stack[0])))
}
