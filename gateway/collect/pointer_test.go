package collect

import (
	"strings"
	"testing"
)

const document = `{"load": 40, "": 1, "a/b": 2, "m~n": 3, " ": 4, "pools": [{"busy": 0.5}, {"busy": 7e1}], "text": "40", "on": true, "none": null, "huge": 1e999, "twice": 1, "twice": 2, "~1": 5}`

// RFC 6901, section 5, in our words.
func TestPointer(t *testing.T) {
	for _, tt := range []struct {
		pointer, doc string
		want         float64
	}{
		{"", " 42 ", 42},
		{"/load", document, 40},
		{"/", document, 1},
		{"/a~1b", document, 2},
		{"/m~0n", document, 3},
		{"/ ", document, 4},
		{"/~01", document, 5},
		{"/pools/0/busy", document, 0.5},
		{"/pools/1/busy", document, 70},
		{"/1", "[1, -3.5]", -3.5},
		{"/twice", document, 2},
	} {
		p, err := ParsePointer(tt.pointer)
		if err != nil {
			t.Errorf("%q: %v", tt.pointer, err)
			continue
		}
		if got, err := p.Number([]byte(tt.doc)); err != nil || got != tt.want {
			t.Errorf("%q is %v, %v; want %v", tt.pointer, got, err, tt.want)
		}
	}
}

func TestPointerFindsNothing(t *testing.T) {
	for _, tt := range []struct{ pointer, doc, want string }{
		{"/lode", document, `the answer has no "lode"`},
		{"/pools/2/busy", document, `"/pools" is a list of 2, which has no "2"`},
		{"/pools/01/busy", document, `"/pools" is a list of 2, which has no "01"`},
		{"/pools/-", document, `"/pools" is a list of 2, which has no "-"`},
		{"/pools/-1", document, `"/pools" is a list of 2, which has no "-1"`},
		{"/load/x", document, `"/load" is a number, which has no "x"`},
		{"/text", document, `"/text" is a text, must be a number`},
		{"/on", document, `"/on" is true or false, must be a number`},
		{"/none", document, `"/none" is null, must be a number`},
		{"/pools", document, `"/pools" is a list, must be a number`},
		{"/pools/0", document, `"/pools/0" is a map, must be a number`},
		{"/huge", document, `"/huge" is not finite`},
		{"", `"x"`, `the answer is a text, must be a number`},
		{"", "", "the answer is not JSON"},
		{"", "NaN", "the answer is not JSON"},
		{"/load", `{"load": 40`, "the answer is not JSON"},
		{"/load", `{"load": 40} {}`, "the answer is not JSON"},
		{"/load", `<html>`, "the answer is not JSON"},
	} {
		p, err := ParsePointer(tt.pointer)
		if err != nil {
			t.Errorf("%q: %v", tt.pointer, err)
			continue
		}
		if n, err := p.Number([]byte(tt.doc)); err == nil || err.Error() != tt.want {
			t.Errorf("%q of %.20s is %v, %v; want %s", tt.pointer, tt.doc, n, err, tt.want)
		}
	}
}

func TestPointerIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"load": `must begin with "/"`, "#/load": `must begin with "/"`, "/a~": "must have 0 or 1 behind each ~", "/a~2b": "must have 0 or 1", "/~~0": "must have 0 or 1",
	} {
		if _, err := ParsePointer(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
