//go:build wasmtime

package wasmtime

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	wasmtime "github.com/bytecodealliance/wasmtime-go/v39"
)

// cache keeps compiled code in a folder, one file a module, named after the
// hash of the module. A file begins with the hash of its code, because
// wasmtime trusts what it is given.
type cache struct {
	dir string // empty: keeps nothing
}

// edition is part of the names of files, for what is compiled by another
// version or for other settings must not be found. wasmtime looks at that
// too; this saves its file from being replaced to and fro.
const edition = "wasmtime-39.0.1-1-"

// compile returns the code of a module: from the folder if it is there, sound,
// and made by this wasmtime for this processor. What cannot be read or written
// costs time and nothing else.
func (c cache) compile(e *wasmtime.Engine, wasm []byte) (*wasmtime.Module, error) {
	if c.dir == "" {
		return wasmtime.NewModule(e, wasm)
	}
	if kept := c.read(wasm); kept != nil {
		if m, err := wasmtime.NewModuleDeserialize(e, kept); err == nil {
			return m, nil
		}
	}
	m, err := wasmtime.NewModule(e, wasm)
	if err != nil {
		return nil, err
	}
	if code, err := m.Serialize(); err == nil {
		_ = c.write(wasm, code) // the next start compiles again
	}
	return m, nil
}

func (c cache) path(wasm []byte) string {
	hash := sha256.Sum256(wasm)
	return filepath.Join(c.dir, edition+hex.EncodeToString(hash[:]))
}

// read returns the code of a module, or nil.
func (c cache) read(wasm []byte) []byte {
	b, err := os.ReadFile(c.path(wasm))
	if err != nil || len(b) <= sha256.Size {
		return nil
	}
	code := b[sha256.Size:]
	if sha256.Sum256(code) != [sha256.Size]byte(b[:sha256.Size]) {
		return nil
	}
	return code
}

// write puts the code of a module in the folder, whole or not at all.
func (c cache) write(wasm, code []byte) error {
	f, err := os.CreateTemp(c.dir, "new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // once it is renamed there is nothing to remove
	hash := sha256.Sum256(code)
	_, err = f.Write(append(hash[:], code...))
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), c.path(wasm))
}
