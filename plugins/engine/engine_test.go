package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// left is an instance of which only what is left matters.
type left struct {
	Instance
	fuel  int64
	depth int32
	mark  int32
}

func (l left) Fuel() int64  { return l.fuel }
func (l left) Depth() int32 { return l.depth }
func (l left) Mark() int32  { return l.mark }

// If several kinds fit, the first in the order of the list is meant.
func TestFirstKindThatFitsIsMeant(t *testing.T) {
	bug, exit := errors.New("nil map"), fmt.Errorf("%w with 1", Exit)
	trap, failed := Ending{Trapped: true, Message: "unreachable"}, Ending{Message: "no space\nleft"}
	overflow := Ending{Trapped: true, Overflow: true, Message: "stack overflow"}
	fine, empty, shallow, refused := left{}, left{fuel: -1}, left{depth: -1}, left{mark: 1}
	for _, tt := range []struct {
		name   string
		ending Ending
		left   left
		stop   error
		want   string
	}{
		{"trap", trap, fine, nil, "trap: unreachable"},
		{"exit", trap, fine, exit, "exit: the guest called proc_exit with 1"},
		{"memory before trap", trap, refused, nil, "memory: unreachable, after memory.grow was refused"},
		{"memory before exit", trap, refused, exit, "memory: the guest called proc_exit with 1, after memory.grow was refused"},
		{"fuel before memory", trap, left{fuel: -1, mark: 1}, nil, "exhausted: fuel used up"},
		{"fuel before exit", trap, empty, exit, "exhausted: fuel used up"},
		{"depth", trap, shallow, nil, "exhausted: depth of calls used up"},
		{"native stack before memory", overflow, refused, nil, "exhausted: native stack used up"},
		{"host calls before memory", trap, refused, OutOfCalls, "exhausted: host calls used up"},
		{"bug before fuel", trap, empty, bug, "host-error: a host function panicked: nil map"},
		{"engine before fuel", failed, empty, nil, "host-error: the engine failed: no space"},
		{"exit, whatever the engine calls it", failed, fine, exit, "exit: the guest called proc_exit with 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewCall(nil, tt.left)
			if tt.stop != nil {
				c.stopped(tt.stop)
			}
			if got := c.Fault(tt.ending).Error(); got != tt.want {
				t.Errorf("fault is %q, want %q", got, tt.want)
			}
			if c.stop != nil || c.bug != "" {
				t.Error("the next call begins with what the last one left")
			}
		})
	}
}

func TestFaultNamesTheInnermostFunctions(t *testing.T) {
	frames := "a\n" + strings.Repeat("b\n", 1000)
	f := NewCall(nil, left{}).Fault(Ending{Trapped: true, Stack: frames})
	if want := "a\n" + strings.Repeat("b\n", 28) + "b"; f.Stack != want {
		t.Errorf("the stack is %q, want 30 lines", f.Stack)
	}
	if f = NewCall(nil, left{}).Fault(Ending{Trapped: true, Stack: "a\nb"}); f.Stack != "a\nb" {
		t.Errorf("the stack is %q, want both lines", f.Stack)
	}
}

func TestNoPanicPassesServe(t *testing.T) {
	for _, value := range []any{"text", errors.New("error"), Exit, 7, nil} {
		c := NewCall(nil, left{})
		if c.Serve(&HostFunction{Call: func(*Call, []uint64) { panic(value) }}, nil) {
			t.Errorf("panic(%v) is a return", value)
		}
	}
	if !NewCall(nil, left{}).Serve(&HostFunction{Call: func(*Call, []uint64) {}}, nil) {
		t.Error("a return is a panic")
	}
}

const header = "\x00asm\x01\x00\x00\x00"

// exports is an export section with the globals of these names.
func exports(kind byte, names ...string) string {
	body := string(byte(len(names)))
	for n, name := range names {
		body += string(byte(len(name))) + name + string([]byte{kind, byte(n)})
	}
	return "\x07" + string(byte(len(body))) + body
}

