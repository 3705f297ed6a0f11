package route

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/rules"
)

// found are the positions that the index gives for a request.
func found(x *ruleIndex, r *Request) []int { return appendFound(nil, x, r) }

func appendFound(all []int, x *ruleIndex, r *Request) []int {
	var c ruleCursor
	x.begin(&c, r)
	for i, ok := x.next(&c); ok; i, ok = x.next(&c) {
		all = append(all, i)
	}
	return all
}

// naiveFound looks at one rule after the other.
func naiveFound(all []rules.Requires, r *Request) (positions []int) {
	for i, q := range all {
		path := string(r.Path)
		switch {
		case q.Methods != nil && !slices.Contains(q.Methods, string(r.Method)):
		case q.Hosts != nil && !slices.Contains(q.Hosts, string(r.Host)):
		case !strings.HasPrefix(path, q.Path) || q.PathIs && path != q.Path:
		default:
			positions = append(positions, i)
		}
	}
	return positions
}

var (
	genRulePath = rapid.StringMatching(`(/|/a|b|/ab){0,4}`)
	genRequires = rapid.Custom(func(t *rapid.T) rules.Requires {
		return rules.Requires{
			Methods: rapid.SampledFrom([][]string{nil, nil, {"GET"}, {"GET", "POST"}, {"PUT", "GET", "PUT"}}).Draw(t, "methods"),
			Hosts:   rapid.SampledFrom([][]string{nil, nil, {"h"}, {"h", "i"}, {"i", "h", "i"}}).Draw(t, "hosts"),
			Path:    genRulePath.Draw(t, "path"),
			PathIs:  rapid.Bool().Draw(t, "whole"),
		}
	})
)

// The index gives the rules whose requirements hold, in their order, each once,
// and no others. What it leaves out has a reason.
func TestIndexFindsWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(genRequires, 0, 80).Draw(t, "rules")
		x := newRuleIndex(all)
		for range 5 {
			r := &Request{
				Method: []byte(rapid.SampledFrom([]string{"GET", "POST", "PUT", "X"}).Draw(t, "method")),
				Host:   []byte(rapid.SampledFrom([]string{"h", "i", "j", ""}).Draw(t, "host")),
				Path:   []byte(genRulePath.Draw(t, "path")),
			}
			want := naiveFound(all, r)
			got := found(x, r)
			if !slices.Equal(got, want) {
				t.Errorf("found %v, want %v, for %s %s%s of %+v", got, want, r.Method, r.Host, r.Path, all)
			}
			for i, q := range all {
				if why := skipReason(q, r); !slices.Contains(want, i) && why == "only for " {
					t.Errorf("%+v is skipped for %s %s%s without a reason", q, r.Method, r.Host, r.Path)
				}
			}
		}
	})
}

