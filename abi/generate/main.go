// Command generate writes what is made from the tables of package abi: the
// constants of every SDK. It is run
// from the top folder, by `make generate`; a test fails when a file is not what
// it would write.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// write makes all files and puts them in their places below the top folder.
func write(top string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(top, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// file is a generated file.
type file struct {
	path string // from the top folder
	text []byte
}

// generate makes all files.
func generate() ([]file, error) {
	var files []file
	for _, l := range languages {
		text, err := l.constants()
		if err != nil {
			return nil, err
		}
		files = append(files, file{l.path, text})
	}
	return files, nil
}
