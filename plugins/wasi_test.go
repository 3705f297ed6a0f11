package plugins

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"weirkeep/plugins/engine"
)

// Every function of WASI answers what the contract says, and writes no byte more.
func TestWASI(t *testing.T) {
	functions := make(map[string]hostFunction)
	for _, f := range wasiFunctions {
		functions[f.Name] = uncounted(f)
	}
	const size = 65536
	for _, tt := range []struct {
		name  string
		args  []uint64
		want  int64
		at    int    // where it writes
		bytes string // what; the rest stays 0xaa
	}{
		{"args_sizes_get", []uint64{0, 4}, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"args_sizes_get", []uint64{size - 3, 0}, 28, 0, ""},
		{"environ_sizes_get", []uint64{4, 0}, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"environ_sizes_get", []uint64{0, size}, 28, 0, ""},
		{"args_get", []uint64{size, size}, 0, 0, ""},
		{"environ_get", []uint64{0, 0}, 0, 0, ""},
		{"clock_time_get", []uint64{2, 0, 0}, 28, 0, ""},
		{"clock_time_get", []uint64{0, 0, size - 7}, 28, 0, ""},
		{"clock_time_get", []uint64{0, 0, 8}, 0, 8, "now"},
		{"random_get", []uint64{1, size}, 28, 0, ""},
		{"random_get", []uint64{size, 0}, 0, 0, ""},
		{"fd_fdstat_get", []uint64{0, 0}, 0, 0, "\x02" + strings.Repeat("\x00", 23)},
		{"fd_fdstat_get", []uint64{1, 0}, 0, 0, "\x02" + strings.Repeat("\x00", 7) + "\x40" + strings.Repeat("\x00", 15)},
		{"fd_fdstat_get", []uint64{2, size - 24}, 0, size - 24, "\x02" + strings.Repeat("\x00", 7) + "\x40" + strings.Repeat("\x00", 15)},
		{"fd_fdstat_get", []uint64{2, size - 23}, 28, 0, ""},
		{"fd_fdstat_get", []uint64{3, 0}, 8, 0, ""},
		{"fd_fdstat_set_flags", []uint64{2, 4}, 0, 0, ""},
		{"fd_fdstat_set_flags", []uint64{3, 4}, 8, 0, ""},
		{"fd_close", []uint64{0}, 0, 0, ""},
		{"fd_close", []uint64{1<<32 - 1}, 8, 0, ""},
		{"fd_seek", []uint64{1, 0, 0, 0}, 70, 0, ""},
		{"fd_seek", []uint64{9, 0, 0, 0}, 8, 0, ""},
		{"fd_prestat_get", []uint64{3, 0}, 8, 0, ""},
		{"fd_prestat_dir_name", []uint64{3, 0, 9}, 8, 0, ""},
		{"poll_oneoff", []uint64{0, 0, 0, 0}, 28, 0, ""},
		{"poll_oneoff", []uint64{0, size - 31, 1, 0}, 28, 0, ""},
		{"poll_oneoff", []uint64{0, 0, 1<<32 - 1, 0}, 28, 0, ""},
		{"poll_oneoff", []uint64{0, 0, 1, size - 3}, 28, 0, ""},
		{"sched_yield", []uint64{}, 0, 0, ""},
		{"fd_write", []uint64{0, 0, 0, 0}, 8, 0, ""},
		{"fd_write", []uint64{3, 0, 0, 0}, 8, 0, ""},
		{"fd_write", []uint64{1, 0, 65, 0}, 28, 0, ""},
		{"fd_write", []uint64{1, 0, 1<<32 - 1, 0}, 28, 0, ""},
		{"fd_write", []uint64{1, size - 7, 1, 0}, 28, 0, ""},
		{"fd_write", []uint64{1, 0, 1, size - 3}, 28, 0, ""},
		{"fd_write", []uint64{1, 0, 1, 8}, 28, 0, ""}, // the piece is at 0xaaaaaaaa
		{"fd_write", []uint64{1, 0, 0, 8}, 0, 8, "\x00\x00\x00\x00"},
	} {
		e := guestEnv(Matcher)
		mem := bytes.Repeat([]byte{0xaa}, size)
		want := bytes.Clone(mem)
		if got := does(functions[tt.name], e, mem, tt.args...); got != tt.want {
			t.Errorf("%s%v = %d, want %d", tt.name, tt.args, got, tt.want)
		}
		if tt.bytes == "now" {
			tt.bytes = string(binary.LittleEndian.AppendUint64(nil, e.now))
		}
		copy(want[tt.at:], tt.bytes)
		if !bytes.Equal(mem, want) {
			t.Errorf("%s%v wrote something else", tt.name, tt.args)
		}
	}
}

