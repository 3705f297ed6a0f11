package main

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// unknownInput stands for a value of which the log says nothing.
const unknownInput = gateway.SealedPrefix + "unknown"

// hashForm is a value of which the log holds a hash.
var hashForm = regexp.MustCompile("^" + gateway.SealedPrefix + "[0-9a-f]{32}$")

// logSeal compares what a log holds only as a hash, and notes what it could not.
// It is for one decision at a time.
type logSeal struct {
	key     []byte // empty: there is none
	unknown bool   // somebody asked for a value of which nothing is known
	keyless bool   // a hash had to be compared, without a key
}

// reset forgets what was noted.
func (s *logSeal) reset() { s.unknown, s.keyless = false, false }

// Sealed implements rules.Seal.
func (s *logSeal) Sealed(value []byte) bool {
	if string(value) == unknownInput {
		s.unknown = true
		return true
	}
	return hashForm.Match(value)
}

// Equal implements rules.Seal.
func (s *logSeal) Equal(sealed []byte, text string) bool {
	switch {
	case string(sealed) == unknownInput:
		s.unknown = true
		return false
	case len(s.key) == 0:
		s.keyless = true
		return false
	}
	return gateway.SealedValue(s.key, []byte(text)) == string(sealed)
}

// inputsKey is the key of a log's hashes: in the file that is named, else what the
// configuration says, else in its state directory. It may be that there is none.
func inputsKey(named string, cfg *config.Config) ([]byte, error) {
	file := named
	switch {
	case file != "":
	case cfg.AccessLog.InputsKey != "":
		return []byte(cfg.AccessLog.InputsKey), nil
	default:
		file = gateway.InputsKeyFile(cfg.Node.StateDir)
	}
	text, err := os.ReadFile(file)
	if named == "" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil, nil // it is missed when a hash has to be compared
	}
	key := []byte(strings.TrimSpace(string(text)))
	if err == nil && len(key) == 0 {
		err = errors.New(file + " holds no key")
	}
	return key, err
}
