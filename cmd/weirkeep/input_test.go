package main

import (
	"io"
	"testing"
)

// endless is as much of nothing as is read.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestLongInputIsRefusedAndNotCut(t *testing.T) {
	if text, err := readAll(io.LimitReader(endless{}, maxInput)); err != nil || len(text) != maxInput {
		t.Errorf("of the longest input %d bytes are read, %v", len(text), err)
	}
	if text, err := readAll(endless{}); err == nil {
		t.Errorf("of an endless input %d bytes are read, want an error", len(text))
	}
}