// uncounted is a host function as the engine calls it, with calls to spare.
func uncounted(f engine.HostFunction) hostFunction {
	return func(e *env, mem []byte, stack []uint64) {
		e.begin(serving, false, e.now)
		f.Call(engine.NewCall(e, memory{b: mem}), stack)
	}
}

// memory is an instance of which only the memory matters.
type memory struct {
	engine.Instance
	b []byte
}

func (m memory) Memory() []byte { return m.b }

// What is written to stdout and stderr is logged by lines, of as many pieces as 64; the
// last 4 KiB of stderr are kept.
func TestWrites(t *testing.T) {
	e, log := guestEnv(Router), new(lines)
	e.plugin.house.log = slog.New(log)
	mem := make([]byte, 65536)
	text := func(fd uint64, pieces ...string) {
		at := 1024
		total := 0
		for n, p := range pieces {
			binary.LittleEndian.PutUint32(mem[8*n:], uint32(at))
			binary.LittleEndian.PutUint32(mem[8*n+4:], uint32(len(p)))
			at += copy(mem[at:], p)
			total += len(p)
		}
		if got := does(wasiWrite, e, mem, fd, 0, uint64(len(pieces)), 65000); got != 0 {
			t.Errorf("fd_write = %d", got)
		}
		if got := binary.LittleEndian.Uint32(mem[65000:]); got != uint32(total) {
			t.Errorf("it wrote %d, want %d", got, total)
		}
	}
	text(1, "one ", "line", "\nand a ")
	text(2, "other\n")
	text(1, "half\n\n")
	text(2, strings.Split(strings.Repeat("y ", 64), " ")[:64]...)
	text(2, strings.Repeat("z", 1000)+"\n")
	want := "INFO one line\nWARN other\nINFO and a half\nINFO \nWARN " + strings.Repeat("y", 64) + strings.Repeat("z", 960) + "\nWARN " + strings.Repeat("z", 40)
	if got := log.text(); got != want {
		t.Errorf("logged:\n%s\nwant:\n%s", got, want)
	}
	text(2, strings.Repeat("a", 3000), strings.Repeat("b", 3000))
	if got := string(e.stderr.b); got != strings.Repeat("a", 1096)+strings.Repeat("b", 3000) {
		t.Errorf("%d bytes of stderr are kept", len(got))
	}
	text(2, strings.Repeat("c", 50_000))
	if got := string(e.stderr.b); got != strings.Repeat("c", 4096) {
		t.Errorf("%d bytes of stderr are kept", len(got))
	}
}

// poll_oneoff never sleeps: clocks are due, all else is not supported.
func TestPollsAreDue(t *testing.T) {
	e, mem := guestEnv(Router), bytes.Repeat([]byte{0xaa}, 1024)
	binary.LittleEndian.PutUint64(mem[0:], 77)
	mem[8] = 0 // a clock
	binary.LittleEndian.PutUint64(mem[48:], 78)
	mem[56] = 1 // reading
	if got := does(wasiPoll, e, mem, 0, 512, 2, 600); got != 0 {
		t.Fatalf("poll_oneoff = %d", got)
	}
	first := append(binary.LittleEndian.AppendUint64(nil, 77), make([]byte, 24)...)
	second := append(binary.LittleEndian.AppendUint64(nil, 78), make([]byte, 24)...)
	second[8], second[10] = 58, 1
	if !bytes.Equal(mem[512:576], append(first, second...)) || binary.LittleEndian.Uint32(mem[600:]) != 2 {
		t.Errorf("events %x, %x of them", mem[512:576], mem[600:604])
	}
}

// proc_exit ends the call, whatever the code.
func TestExitEndsTheCall(t *testing.T) {
	for _, code := range []uint64{0, 3} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, engine.Exit) {
					t.Errorf("it ended with %v", err)
				}
			}()
			does(wasiExit, guestEnv(Router), nil, code)
			t.Error("it returned")
		}()
	}
}
