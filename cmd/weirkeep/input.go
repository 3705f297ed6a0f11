package main

import (
	"fmt"
	"io"
	"os"
)

// maxInput is the longest file that is read of those that people name, in bytes:
// they are held whole.
const maxInput = 64 << 20

// readInput reads a file, or standard input for "-".
func (a *app) readInput(file string) ([]byte, error) {
	if file == "-" {
		return readAll(a.stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll refuses what is longer than maxInput: the beginning of it would be
// something else.
func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(text) > maxInput {
		return nil, fmt.Errorf("the input is longer than %d MiB", maxInput>>20)
	}
	return text, err
}
