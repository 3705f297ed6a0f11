package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weirkeep/abi"
)

// kindExports says which exports each kind is called by.
func kindExports() string {
	var all []string
	for _, k := range abi.Kinds {
		var names []string
		for _, e := range abi.Exports {
			if e.Presence == abi.Required && slices.Contains(e.Kinds, k) {
				names = append(names, code(e.Name))
			}
		}
		all = append(all, string(k)+" "+strings.Join(names, " or "))
	}
	return strings.Join(all, "; ")
}

// signature writes a type as (a i32, b i64) → i32.
func signature(args []abi.Argument, result abi.ValueType) string {
	var all []string
	for _, a := range args {
		all = append(all, a.Name+" "+string(a.Type))
	}
	s := "(" + strings.Join(all, ", ") + ")"
	if result != "" {
		s += " → " + string(result)
	}
	return s
}

func exports() *markdown {
	m := newMarkdown("export", "type", "kinds", "must be there", "what it does", "returns")
	for _, e := range abi.Exports {
		must := "no"
		if e.Presence == abi.Required {
			must = "yes"
		}
		if e.When != "" {
			must += "; " + e.When
		}
		m.row(code(e.Name), signature(e.Args, e.Result), kindsText(e.Kinds), must, e.Does, e.Returns)
	}
	return m
}

func tokens() *markdown {
	m := newMarkdown("token", "bit", "default", "kinds", "shows")
	for _, t := range abi.Tokens {
		name, standard := code(t.Name), ""
		if strings.HasSuffix(t.Name, ":") {
			name = code(strconv.Quote(t.Name + "NAME"))
		}
		if t.Default {
			standard = "yes"
		}
		m.row(name, strconv.Itoa(int(t.Bit)), standard, kindsText(t.Kinds), t.Text)
	}
	return m
}

func codes(names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, code(n))
	}
	return strings.Join(all, ", ")
}

func withheld() string { return codes(abi.WithheldHeaders) }

// refused are the names that no operation may have.
func refused() string {
	return codes(abi.RefusedNames) + ", and all that begin with `proxy-`, in any case of their letters"
}

// hopByHop are the fields that end at a hop.
func hopByHop() string { return codes(abi.HopNames) + ", `proxy-…`" }

// callNames are the calls that operations stand in, as the table says them.
var callNames = []struct {
	call abi.Call
	name string
}{{abi.OnRequest, "request"}, {abi.OnResponse, "response"}, {abi.OnStore, "store"}, {abi.HTTPCall, "`http_call`"}}

func operations() *markdown {
	m := newMarkdown("code", "operation", "key", "value", "stands in", "what it does")
	for _, o := range abi.Ops {
		var calls []string
		for _, c := range callNames {
			if o.Calls&c.call != 0 {
				calls = append(calls, c.name)
			}
		}
		where := strings.Join(calls, ", ")
		if o.Once {
			where += "; once"
		}
		m.row(strconv.Itoa(int(o.Code)), o.Name, o.Key, o.Value, where, o.Does)
	}
	return m
}

func errorCodes() *markdown {
	m := newMarkdown("code", "name", "")
	for _, e := range abi.ErrorCodes {
		m.row("−"+strconv.Itoa(-int(e.Code)), e.Name, e.Text)
	}
	return m
}

func hosts() *markdown {
	m := newMarkdown("function", "type", "kinds", "granted by", "what it does")
	for _, f := range abi.HostFunctions {
		grant := ""
		if f.Grant != "" {
			grant = code(f.Grant)
		}
		m.row(code(f.Name), signature(f.Args, f.Result), kindsText(f.Kinds), grant, f.Does)
	}
	return m
}

func properties() *markdown {
	m := newMarkdown("property", "needs", "has a value in", "")
	for _, p := range abi.Properties {
		needs := ""
		if p.Needs != "" {
			needs = code(p.Needs)
		}
		m.row(code(p.Name), needs, p.Where, p.Text)
	}
	return m
}

func wasi() *markdown {
	m := newMarkdown("function", "type", "what it does")
	for _, f := range abi.WASIFunctions {
		m.row(code(f.Name), signature(f.Args, f.Result), f.Does)
	}
	return m
}

func errnos() string {
	return fmt.Sprintf("%d done, %d bad descriptor, %d invalid, %d not supported, %d no seek",
		abi.ErrnoDone, abi.ErrnoBadFile, abi.ErrnoInvalid, abi.ErrnoUnsupported, abi.ErrnoNoSeek)
}

func weights() *markdown {
	m := newMarkdown("weight", "instructions", "plus")
	for _, w := range abi.Weights {
		m.row(group3(int64(w.Fuel)), w.Instructions, w.More)
	}
	return m
}

// amount writes a number of a bound.
func amount(n int64, u abi.Unit) string {
	switch {
	case n == 0:
		return "–"
	case u == abi.Bytes && n%(1<<30) == 0:
		return group3(n>>30) + " GiB"
	case u == abi.Bytes && n%(1<<20) == 0:
		return group3(n>>20) + " MiB"
	case u == abi.Bytes && n%(1<<10) == 0:
		return group3(n>>10) + " KiB"
	case u == abi.MS:
		return group3(n) + " ms"
	}
	return group3(n)
}

func limits() *markdown {
	m := newMarkdown("limit", "key", "default", "at most", "beyond it")
	for _, l := range abi.Limits {
		key, standard := "", l.Text
		if l.Key != "" {
			key = code(l.Key)
		}
		if standard == "" {
			standard = amount(l.Default, l.Unit)
		}
		if l.GoDefault != 0 {
			standard += "; a Go guest: " + amount(l.GoDefault, l.Unit)
		}
		m.row(l.Name, key, standard, amount(l.Max, l.Unit), l.Over)
	}
	return m
}

func moduleLimits() *markdown {
	m := newMarkdown("what", "at most")
	for _, l := range abi.ModuleLimits {
		m.row(l.Name, amount(l.Max, l.Unit))
	}
	return m
}

func faults() *markdown {
	m := newMarkdown("kind", "what happened", "what the host does")
	for _, f := range abi.Faults {
		m.row(code(string(f.Kind)), f.What, f.Host)
	}
	return m
}

func policies() *markdown {
	m := newMarkdown("kind", "`on_error`", "what becomes of the exchange")
	for _, p := range abi.Policies {
		value := code(p.Value)
		if p.Default {
			value += " (default)"
		}
		m.row(string(p.Kind), value, p.Text)
	}
	return m
}
