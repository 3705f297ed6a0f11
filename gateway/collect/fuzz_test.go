package collect

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

// FuzzNumber: what is read as a number is one for the standard library too, finite,
// and made of the characters that the grammar has.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"0", "-1.5e+3", "1e999", "NaN", "0x1p2", "1_000"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, ok := Number(text)
		if !ok {
			return
		}
		want, err := strconv.ParseFloat(string(text), 64)
		if err != nil || n != want || math.IsInf(n, 0) || strings.Trim(string(text), "-+.e0123456789") != "" {
			t.Errorf("%q is %v, want %v, %v", text, n, want, err)
		}
	})
}

// FuzzPointer: a pointer finds what a naive walk finds, or neither finds a number.
func FuzzPointer(f *testing.F) {
	f.Add("/pools/0/busy", []byte(document))
	f.Add("/~01", []byte(document))
	f.Add("", []byte("-3"))
	f.Add("/00", []byte("[1]"))
	f.Fuzz(func(t *testing.T, text string, doc []byte) {
		p, err := ParsePointer(text)
		if err != nil {
			return
		}
		got, err := p.Number(doc)
		want, ok := naive(text, doc)
		if ok != (err == nil) || got != want {
			t.Errorf("%q of %q is %v, %v; naively it is %v, %v", text, doc, got, err, want, ok)
		}
	})
}

// naive walks through the document as Go values.
func naive(pointer string, doc []byte) (float64, bool) {
	var v any
	if json.Unmarshal(doc, &v) != nil {
		v = naiveHuge(doc)
	}
	steps := strings.Split(pointer, "/")[1:]
	if pointer == "" {
		steps = nil
	}
	for _, step := range steps {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch w := v.(type) {
		case map[string]any:
			v = w[step]
		case []any:
			i, err := strconv.ParseUint(step, 10, 31)
			if err != nil || int(i) >= len(w) || len(step) > 1 && step[0] == '0' {
				return 0, false
			}
			v = w[i]
		default:
			return 0, false
		}
	}
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		if err != nil {
			return 0, false
		}
		return f, true
	}
	n, ok := v.(float64)
	return n, ok
}

// naiveHuge reads a document with numbers that are too large for a float64.
func naiveHuge(doc []byte) (v any) {
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	if !json.Valid(doc) || d.Decode(&v) != nil {
		return nil
	}
	return v
}

// FuzzSeries: a series that is written with a label is found by it, whatever the value
// of the label and whatever lines of others stand around it; and no text is a number
// that is not finite.
func FuzzSeries(f *testing.F) {
	f.Add("a", "b", "other 1")
	f.Add(`"`, `\`, "load{say=\"hi\"} 2\nload 3")
	f.Add("}", ",", "load{say=\"\n")
	f.Fuzz(func(t *testing.T, value, other, noise string) {
		s, err := ParseSeries(`load{say="` + escape(value) + `"}`)
		if err != nil {
			t.Fatalf("with %q: %v", value, err)
		}
		if n, err := s.Number([]byte(noise)); err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
			t.Errorf("%q is %v", noise, n)
		}
		text := `load{more="` + escape(other) + `",say="` + escape(value) + `"} 17`
		if !strings.Contains(noise, "load") {
			text = noise + "\n" + text + "\n" + noise
		}
		if n, err := s.Number([]byte(text)); err != nil || n != 17 {
			t.Errorf("of %q it is %v, %v", text, n, err)
		}
	})
}

func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)
}
