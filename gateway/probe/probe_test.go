package probe

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"
)

// pair are the two ends of a TCP connection.
func pair(tb testing.TB) (ours, theirs *net.TCPConn) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { a.Close(); b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

// settled looks until the kernel has brought what the other side did.
func settled(p *Probe, want Sight) Sight {
	got := p.Look()
	for end := time.Now().Add(10 * time.Second); got != want && time.Now().Before(end); got = p.Look() {
		time.Sleep(time.Millisecond)
	}
	return got
}

func TestLook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(ours, theirs *net.TCPConn)
		want Sight
	}{
		{"nothing happened", func(_, _ *net.TCPConn) {}, Silent},
		{"a byte came", func(_, theirs *net.TCPConn) { theirs.Write([]byte("x")) }, Readable},
		{"half closed", func(_, theirs *net.TCPConn) { theirs.CloseWrite() }, Finished},
		{"closed", func(_, theirs *net.TCPConn) { theirs.Close() }, Finished},
		{"a byte, then closed", func(_, theirs *net.TCPConn) { theirs.Write([]byte("x")); theirs.Close() }, Finished},
		{"closed both ways", func(ours, theirs *net.TCPConn) { theirs.Close(); ours.CloseWrite() }, Broken},
		{"reset", func(_, theirs *net.TCPConn) { theirs.SetLinger(0); theirs.Close() }, Broken},
		{"we closed", func(ours, _ *net.TCPConn) { ours.Close() }, Broken},
		{"we ended our half", func(ours, _ *net.TCPConn) { ours.CloseWrite() }, Silent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := pair(t)
			p := New(ours)
			if got := p.Look(); got != Silent {
				t.Fatalf("a new connection looks %v", got)
			}
			tt.do(ours, theirs)
			if got := settled(p, tt.want); got != tt.want {
				t.Errorf("Look() = %v, want %v", got, tt.want)
			}
		})
	}
}

// A look takes nothing: what it saw is there to be read.
func TestLookTakesNothing(t *testing.T) {
	t.Parallel()
	ours, theirs := pair(t)
	p := New(ours)
	theirs.Write([]byte("hello"))
	for range 3 {
		if got := settled(p, Readable); got != Readable {
			t.Fatalf("Look() = %v, want readable", got)
		}
	}
	theirs.Close()
	if got := settled(p, Finished); got != Finished {
		t.Errorf("Look() = %v, want finished", got)
	}
	if got, err := io.ReadAll(ours); string(got) != "hello" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

// A look does not wait for a read that is under way, nor end it.
func TestLookWhileReading(t *testing.T) {
	t.Parallel()
	ours, theirs := pair(t)
	p := New(ours)
	got := make(chan string)
	go func() {
		b := make([]byte, 8)
		n, _ := ours.Read(b)
		got <- string(b[:n])
	}()
	for range 1000 {
		if s := p.Look(); s != Silent {
			t.Fatalf("Look() = %v, want silent", s)
		}
	}
	theirs.Write([]byte("x"))
	if s := <-got; s != "x" {
		t.Errorf("the read brought %q", s)
	}
}

// What has no descriptor of its own has no probe.
func TestNoProbe(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	if New(ours) != nil {
		t.Error("a pipe has a probe")
	}
	if New(tls.Client(ours, &tls.Config{InsecureSkipVerify: true})) != nil {
		t.Error("TLS has a probe: it would see the bytes below")
	}
}

func TestLookAllocs(t *testing.T) {
	ours, _ := pair(t)
	p := New(ours)
	if n := testing.AllocsPerRun(100, func() { p.Look() }); n != 0 {
		t.Errorf("Look allocates %v times, want 0", n)
	}
}
