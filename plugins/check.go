package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
	"weirkeep/plugins/meter"
)

// checker collects what is wrong with a plugin.
type checker struct {
	c        Config
	m        *meter.Module
	problems Problems
}

// check looks at module and configuration, all of it, and meters the module.
func check(c Config) (*meter.Metered, Problems) {
	guess := c.Limits.orDefaults(false)
	o := meter.Options{InitFuel: guess.InitFuel, Depth: guess.Depth}
	if c.Limits.Memory != 0 {
		o.MemoryPages = guess.pages()
	}
	metered, err := meter.Meter(c.Wasm, o)
	k := &checker{c: c}
	if problems, ok := errors.AsType[Problems](err); ok {
		k.problems = append(k.problems, problems...)
	} else if err != nil {
		k.fail("", "%v", err)
	}
	if metered != nil {
		k.m = metered.Module
	}
	k.sum()
	k.limits()
	if k.m != nil {
		k.version()
		k.exports()
		k.ofKind()
		k.imports()
		k.configuration()
	}
	return metered, k.problems
}

// sum compares the module with what was meant.
func (k *checker) sum() {
	sum := sha256.Sum256(k.c.Wasm)
	if got := hex.EncodeToString(sum[:]); k.c.SHA256 != "" && !strings.EqualFold(k.c.SHA256, got) {
		k.fail("look whether it is the right file; if it is, write this sum", "sha256: the module has %s, and the configuration says %s", got, k.c.SHA256)
	}
}

func (k *checker) fail(cure, what string, args ...any) {
	k.problems = append(k.problems, Problem{What: fmt.Sprintf(what, args...), Cure: cure})
}

// exported finds a function that is exported.
func (k *checker) exported(name string) *meter.Export {
	for i := range k.m.Exports {
		if x := &k.m.Exports[i]; x.Name == name && x.Kind == meter.Function {
			return x
		}
	}
	return nil
}

// version looks for what makes a module a guest of gw1.
func (k *checker) version() {
	switch m := k.m.Memory; {
	case m == nil:
		k.fail("a guest has a memory of its own, exported as memory", "there is no memory")
	case m.Imported:
		k.fail("link it with a memory of its own", "the memory is imported")
	case m.Export != "memory":
		k.fail("export it as memory", "the memory is not exported as memory")
	}
	if k.exported(versionExport) == nil {
		k.noVersion()
	}
	if k.exported(bufferExport) == nil {
		k.fail("export gw_buffer (i32) -> i32, which returns the address of so many bytes", "there is no gw_buffer")
	}
	if start := k.exported("_start"); start != nil && k.exported(initExport) == nil {
		k.fail("build a reactor: -mexec-model=reactor for C, -buildmode=c-shared for Go, crate-type cdylib for Rust", "it is a command: it has _start, which is never called, and no _initialize")
	}
}

func (k *checker) noVersion() {
	for _, x := range k.m.Exports {
		if major, other := strings.CutPrefix(x.Name, "gw_abi_"); other {
			k.fail("build it with an SDK of gw1", "there is no gw_abi_1 but gw_abi_%s: it is a guest of gw%[1]s, and this gateway runs gw1", major)
			return
		}
	}
	k.fail("export gw_abi_1 () -> i32, which returns 0; the SDKs do", "there is no gw_abi_1: it is no guest of gw1")
}

// exports looks at the types and names of all exports.
func (k *checker) exports() {
	for _, x := range k.m.Exports {
		e := abi.ExportOf(x.Name)
		switch {
		case e == nil:
			k.otherExport(x.Name)
		case x.Kind != meter.Function:
			k.fail("export the function by that name", "%s is exported, and is no function", x.Name)
		case x.Imported:
			k.fail("export a function of the guest by that name", "%s is exported, and is a function that it imports, handed on", x.Name)
		case !sameType(x.Type, params(e.Args), results(e.Result)):
			k.fail("", "%s has the type %s, must have %s", x.Name, x.Type, typeText(params(e.Args), results(e.Result)))
		}
	}
}

// otherExport looks at the name of an export that the contract does not know.
func (k *checker) otherExport(name string) {
	if strings.HasPrefix(name, "gw_") && !strings.HasPrefix(name, "gw_abi_") {
		k.fail("names that begin with gw_ are reserved: correct or rename it", "%s is exported, and gw1 has no such function%s", name, nearestExport(name))
	}
}

// ofKind looks for the exports of the plugin's kind.
func (k *checker) ofKind() {
	has := func(names ...string) (n int) {
		for _, name := range names {
			if k.exported(name) != nil {
				n++
			}
		}
		return n
	}
	switch k.c.Kind {
	case Router:
		if has(routeExport, namesExport) != 1 {
			k.fail("export one of the two", "a router exports gw_route or gw_route_names, and this has %d of them", has(routeExport, namesExport))
		}
	case Matcher:
		k.needsOne(has(matchExport), "a matcher exports gw_match")
	case Collector:
		k.needsOne(has(collectExport), "a collector exports gw_collect")
	case Filter:
		k.needsOne(has(requestExport, responseExport), "a filter exports gw_on_request, gw_on_response, or both")
	case anyKind:
		k.fail("export gw_route, gw_match, gw_collect, gw_on_request or gw_on_response", "it serves no kind of plugin")
	default:
		k.fail("write router, collector, matcher or filter", "there is no kind %q", k.c.Kind)
	}
}

func (k *checker) needsOne(n int, what string) {
	if n == 0 {
		k.fail("export it, or correct the plugin's kind", "%s, and this does not", what)
	}
}

