package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// failer is a test, of whichever kind.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// restream writes bindings and returns what is read of that.
func restream(t failer, all []Bindings) []Bindings {
	t.Helper()
	read, err := ReadBindings(bytes.NewReader(stream(t, all)))
	if err != nil {
		t.Fatalf("ReadBindings: %v", err)
	}
	return read
}

func stream(t failer, all []Bindings) []byte {
	t.Helper()
	var b bytes.Buffer
	if left, err := WriteBindings(&b, all); left != 0 || err != nil {
		t.Fatalf("WriteBindings: %d left, %v", left, err)
	}
	return b.Bytes()
}

var drawEntry = rapid.Custom(func(t *rapid.T) Entry {
	return Entry{
		ID:     string(rapid.SliceOfN(rapid.Byte(), 1, maxID).Draw(t, "id")),
		Origin: rapid.StringN(0, 300, 300).Draw(t, "origin"),
		Idle:   time.Duration(rapid.Int64Min(0).Draw(t, "idle")),
	}
})

var drawBindings = rapid.Custom(func(t *rapid.T) Bindings {
	return Bindings{rapid.StringN(1, 64, 64).Draw(t, "session"), rapid.SliceOfN(drawEntry, 0, 5).Draw(t, "entries")}
})

// What was written is read, whatever bytes it has; every shorter stream, and a
// longer one, is refused.
func TestBindingsPassUnchanged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(drawBindings, 0, 3).Draw(rt, "bindings")
		if got := restream(rt, want); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			rt.Fatalf("read %q, want %q", got, want)
		}
		whole := stream(rt, want)
		cut := rapid.IntRange(0, len(whole)-1).Draw(rt, "cut")
		if got, err := ReadBindings(bytes.NewReader(whole[:cut])); got != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			rt.Fatalf("%d bytes of %d: %v, %v", cut, len(whole), got, err)
		}
		if got, err := ReadBindings(bytes.NewReader(append(whole, 0))); got != nil || !errors.Is(err, errStream) {
			rt.Fatalf("a byte more: %v, %v", got, err)
		}
	})
}