func TestOnlyMeteredModulesAreRun(t *testing.T) {
	all := exports(kindGlobal, FuelGlobal, DepthGlobal, MarkGlobal)
	for _, tt := range []struct {
		name, module string
		ok           bool
	}{
		{"metered", header + all, true},
		{"with a custom section", header + "\x00\x05\x04name" + all, true},
		{"start function", header + all + "\x08\x01\x00", false},
		{"start function first", header + "\x08\x01\x00" + all, false},
		{"no globals", header, false},
		{"no mark", header + exports(kindGlobal, FuelGlobal, DepthGlobal), false},
		{"functions of these names", header + exports(0, FuelGlobal, DepthGlobal, MarkGlobal), false},
		{"globals in a custom section", header + "\x00" + all[1:], false},
		{"cut off in the exports", header + all[:len(all)-3], false},
		{"rubbish behind", header + all + "\x0b\x7f", false},
		{"component", "\x00asm\x0d\x00\x01\x00" + all, false},
		{"empty", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckMetered([]byte(tt.module))
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrUnmetered) {
				t.Errorf("CheckMetered() = %v, want none: %v", err, tt.ok)
			}
		})
	}
}

// FuzzCheckMetered: whatever the bytes are, they are read to the end or
// refused, and a module that passes has all three names in it.
func FuzzCheckMetered(f *testing.F) {
	f.Add([]byte(header + exports(kindGlobal, FuelGlobal, DepthGlobal, MarkGlobal)))
	f.Add([]byte(header + "\x07\xff\xff\xff\xff\x0f\x01"))
	f.Fuzz(func(t *testing.T, module []byte) {
		if CheckMetered(module) != nil {
			return
		}
		for _, name := range []string{FuelGlobal, DepthGlobal, MarkGlobal} {
			if !strings.Contains(string(module), name) {
				t.Errorf("a module without %s passes", name)
			}
		}
	})
}

func TestLinkNamesEveryImportThatIsMissing(t *testing.T) {
	host := []HostFunction{
		{Module: "gw1", Name: "log", Params: []ValueType{I32, I32, I32}},
		{Module: "gw1", Name: "now_ns", Results: []ValueType{I64}},
	}
	linked, err := Link([]Import{{Module: "gw1", Name: "now_ns", Results: []ValueType{I64}}}, host)
	if err != nil || len(linked) != 1 || linked[0] != &host[1] {
		t.Errorf("Link() = %v, %v, want now_ns alone", linked, err)
	}
	_, err = Link([]Import{
		{Module: "gw1", Name: "fly"},
		{Module: "env", Name: "log", Params: []ValueType{I32, I32, I32}},
		{Module: "gw1", Name: "log", Params: []ValueType{I32, F64}, Results: []ValueType{I64}},
	}, host)
	want := "the module imports gw1.fly, which does not exist here\n" +
		"the module imports env.log, which does not exist here\n" +
		"the module imports gw1.log as (i32, f64) -> i64, but it is (i32, i32, i32) -> nothing"
	if err == nil || err.Error() != want {
		t.Errorf("Link() = %v, want:\n%s", err, want)
	}
}

func TestCodeIsKeptInOurFolderOnly(t *testing.T) {
	// Folders of tests are below one with the user's own umask.
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T, path string) error
		wrong string // "" if it is fit
	}{
		{"none yet", func(*testing.T, string) error { return nil }, ""},
		{"ours", func(_ *testing.T, p string) error { return os.Mkdir(p, 0o700) }, ""},
		{"others may look", func(_ *testing.T, p string) error { return os.Mkdir(p, 0o755) }, "its mode is 0755"},
		{"a file", func(_ *testing.T, p string) error { return os.WriteFile(p, nil, 0o600) }, "not a directory"},
		{"a link", func(t *testing.T, p string) error { return os.Symlink(t.TempDir(), p) }, "symbolic link"},
		{"others may rename it", func(_ *testing.T, p string) error { return os.Chmod(filepath.Dir(p), 0o777) }, "others may write in"},
		{"others may not rename it", func(_ *testing.T, p string) error { return os.Chmod(filepath.Dir(p), 0o777|os.ModeSticky) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "code")
			if err := tt.make(t, path); err != nil {
				t.Fatal(err)
			}
			got, err := PrivateFolder(path)
			if tt.wrong == "" && (err != nil || filepath.Base(got) != "code") {
				t.Errorf("PrivateFolder() = %q, %v, want it fit", got, err)
			}
			if tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("PrivateFolder() = %q, %v, want %q", got, err, tt.wrong)
			}
		})
	}
}

// Root may give a folder away; another user has only his own, and tries what
// is root's.
func TestFoldersOfOthersAreRefused(t *testing.T) {
	path := "/"
	if os.Geteuid() == 0 {
		path = filepath.Join(t.TempDir(), "theirs")
		if err := errors.Join(os.Mkdir(path, 0o700), os.Chown(path, 12345, -1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := PrivateFolder(path); err == nil || !strings.Contains(err.Error(), "belongs to user") {
		t.Errorf("PrivateFolder() = %v, want it refused for its owner", err)
	}
}
