package admin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// minToken is how many characters a token in a file must have.
const minToken = 16

// TokenFile is where [Token] keeps the token of a gateway.
func TokenFile(stateDir string) string { return filepath.Join(stateDir, "token") }

// Token is the token kept in stateDir. If there is none it makes one, readable
// by this user alone, and says so. A file that others may read is an error: who
// has read it cannot be locked out but by a new token.
func Token(stateDir string) (token string, made bool, err error) {
	token, err = readToken(TokenFile(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(stateDir)
	}
	return token, false, err
}

func readToken(path string) (string, error) {
	file, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if mode := file.Mode(); mode.Perm()&0o077 != 0 {
		return "", fmt.Errorf("admin token %s may be read by others (mode %#o): delete it, and a new one is made", path, mode.Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken || strings.ContainsFunc(token, notVisible) {
		return "", fmt.Errorf("admin token %s does not hold %d or more visible characters: delete it, and a new one is made", path, minToken)
	}
	return token, nil
}

func notVisible(c rune) bool { return c <= ' ' || c > '~' }

// makeToken writes a new token beside its file and links it into place: the
// file is whole whenever it is there, and of several gateways that start at
// once, one makes it and all use it.
func makeToken(stateDir string) (token string, made bool, err error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return "", false, err
	}
	token = rand.Text()
	temporary, err := writeBeside(stateDir, token+"\n")
	if err != nil {
		return "", false, err
	}
	defer os.Remove(temporary)
	path := TokenFile(stateDir)
	switch err = os.Link(temporary, path); {
	case errors.Is(err, fs.ErrExist):
		token, err = readToken(path)
		return token, false, err
	case err != nil:
		return "", false, err
	}
	return token, true, nil
}

// writeBeside writes a new file, with mode 0600, and returns its name.
func writeBeside(dir, text string) (string, error) {
	f, err := os.CreateTemp(dir, ".token")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