func TestStreamsThatAreRefused(t *testing.T) {
	const (
		session = streamBegin + "\x00\x01s"
		zeros   = "\x00\x00\x00\x00\x00\x00\x00\x00"
		end     = "\x00\x00\x00\x00" + zeros + "\x00\x00"
	)
	for _, tt := range []struct {
		name, stream string
		want         error
	}{
		{"nothing", "", io.ErrUnexpectedEOF},
		{"another text", strings.Repeat("listeners: []\n", 9), errStream},
		{"another version", "weirkeep bindings 2\n\x00\x00", errStream},
		{"an id that is too long to be bound", session + "\x02\x01\x00\x00" + zeros + strings.Repeat("x", maxID+1) + end, errStream},
		{"an id that is longer than the stream", session + "\x02\x00\x00\x00" + zeros + "x" + end, io.ErrUnexpectedEOF},
		{"an origin that is longer than the stream", session + "\x00\x01\xff\xff" + zeros + "x" + end, io.ErrUnexpectedEOF},
		{"an origin of no id", session + "\x00\x00\x00\x01" + zeros + "x" + end, errStream},
		{"a use in the future", session + "\x00\x01\x00\x01\x80" + zeros[1:] + "xo" + end, errStream},
		{"no end", session + end[:len(end)-2], io.ErrUnexpectedEOF},
		{"more after the end", session + end + "\n", errStream},
	} {
		if got, err := ReadBindings(strings.NewReader(tt.stream)); got != nil || !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
	if got, err := ReadBindings(strings.NewReader(session + end)); err != nil || !reflect.DeepEqual(got, []Bindings{{Session: "s"}}) {
		t.Errorf("a session without bindings: %v, %v", got, err)
	}
}

// A stream has a bound, which the most recently used bindings come below.
func TestStreamIsBounded(t *testing.T) {
	all := []Bindings{{"a", []Entry{{"1", "web1", 0}, {"2", "web1", 0}, {"3", "web1", 0}}}, {"b", []Entry{{"4", "web1", 0}}}}
	whole := len(stream(t, all))
	for _, tt := range []struct {
		name string
		most int
		ids  string // of what is written
	}{
		{"room for all", whole, "123 4"},
		{"for a byte less", whole - 1, "123 "},
		{"for the first session alone", whole - 18, "123"},
		{"for two bindings", whole - 34, "12"},
		{"for none", whole - 83, ""},
		{"for no session", len(streamBegin) + nameHead, ""},
	} {
		var b bytes.Buffer
		left, err := writeBindings(&b, all, tt.most)
		if err != nil || b.Len() > tt.most {
			t.Errorf("%s: %d bytes, %v; want at most %d", tt.name, b.Len(), err, tt.most)
		}
		var ids []string
		read, err := ReadBindings(&b)
		for _, s := range read {
			ids = append(ids, "")
			for _, e := range s.Entries {
				ids[len(ids)-1] += e.ID
			}
		}
		if got := strings.Join(ids, " "); got != tt.ids || err != nil || left != 4-len(strings.ReplaceAll(got, " ", "")) {
			t.Errorf("%s: %q and %d left, %v; want %q", tt.name, got, left, err, tt.ids)
		}
	}
}

// What is no binding of a table is not written.
func TestStreamHoldsBindingsAlone(t *testing.T) {
	var b bytes.Buffer
	left, err := WriteBindings(&b, []Bindings{
		{"", []Entry{{"1", "web1", 0}}},
		{strings.Repeat("x", 1<<16), []Entry{{"1", "web1", 0}}},
		{"s", []Entry{{"", "web1", 0}, {strings.Repeat("x", maxID+1), "web1", 0}, {"1", strings.Repeat("x", 1<<16), 0}, {"1", "web1", -1}}},
	})
	if left != 6 || err != nil {
		t.Errorf("%d left, %v; want all 6", left, err)
	}
	if got, err := ReadBindings(&b); err != nil || !reflect.DeepEqual(got, []Bindings{{Session: "s"}}) {
		t.Errorf("read %v, %v", got, err)
	}
}

// A table takes over no more than it may hold, and nothing that is idle there.
func TestRestoreKeepsToTheTablesBounds(t *testing.T) {
	table := New(Options{Entries: 2, IdleTimeout: time.Minute})
	table.Restore([]Entry{{"1", "web1", time.Second}, {"2", "web2", 30 * time.Second}, {"3", "web3", 40 * time.Second}}, noon)
	if got := bound(table, "3", noon); got != "" || table.Len() != 2 || table.Evicted() != 0 {
		t.Errorf("the third is bound to %q; %d are, %d were evicted", got, table.Len(), table.Evicted())
	}
	table.Bind([]byte("4"), "web4", noon)
	if one, two := bound(table, "1", noon), bound(table, "2", noon); one != "web1" || two != "" {
		t.Errorf("of two, the more recently used one is at %q, the other at %q", one, two)
	}
	if got := bound(table, "4", noon); got != "web4" {
		t.Errorf("the new one is at %q", got)
	}
	idle := New(Options{IdleTimeout: time.Minute})
	idle.Restore([]Entry{{"1", "web1", 59 * time.Second}, {"2", "web1", time.Minute}, {"3", "web1", 1<<63 - 1}, {"4", "web1", -1}}, noon)
	if got := bound(idle, "1", noon); got != "web1" || idle.Len() != 1 {
		t.Errorf("%d are bound, the one that may be to %q", idle.Len(), got)
	}
	idle.Restore([]Entry{{"5", "web1", 59 * time.Second}}, noon)
	if got := bound(idle, "5", noon.Add(time.Second)); got != "" {
		t.Errorf("an id that had a second left is still bound to %q", got)
	}
}

// What is idle is not handed over: where it may be so for longer it would bind again.
func TestEntriesAreNotIdle(t *testing.T) {
	table := New(Options{IdleTimeout: time.Minute})
	table.Bind([]byte("1"), "web1", noon)
	table.Bind([]byte("2"), "web2", noon.Add(time.Second))
	want := []Entry{{"2", "web2", 59 * time.Second}}
	if got := table.Entries(noon.Add(time.Minute)); !reflect.DeepEqual(got, want) {
		t.Errorf("Entries() = %v, want %v", got, want)
	}
}

// FuzzRestore: any bytes are either refused, or bindings that are written again
// with the same bytes. A table takes of them what it may, and nothing else.
func FuzzRestore(f *testing.F) {
	f.Add(stream(f, nil))
	f.Add(stream(f, []Bindings{{"shop", []Entry{{"a", "web1", time.Second}, {"b", "", 0}}}, {"blog", nil}, {"shop", nil}}))
	f.Add([]byte(streamBegin + "\xff\xff"))
	f.Add([]byte(streamBegin + "\x00\x01s\x02\x00\xff\xff\x7f\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		all, err := ReadBindings(bytes.NewReader(in))
		if err != nil {
			if all != nil {
				t.Fatalf("%v and %v", all, err)
			}
			return
		}
		if again := stream(t, all); !bytes.Equal(again, in) {
			t.Fatalf("written again as %q, was %q", again, in)
		}
		table, origins := New(Options{Entries: 4}), make(map[string]bool)
		for _, b := range all {
			table.Restore(b.Entries, noon)
			for _, e := range b.Entries {
				origins[e.Origin] = true
			}
		}
		if table.Len() > 4 {
			t.Errorf("%d are bound, want at most 4", table.Len())
		}
		for _, e := range table.Entries(noon) {
			if !origins[e.Origin] || e.Idle < 0 || e.Idle >= defaultIdleTimeout || len(e.ID) > maxID {
				t.Errorf("%+v is bound", e)
			}
		}
	})
}
