package main

import (
	"io"
	"sync/atomic"
	"time"
)

// steadyWriter is a writer that never keeps anybody waiting: what is written is
// queued and goes out from a goroutine of its own. When the other end takes
// nothing and the queue is full, lines are lost and counted. So a log collector
// that hangs stops the log, and neither reloads nor the end of the gateway.
type steadyWriter struct {
	queue chan []byte
	idle  chan chan struct{} // asks to be told when all is written
	lost  atomic.Uint64
}

const (
	steadyLines = 1024        // that may wait
	steadyEnd   = time.Second // how long the last lines may take
)

func newSteadyWriter(out io.Writer) *steadyWriter {
	w := &steadyWriter{queue: make(chan []byte, steadyLines), idle: make(chan chan struct{})}
	go w.run(out)
	return w
}

// Write queues one line. It does not keep p.
func (w *steadyWriter) Write(p []byte) (int, error) {
	select {
	case w.queue <- append([]byte(nil), p...):
	default:
		w.lost.Add(1)
	}
	return len(p), nil
}

func (w *steadyWriter) run(out io.Writer) {
	for {
		select {
		case line := <-w.queue:
			out.Write(line)
		case done := <-w.idle:
			for range len(w.queue) {
				out.Write(<-w.queue)
			}
			close(done)
		}
	}
}

// flush waits, for a moment, until everything is written.
func (w *steadyWriter) flush() {
	patience, done := time.After(steadyEnd), make(chan struct{})
	select {
	case w.idle <- done:
	case <-patience:
		return
	}
	select {
	case <-done:
	case <-patience:
	}
}
