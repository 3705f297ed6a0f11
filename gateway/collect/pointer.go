package collect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Pointer names one value of a JSON document (RFC 6901). The zero value names the
// whole document.
type Pointer struct{ steps []string }

// ParsePointer reads a pointer: nothing, or steps that each begin with a slash. The
// error says what the text must be.
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return Pointer{}, errors.New(`must begin with "/", as in /load or /pools/0/busy`)
	}
	var p Pointer
	for step := range strings.SplitSeq(text[1:], "/") {
		plain := tildes.Replace(step)
		if strings.Count(step, "~") != strings.Count(step, "~0")+strings.Count(step, "~1") {
			return Pointer{}, errors.New(`must have 0 or 1 behind each ~: "~0" is a tilde, "~1" a slash`)
		}
		p.steps = append(p.steps, plain)
	}
	return p, nil
}

// tildes turns what is escaped in a step into what is meant.
var tildes = strings.NewReplacer("~0", "~", "~1", "/")

// Number is the number that the pointer names in a document. The error says what is
// there instead.
func (p Pointer) Number(doc []byte) (float64, error) {
	if !json.Valid(doc) {
		return 0, errors.New("the answer is not JSON")
	}
	for i, step := range p.steps {
		next, err := stepInto(doc, step)
		if err != nil {
			return 0, fmt.Errorf("%s %w", p.where(i), err)
		}
		doc = next
	}
	n, err := jsonNumber(bytes.TrimSpace(doc))
	if err != nil {
		return 0, fmt.Errorf("%s %w", p.where(len(p.steps)), err)
	}
	return n, nil
}

// where names the value that the first n steps lead to.
func (p Pointer) where(n int) string {
	if n == 0 {
		return "the answer"
	}
	return strconv.Quote("/" + strings.Join(p.steps[:n], "/"))
}

// stepInto is the value that a step leads to in a document, which is JSON.
func stepInto(doc []byte, step string) (json.RawMessage, error) {
	switch bytes.TrimSpace(doc)[0] {
	case '{':
		return field(doc, step)
	case '[':
		return entry(doc, step)
	}
	return nil, fmt.Errorf("is %s, which has no %q", kindOf(bytes.TrimSpace(doc)), step)
}

// field is that of a name in a map.
func field(doc []byte, name string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(doc, &fields); err != nil {
		return nil, err
	}
	value, ok := fields[name]
	if !ok {
		return nil, fmt.Errorf("has no %q", name)
	}
	return value, nil
}

// entry is that of an index, without zeros before it, in a list.
func entry(doc []byte, index string) (json.RawMessage, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(doc, &entries); err != nil {
		return nil, err
	}
	i, err := strconv.Atoi(index)
	if err != nil || strconv.Itoa(i) != index || i < 0 || i >= len(entries) {
		return nil, fmt.Errorf("is a list of %d, which has no %q", len(entries), index)
	}
	return entries[i], nil
}

// jsonNumber is the number that a value is.
func jsonNumber(value []byte) (float64, error) {
	if kind := kindOf(value); kind != aNumber {
		return 0, fmt.Errorf("is %s, must be a number", kind)
	}
	return finite(string(value))
}

const aNumber = "a number"

// kindOf says what a value is, by how it begins.
func kindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "a map"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return aNumber
}