func TestCandidates(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []rules.Requires
		r     string // method, host and path
		want  []int
	}{
		{"no rule", nil, "GET h /", nil},
		{"no requirement", []rules.Requires{{}, {}}, "GET h /", []int{0, 1}},
		{"a prefix is of the text, not of segments", []rules.Requires{{Path: "/sh"}, {Path: "/shop/"}}, "GET h /shop", []int{0}},
		{"a whole path", []rules.Requires{{Path: "/a", PathIs: true}, {Path: "/a"}}, "GET h /a/b", []int{1}},
		{"the order is that of the rules", []rules.Requires{{Path: "/a/b"}, {}, {Path: "/a"}, {Hosts: []string{"h"}}, {Path: "/a/b"}}, "GET h /a/b", []int{0, 1, 2, 3, 4}},
		{"a host written twice", []rules.Requires{{Hosts: []string{"h", "h"}}, {}}, "GET h /", []int{0, 1}},
		{"a method written twice", []rules.Requires{{Methods: []string{"GET", "PUT", "GET"}}, {}}, "GET h /", []int{0, 1}},
		{"none of these hosts", []rules.Requires{{Hosts: []string{}}}, "GET h /", nil},
		{"methods are told apart by case", []rules.Requires{{Methods: []string{"get"}}}, "GET h /", nil},
		{"texts that part inside a segment", []rules.Requires{{Path: "/abc"}, {Path: "/abd"}, {Path: "/ab"}, {Path: "/"}}, "GET h /abd", []int{1, 2, 3}},
	} {
		f := strings.Fields(tt.r)
		r := &Request{Method: []byte(f[0]), Host: []byte(f[1]), Path: []byte(f[2])}
		if got := found(newRuleIndex(tt.rules), r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: found %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A rule that names a host twice is looked at once, and the trace has it and those
// after it in their places.
func TestRuleWithAHostTwiceIsTracedOnce(t *testing.T) {
	o := farmOptions()
	o.Rules = []Rule{
		{Name: "twice", Site: -1, Action: Reject, When: when(t, `host in ["h", "h"] and header("x") == "y"`)},
		{Name: "all", Site: -1, Action: Reject},
	}
	tr := new(Trace)
	Decide(mustNew(t, o), &Request{Method: []byte("GET"), Host: []byte("h"), Path: []byte("/")}, nil, noon, tr)
	if len(tr.Rules) != 2 || tr.Rules[0].Value != False || tr.Rules[1].Value != True {
		t.Errorf("the trace has %+v, want a rule that is false and one that is true", tr.Rules)
	}
}

func TestSkipReasons(t *testing.T) {
	for _, tt := range []struct {
		q    rules.Requires
		want string
	}{
		{rules.Requires{Hosts: []string{"a", "b"}, Path: "/x", Methods: []string{"PUT"}}, "only for host a, b"},
		{rules.Requires{Hosts: []string{"h"}, Path: "/x", Methods: []string{"PUT"}}, "only for paths that begin with /x"},
		{rules.Requires{Path: "/", PathIs: true}, "only for path /"},
		{rules.Requires{Path: "/a", Methods: []string{"PUT", "POST"}}, "only for PUT, POST"},
	} {
		if got := skipReason(tt.q, &Request{Method: []byte("GET"), Host: []byte("h"), Path: []byte("/a/b")}); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.q, got, tt.want)
		}
	}
}

// nested are rules for paths that begin with each other, in no order, some of
// them for a host or a method only, and a request that comes by all of them.
func nested(depth int) ([]rules.Requires, *Request) {
	all := make([]rules.Requires, 0, 4*depth)
	for i := range depth {
		path := strings.Repeat("/x", (i*7)%depth+1)
		all = append(all, rules.Requires{Path: path}, rules.Requires{Path: path, Methods: []string{"GET"}},
			rules.Requires{Path: path, Hosts: []string{"h"}}, rules.Requires{Path: path, Methods: []string{"PUT"}})
	}
	return all, &Request{Method: []byte("GET"), Host: []byte("h"), Path: []byte(strings.Repeat("/x", depth))}
}

// A request that comes by more lists than a cursor holds gets the same candidates.
func TestIndexOfManyNestedPaths(t *testing.T) {
	for _, depth := range []int{1, cursorLists / 3, cursorLists/3 + 1, cursorLists, 3*cursorLists - 1} {
		all, r := nested(depth)
		x := newRuleIndex(all)
		want := naiveFound(all, r)
		if got := found(x, r); !slices.Equal(got, want) || len(got) != 3*depth {
			t.Errorf("%d deep: found %v, want %v", depth, got, want)
		}
		var c ruleCursor
		x.begin(&c, r)
		for range want {
			x.next(&c)
		}
		for range 2 {
			if i, ok := x.next(&c); ok {
				t.Errorf("%d deep: %d comes after the last", depth, i)
			}
		}
	}
}

// many are n rules that fit no request of a shape, and 5 that fit every one.
func many(n int, of func(i int) rules.Requires) *ruleIndex {
	all := make([]rules.Requires, 0, n+5)
	for i := range n {
		all = append(all, of(i))
	}
	return newRuleIndex(append(all, make([]rules.Requires, 5)...))
}

