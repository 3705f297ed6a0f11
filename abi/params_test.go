package abi

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestParams(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, `null`},
		{true, `true`},
		{[]Param{}, `{}`},
		{[]any{}, `[]`},
		{[]Param{{"b", 1}, {"a", []any{int64(-2), uint64(1<<64 - 1)}}}, `{"b":1,"a":[-2,18446744073709551615]}`},
		{0.5, `0.5`},
		{1e3, `1000`},
		{math.Nextafter(0.3, 1), `0.30000000000000004`},
		{1e21, `1e+21`},
		{1.5e-10, `1.5e-10`},
		{1e-7, `1e-7`},
		{math.Copysign(0, -1), `-0`},
		{"\"\\\b\f\n\r\t\x00\x1f\x7f/<ü\u2028", `"\"\\\b\f\n\r\t\u0000\u001f` + "\x7f" + `/<ü` + "\u2028" + `"`},
	} {
		if got, err := AppendParams([]byte("="), tt.value); err != nil || string(got) != "="+tt.want {
			t.Errorf("AppendParams(%v) = %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
}

func TestParamsThatHaveNoForm(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), "\xff", []Param{{"\xff", 1}}, []Param{{"a", []any{struct{}{}}}}, map[string]any{}} {
		if got, err := AppendParams(nil, v); !errors.Is(err, ErrParam) {
			t.Errorf("AppendParams(%v) = %s, %v, want %v", v, got, err, ErrParam)
		}
	}
}

// Every reader of JSON reads what was meant.
func TestParamsAreJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		f := rapid.Float64().Draw(t, "number")
		b, err := AppendParams(nil, []Param{{s, []any{s, f}}})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string][]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if want := map[string][]any{s: {s, f}}; !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is read as %v, want %v", b, got, want)
		}
	})
}

func TestRefusalsThatAreNone(t *testing.T) {
	text := func(n int, s string) []byte { return append(le.AppendUint32(nil, uint32(n)), s...) }
	long := make([]byte, 4+1025)
	le.PutUint32(long, 1025)
	for _, b := range [][]byte{nil, {1, 0, 0}, text(0, "a"), text(2, "a"), text(-1, "a"), text(1, "\xff"), long, []byte(`{"split":"n"}`)} {
		if got, ok := ReadRefusal(b); ok {
			t.Errorf("ReadRefusal(%q) = %q", b, got)
		}
	}
}
