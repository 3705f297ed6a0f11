package abi

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Param is one entry of an object in params.
type Param struct {
	Key   string
	Value any
}

// ErrParam means that a value of params has no form in JSON.
var ErrParam = errors.New("params")

// AppendParams appends params in the form in which guests get them: compact
// JSON, keys in the order given. A value is nil, a bool, a string, an int, an
// int64, a uint64, a float64, a []any, or a []Param, which is an object. All
// else, text that is not UTF-8, and a number that is not finite are ErrParam.
func AppendParams(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return appendText(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float64:
		return appendFloat(dst, v)
	case []any:
		return appendList(dst, v)
	case []Param:
		return appendObject(dst, v)
	}
	return dst, fmt.Errorf("%w: a value of type %T", ErrParam, v)
}

func appendList(dst []byte, list []any) ([]byte, error) {
	var err error
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = AppendParams(dst, v); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, params []Param) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i, p := range params {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendText(dst, p.Key); err != nil {
			return dst, err
		}
		if dst, err = AppendParams(append(dst, ':'), p.Value); err != nil {
			return dst, fmt.Errorf("%s: %w", p.Key, err)
		}
	}
	return append(dst, '}'), nil
}

// appendFloat writes the shortest digits that read back equal, in the form that
// JavaScript has made usual: very small and very large numbers have an exponent,
// without zeros before it.
func appendFloat(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, fmt.Errorf("%w: the number %v", ErrParam, f)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if n := len(dst); dst[n-2] == '0' && dst[n-3] == '-' { // e-09
			dst = append(dst[:n-2], dst[n-1])
		}
		return dst, nil
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
}

func appendText(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return dst, fmt.Errorf("%w: %q is not UTF-8", ErrParam, s)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		dst = appendEscaped(dst, s[i])
	}
	return append(dst, '"'), nil
}

// escapes are the bytes that have a short form.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

func appendEscaped(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	if e := escapes[c]; e != 0 {
		return append(dst, '\\', e)
	}
	if c < ' ' {
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(dst, c)
}
