package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/abi"
	"weirkeep/gateway/unit"
)

// reader reads the value of a key.
type reader = func(f *yamlFile, n ast.Node, what string)

func textInto(into *string) reader {
	return func(f *yamlFile, n ast.Node, what string) { *into, _ = f.text(n, what) }
}

// bytesInto reads a text that is there, even if it is empty.
func bytesInto(into *[]byte) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		if text, ok := f.text(n, what); ok {
			*into = append([]byte{}, text...)
		}
	}
}

func textsInto(into *[]string) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		*into = []string{}
		f.list(n, what, func(n ast.Node, what string) {
			text, _ := f.text(n, what)
			*into = append(*into, text)
		})
	}
}

func truthInto(into *bool) reader {
	return func(f *yamlFile, n ast.Node, what string) { *into = f.oneOf(n, what, "true", "false") == "true" }
}

// number is any type of whole number that a view has.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int | ~int32 | ~int64
}

// numberInto reads a whole number up to a bound.
func numberInto[N number](into *N, most uint64) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		text, ok := f.text(n, what)
		v, err := strconv.ParseUint(text, 0, 64)
		if ok && (err != nil || v > most) {
			f.fail(n, "E110", fmt.Sprintf("%s is %q, must be a whole number of 0..%d", what, text, most), "")
			return
		}
		*into = N(v)
	}
}

// sizeInto reads a size, as 16MiB.
func sizeInto[N number](into *N) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		var size unit.Size
		if text, ok := f.text(n, what); ok {
			if err := size.UnmarshalText([]byte(text)); err != nil {
				f.fail(n, "E111", what+": "+err.Error(), "for example 1MiB")
			}
		}
		*into = N(size)
	}
}

// spanInto reads a duration, in a unit: as 10s in milliseconds.
func spanInto[N number](into *N, in time.Duration) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		var d unit.Duration
		if text, ok := f.text(n, what); ok {
			if err := d.UnmarshalText([]byte(text)); err != nil {
				f.fail(n, "E111", what+": "+err.Error(), "for example 10ms")
			}
		}
		*into = N(time.Duration(d) / in)
	}
}

// wordInto reads a word that stands for a number.
func wordInto(into *uint8, words []string) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		word := f.oneOf(n, what, words...)
		for i, w := range words {
			if w == word {
				*into = uint8(i)
			}
		}
	}
}

// paramsInto reads params, and makes of them what guests get.
func paramsInto(into *[]byte) reader {
	return func(f *yamlFile, n ast.Node, what string) {
		if !f.isMap(n) {
			f.fail(n, "E104", what+" must be a map of keys", "")
			return
		}
		text, err := abi.AppendParams([]byte{}, f.param(n, what))
		if err != nil {
			f.fail(n, "E112", what+": "+err.Error(), "")
		}
		*into = text
	}
}

// param reads a value of params.
func (f *yamlFile) param(n ast.Node, what string) any {
	if _, null := n.(*ast.NullNode); null {
		return nil
	}
	switch v := f.resolve(n, what).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		object := []abi.Param{}
		f.entries(v, what, func(key string, _, value ast.Node) {
			object = append(object, abi.Param{Key: key, Value: f.param(value, what+"."+key)})
		})
		return object
	case *ast.SequenceNode:
		all := []any{}
		f.list(v, what, func(n ast.Node, what string) { all = append(all, f.param(n, what)) })
		return all
	case *ast.IntegerNode:
		return v.Value // int64 or uint64
	case *ast.FloatNode:
		return v.Value
	case *ast.BoolNode:
		return v.Value
	case nil:
		return nil
	default:
		text, _ := f.text(v, what)
		return text
	}
}