// imports looks at what the module wants of the host.
func (k *checker) imports() {
	for _, i := range k.m.Imports {
		f := hostFunctionOf(i.Module, i.Name)
		switch {
		case i.Kind != meter.Function:
			k.fail("a guest imports functions only", "it imports %s.%s, which is no function", i.Module, i.Name)
		case f == nil:
			k.fail(importCure(i.Module), "it imports %s.%s, which this host does not have%s", i.Module, i.Name, nearestImport(i.Module, i.Name))
		case !sameType(i.Type, params(f.Args), results(f.Result)):
			k.fail("", "it imports %s.%s with the type %s, must be %s", i.Module, i.Name, i.Type, typeText(params(f.Args), results(f.Result)))
		default:
			k.granted(f)
		}
	}
}

func importCure(module string) string {
	switch module {
	case abi.Module:
		return "correct the name, or use a gateway of a later version"
	case abi.WASIModule:
		return "there are no files, no network and no environment: take away what uses it"
	}
	return "guests import from gw1 and " + abi.WASIModule + " only"
}

// granted looks whether the configuration grants a host function.
func (k *checker) granted(f *abi.HostFunction) {
	switch {
	case k.c.Kind == Matcher && !f.AllowedFor(abi.Matcher):
		k.fail("a matcher's answer depends on view and params alone: take it away", "it imports gw1.%s, which matchers may not", f.Name)
	case f.Grant == "kv" && k.c.KV == 0:
		k.fail("write kv: 1MiB, or another size", "it imports gw1.%s, and kv is not granted", f.Name)
	case f.Grant == "http" && len(k.c.HTTP) == 0:
		k.fail("write http: with what it may reach", "it imports gw1.%s, and http is not granted", f.Name)
	case f.Grant == "http" && k.exported(answerExport) == nil:
		k.fail("export gw_on_http_response, which gets the answers", "it imports gw1.%s, and has no gw_on_http_response", f.Name)
	}
}

// configuration looks whether the keys fit the module.
func (k *checker) configuration() {
	if k.c.Params != nil && k.exported(configureExport) == nil {
		k.fail("take params away, or export gw_configure", "there are params, and the module has no gw_configure")
	}
	if k.c.Tick > 0 && k.exported(tickExport) == nil {
		k.fail("take tick away, or export gw_tick", "there is a tick, and the module has no gw_tick")
	}
	k.needs()
	k.onError()
}

// limits looks for what is out of range.
func (k *checker) limits() {
	l := &k.c.Limits
	for _, limit := range [...]struct {
		key         string
		value, most int64
	}{
		{"limits.memory", l.Memory, 1 << 30},
		{"limits.fuel", l.Fuel, 32_000_000},
		{"limits.init_fuel", l.InitFuel, 64_000_000},
		{"limits.depth", int64(l.Depth), 4000},
		{"limits.instances", int64(l.Instances), 1024},
		{"limits.wait in ns", int64(l.Wait), int64(time.Second)},
		{"limits.view", int64(l.View), 1 << 20},
		{"limits.body", int64(l.Body), 1 << 20},
		{"limits.log_rate", int64(l.LogRate), math.MaxInt32},
		{"kv", k.c.KV, 64 << 20},
		{"tick in ns", int64(k.c.Tick), math.MaxInt64},
	} {
		if limit.value < 0 || limit.value > limit.most {
			k.fail("", "%s is %d, must be 0 to %d", limit.key, limit.value, limit.most)
		}
	}
}

// needs looks at what the plugin is to be shown.
func (k *checker) needs() {
	n, unknown := ParseNeeds(k.c.Kind, k.c.needs())
	for _, token := range unknown {
		k.fail("there are method, scheme, host, path, query, target, client, session, site, origins, headers, body, body-prefix, header:NAME, cookie:NAME", "needs has %q, which is nothing that can be shown", token)
	}
	switch {
	case k.c.Kind == Collector && len(k.c.Needs) > 0:
		k.fail("take it away", "needs: collectors are shown nothing of exchanges")
	case k.c.Kind == Matcher && n.has(NeedBody):
		k.fail("take it away: matchers are asked before the body is read", "needs has body, which matchers are not shown")
	}
	if k.c.Kind != Router && slices.Contains(k.c.Needs, "origins") {
		k.fail("take it away: origins are for routers", "needs has origins, which a %s is not shown", k.c.Kind)
	}
}

// Policies are the values of on_error by kind; the first is the default where there
// is one.
var Policies = map[Kind][]string{
	Router:    {"default-balancer", "reject"},
	Collector: {"default", "keep", "down"},
	Filter:    {"skip", "reject"},
	Matcher:   {"match", "no-match"},
}

// MustSay reports whether a kind's on_error has no default.
func (k Kind) MustSay() bool { return k == Filter || k == Matcher }

func (k *checker) onError() {
	all := Policies[k.c.Kind]
	if k.c.OnError != "" && all != nil && !slices.Contains(all, k.c.OnError) {
		k.fail("write "+strings.Join(all, " or "), "on_error is %q, which is no value of a %s", k.c.OnError, k.c.Kind)
	}
}

func sameType(t meter.FuncType, params, results []engine.ValueType) bool {
	return sameTypes(t.Params, params) && sameTypes(t.Results, results)
}

func sameTypes(a []meter.ValueType, b []engine.ValueType) bool {
	return slices.EqualFunc(a, b, func(x meter.ValueType, y engine.ValueType) bool { return byte(x) == byte(y) })
}

// typeText is a type as modules are written: (i32, i32) -> i32.
func typeText(params, results []engine.ValueType) string {
	list := func(all []engine.ValueType) string {
		var names []string
		for _, t := range all {
			names = append(names, t.String())
		}
		return strings.Join(names, ", ")
	}
	out := list(results)
	if out == "" {
		out = "()"
	}
	return "(" + list(params) + ") -> " + out
}