// shapes are rules that do not fit probe, each in another way.
var shapes = []struct {
	name string
	of   func(i int) rules.Requires
}{
	{"paths", func(i int) rules.Requires { return rules.Requires{Path: fmt.Sprintf("/app%d/", 100+i)} }},
	{"whole paths", func(i int) rules.Requires { return rules.Requires{Path: fmt.Sprintf("/app%d", i), PathIs: true} }},
	{"nested paths", func(i int) rules.Requires { return rules.Requires{Path: "/app7/" + strings.Repeat("z", i%1000+1)} }},
	{"hosts", func(i int) rules.Requires { return rules.Requires{Hosts: []string{fmt.Sprint("h", i)}} }},
	{"methods", func(int) rules.Requires { return rules.Requires{Methods: []string{"POST", "PUT"}} }},
	{"all of it", func(i int) rules.Requires {
		return rules.Requires{Hosts: []string{"h"}, Methods: []string{"PUT"}, Path: fmt.Sprintf("/app%d/", i)}
	}},
}

// probe is a request that all shapes are for. It has a byte more than nested paths.
func probe() *Request {
	return &Request{Method: []byte("GET"), Host: []byte("h"), Path: []byte("/app7/~")}
}

// 10,000 rules that do not fit cost no more than twice what 10 do: medians of
// rounds in turns, since machines are noisy, and the best of three tries.
func TestManyRulesCostAsFew(t *testing.T) {
	r, buffer := probe(), make([]int, 0, 8)
	took := func(x *ruleIndex) time.Duration {
		began := time.Now()
		for range 1000 {
			if len(appendFound(buffer, x, r)) != 5 {
				t.Fatal("not all were found, or too many")
			}
		}
		return time.Since(began)
	}
	for _, s := range shapes {
		few, lots := many(10, s.of), many(10_000, s.of)
		ratio := 100.0
		for try := 0; try < 3 && ratio > 2; try++ {
			var a, b [15]time.Duration
			for i := range a {
				a[i], b[i] = took(few), took(lots)
			}
			slices.Sort(a[:])
			slices.Sort(b[:])
			ratio = min(ratio, float64(b[len(b)/2])/float64(a[len(a)/2]))
		}
		if ratio > 2 {
			t.Errorf("%s: 10,000 rules take %.1f times as long as 10", s.name, ratio)
		}
	}
}

func TestIndexAllocsNothing(t *testing.T) {
	all, deep := nested(2 * cursorLists)
	for _, tt := range []struct {
		name string
		x    *ruleIndex
		r    *Request
	}{
		{"few lists", many(100, shapes[0].of), probe()},
		{"many lists", newRuleIndex(all), deep},
	} {
		buffer := make([]int, 0, 4*len(all))
		if n := testing.AllocsPerRun(100, func() { appendFound(buffer, tt.x, tt.r) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", tt.name, n)
		}
	}
}

// BenchmarkRuleIndex has a budget of 200 ns/op and 0 allocs/op for 5 candidates
// among 50 rules; 10,000 rules within 2 times of 10.
func BenchmarkRuleIndex(b *testing.B) {
	r, buffer := probe(), make([]int, 0, 8)
	for _, s := range shapes {
		for _, n := range []int{10, 50, 10_000} {
			x := many(n-5, s.of)
			b.Run(fmt.Sprintf("%s %d", s.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					appendFound(buffer, x, r)
				}
			})
		}
	}
}

// BenchmarkNestedRules has a budget of 100 µs/op and 0 allocs/op for 60 candidates
// from nearly four times as many lists as a cursor holds.
func BenchmarkNestedRules(b *testing.B) {
	all, r := nested(20)
	x, buffer := newRuleIndex(all), make([]int, 0, 80)
	b.ReportAllocs()
	for b.Loop() {
		appendFound(buffer, x, r)
	}
}
