package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// stuckWriter takes nothing until it is let go.
type stuckWriter struct {
	letGo chan struct{}
	mu    sync.Mutex
	got   bytes.Buffer
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	<-w.letGo
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got.Write(p)
}

func TestSteadyWriterNeverWaits(t *testing.T) {
	out := &stuckWriter{letGo: make(chan struct{})}
	w := newSteadyWriter(out)
	began := time.Now()
	for i := range 3 * steadyLines {
		fmt.Fprintf(w, "line %d\n", i)
	}
	w.flush()
	if took := time.Since(began); took > steadyEnd+5*time.Second {
		t.Errorf("writing to a stuck end took %v", took)
	}
	if lost := w.lost.Load(); lost < steadyLines || lost > 2*steadyLines {
		t.Errorf("%d lines were lost of %d, with room for %d", lost, 3*steadyLines, steadyLines)
	}
	close(out.letGo)
	w.flush()
	out.mu.Lock()
	defer out.mu.Unlock()
	if n := uint64(strings.Count(out.got.String(), "\n")); n != 3*steadyLines-w.lost.Load() {
		t.Errorf("%d lines came out, want all that were not lost", n)
	}
}

func TestSteadyWriterKeepsTheOrder(t *testing.T) {
	var out bytes.Buffer
	w := newSteadyWriter(&out)
	line := []byte("a\n")
	w.Write(line)
	line[0] = 'b'
	w.Write(line)
	w.flush()
	if out.String() != "a\nb\n" {
		t.Errorf("got %q", out.String())
	}
}
