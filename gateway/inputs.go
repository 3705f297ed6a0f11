package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weirkeep/gateway/config"
	"weirkeep/gateway/session"
	"weirkeep/gateway/wire"
)

// inputs is what the access log records of a request beyond its first line, so
// that its decision can be made again: the header fields and cookies that rules,
// sessions and the operator name. Arguments of the query stand in the target; where
// an id of a session stands there, only its hash is recorded.
type inputs struct {
	headers []string // lower case
	secret  []bool   // of headers: only their hash is recorded
	cookies []string // always secret
	params  []string // of URLs: names of those that carry session ids
	key     []byte   // of the hashes
}

// secretWords are parts of the names of header fields whose values a log must not
// hold.
var secretWords = []string{
	"assertion", "auth", "bearer", "cert", "cookie", "credential", "csrf", "jwt", "key", "passwd", "password", "pwd",
	"secret", "session", "signature", "token", "xsrf",
}

// inputs collects what is recorded, if anything is.
func (c *compiler) inputs() {
	listed := c.cfg.AccessLog.Inputs
	if listed == nil {
		return
	}
	in := new(inputs)
	for _, text := range listed {
		kind, name, _ := strings.Cut(text, ":")
		in.add(kind, name)
	}
	for _, r := range c.rules {
		if r.When == nil {
			continue
		}
		for _, name := range r.When.Reads().Headers {
			in.add("header", name)
		}
		for _, name := range r.When.Reads().Cookies {
			in.add("cookie", name)
		}
	}
	for d := range c.snap.sessions {
		in.add("cookie", d.Cookie)
		if d.URLParam != "" && !slices.Contains(in.params, d.URLParam) {
			in.params = append(in.params, d.URLParam)
		}
		if d.Gateway != nil {
			in.add("cookie", d.Gateway.Name())
		}
	}
	slices.Sort(in.cookies)
	c.snap.inputs = in
}

func (in *inputs) add(kind, name string) {
	switch {
	case name == "":
	case kind == "header":
		if name = strings.ToLower(name); name != "cookie" && !slices.Contains(in.headers, name) {
			in.headers = append(in.headers, name)
			in.secret = append(in.secret, slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) }))
		}
	case kind == "cookie":
		if !slices.Contains(in.cookies, name) {
			in.cookies = append(in.cookies, name)
		}
	}
}

// appendJSON appends what the request has of the inputs, as an object.
func (in *inputs) appendJSON(dst []byte, fields []wire.Field) []byte {
	next := byte('{')
	for i, name := range in.headers {
		for j := range fields {
			if wire.EqualFold(fields[j].Name, name) {
				dst = in.appendValue(append(dst, next), "header:"+name, fields[j].Value, in.secret[i])
				next = ','
				break
			}
		}
	}
	for _, name := range in.cookies {
		if value, found := wire.Cookie(fields, name); found {
			dst = in.appendValue(append(dst, next), "cookie:"+name, value, true)
			next = ','
		}
	}
	if next == '{' {
		dst = append(dst, next)
	}
	return append(dst, '}')
}

func (in *inputs) appendValue(dst []byte, name string, value []byte, secret bool) []byte {
	dst = append(appendJSONName(dst, name), ':')
	if secret {
		return appendJSONName(dst, SealedValue(in.key, value))
	}
	return appendJSONText(dst, value)
}

// appendURL appends a URL without the ids of sessions that stand in it.
func (in *inputs) appendURL(dst, url []byte) []byte {
	return session.AppendHidden(dst, url, in.params, func(dst, id []byte) []byte { return append(dst, SealedValue(in.key, id)...) })
}

// SealedPrefix begins a value of which the access log holds only a keyed hash.
const SealedPrefix = "hash:"

// SealedValue is what the access log holds of a secret value: the first 16 bytes
// of its HMAC-SHA256, in hexadecimal digits.
func SealedValue(key, value []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write(value)
	return SealedPrefix + hex.EncodeToString(h.Sum(nil)[:16])
}

// InputsKeyFile is where the key of the access log's hashes is kept that nobody
// has configured.
func InputsKeyFile(stateDir string) string { return filepath.Join(stateDir, "inputs.key") }

// inputsKey is the key of the access log's hashes; it is made if there is none.
func inputsKey(cfg *config.Config) ([]byte, error) {
	if cfg.AccessLog.InputsKey != "" {
		return []byte(cfg.AccessLog.InputsKey), nil
	}
	file := InputsKeyFile(cfg.Node.StateDir)
	text, err := os.ReadFile(file)
	switch {
	case err == nil && len(strings.TrimSpace(string(text))) < 32:
		return nil, fmt.Errorf("%s holds no key", file)
	case err == nil:
		return []byte(strings.TrimSpace(string(text))), nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := os.MkdirAll(cfg.Node.StateDir, 0o700); err != nil {
		return nil, err
	}
	key := []byte(rand.Text() + rand.Text())
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return inputsKey(cfg) // another gateway was faster
	}
	if err != nil {
		return nil, err
	}
	_, err = f.Write(append(key, '\n'))
	return key, errors.Join(err, f.Close())
}
