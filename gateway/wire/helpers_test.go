package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// corpusFile holds the cases that the whole gateway is judged by.
const corpusFile = "../corpus/testdata/http1-corpus.jsonl"

// corpusCase is one line of it, as far as this package is concerned.
type corpusCase struct {
	ID     string          `json:"id"`
	Class  string          `json:"class"`
	Expect string          `json:"expect"`
	Req    json.RawMessage `json:"req"`
	Rep    struct {
		Steps []json.RawMessage `json:"steps"`
	} `json:"rep"`
}

func readCorpus(t testing.TB) []corpusCase {
	t.Helper()
	data, err := os.ReadFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	for line := range bytes.Lines(data) {
		var c corpusCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", corpusFile, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// script is the bytes that a script of the corpus sends: strings, lists of them,
// repetitions and slow sending; pauses are left out.
func script(t testing.TB, raw json.RawMessage) []byte {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return scriptBytes(v)
}

func scriptBytes(v any) []byte {
	switch v := v.(type) {
	case string:
		return latin1(v)
	case []any:
		var out []byte
		for _, part := range v {
			out = append(out, scriptBytes(part)...)
		}
		return out
	case map[string]any:
		if s, ok := v["rep"].(string); ok {
			return bytes.Repeat(latin1(s), int(v["n"].(float64)))
		}
		if s, ok := v["drip"].(string); ok {
			return latin1(s)
		}
	}
	return nil
}

// latin1 gives each character of s as the byte of its number.
func latin1(s string) []byte {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return out
}

// parts is a Source that arrives in pieces and ends with err.
type parts struct {
	window []byte
	rest   [][]byte
	err    error // io.EOF if nil
	fills  int
}

func (p *parts) Window() []byte { return p.window }
func (p *parts) Advance(n int)  { p.window = p.window[n:] }

func (p *parts) Fill() error {
	p.fills++
	if len(p.rest) == 0 {
		if p.err != nil {
			return p.err
		}
		return io.EOF
	}
	p.window = append(bytes.Clone(p.window), p.rest[0]...) // it moves, as it may
	p.rest = p.rest[1:]
	return nil
}

// arriving is a source whose bytes come one piece after the other.
func arriving(pieces ...string) *parts {
	p := new(parts)
	for _, s := range pieces {
		p.rest = append(p.rest, []byte(s))
	}
	return p
}

// atOnce is a source that has all of its bytes.
func atOnce(s string) *parts { return &parts{window: []byte(s)} }

// readAll reads a body to its end, at most step bytes at a time if step > 0.
func readAll(b *Body, step int) (content string, err error) {
	var out strings.Builder
	for {
		view, err := b.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return out.String(), err
		}
		if step > 0 {
			view = view[:min(step, len(view))]
		}
		out.Write(view)
		b.Consume(len(view))
	}
}
