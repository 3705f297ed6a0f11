package cache

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// value returns what a field may have of some bytes, and whether that is all of them.
func value(b []byte) ([]byte, bool) { return b, wire.IsValue(b) && len(wire.TrimBlanks(b)) == len(b) }

var simpleDirective = regexp.MustCompile("^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:=([!#$%&'*+.^_`|~0-9A-Za-z-]+))?$")

// naiveControl reads a Cache-Control without quotes.
func naiveControl(text string) (c control) {
	c.there = true
	for _, m := range strings.Split(text, ",") {
		m = strings.Trim(m, " \t")
		name := m[:tokenLength([]byte(m))]
		parts := simpleDirective.FindStringSubmatch(m)
		for _, k := range known {
			if !strings.EqualFold(k.name, name) {
				continue
			}
			switch {
			case k.flag&restrictive != 0, k.flag != 0 && parts != nil && !strings.Contains(m, "="):
				c.flags |= k.flag
			case k.flag == 0 && !c.times[k.time].given:
				c.times[k.time] = naiveSeconds(parts, strings.Contains(m, "="))
			}
		}
	}
	return c
}

func naiveSeconds(parts []string, hasArgument bool) seconds {
	s := seconds{given: true, bare: parts != nil && !hasArgument}
	if parts == nil || !regexp.MustCompile("^[0-9]+$").MatchString(parts[2]) {
		return s
	}
	n, _ := new(big.Int).SetString(parts[2], 10)
	s.valid, s.d = true, longest
	if n.Cmp(big.NewInt(int64(longest/time.Second))) < 0 {
		s.d = time.Duration(n.Int64()) * time.Second
	}
	return s
}

// FuzzControl: without quotes it is read like a plain reader does; a line is read the
// same whether what stands before it is on its own line or not, and a quoted string
// hides what is in it.
func FuzzControl(f *testing.F) {
	for _, seed := range []string{
		"max-age=60", "no-store,private", `note="max-age=900, no-store", max-age=1`, "max-age = 60, s-maxage= 1", `a="\"", max-age=1`,
		"max-age=99999999999999999999, max-stale", `no-cache="x, y", public`, `max-age="60`, ",,\t,must-understand=1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := value([]byte(text)); !ok {
			t.Skip()
		}
		var c control
		c.read([]byte(text))
		if !strings.Contains(text, `"`) {
			if want := naiveControl(text); c != want {
				t.Fatalf("%q is %+v, want %+v", text, c, want)
			}
		}
		var one, two control
		two.read([]byte("max-age=7"))
		two.read([]byte(text))
		one.read([]byte("max-age=7," + text))
		if one != two {
			t.Fatalf("%q: on one line %+v, on two %+v", text, one, two)
		}
		if !strings.ContainsAny(text, `"\`) {
			var hidden control
			hidden.read([]byte(`x="` + text + `"`))
			if hidden != (control{there: true}) {
				t.Fatalf("%q is seen in quotes: %+v", text, hidden)
			}
		}
	})
}

// members returns the members of a dictionary, and whether it is one.
func members(text string) (list []string, ok bool) {
	d := dictionary{rest: []byte(text)}
	for {
		key, v, more := d.next()
		if !more {
			return list, !d.bad
		}
		list = append(list, fmt.Sprintf("%s %v", key, v))
	}
}

// FuzzDictionary: two dictionaries that are read stay what they are when they are joined,
// a dictionary has no byte but printable ones and blanks, and reading always ends.
func FuzzDictionary(f *testing.F) {
	for _, seed := range []string{
		"max-age=60", "a, b=?0, c=?1;x=1", `a="\"x\\", b=:aGk=:, c=(1 "2" t;q);z, d=-1.5, *e=*t:/`, "a=1,", "a=1 , b", "A=1", "a=9999999999999999",
		"a=\"\\x\"", "a=(1  2 )", "a=1.", "a=()", "  a  ",
	} {
		f.Add(seed, "no-store")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		first, ok := members(a)
		if !ok {
			return
		}
		for _, c := range []byte(a) {
			if (c < ' ' || c > '~') && c != '\t' {
				t.Fatalf("%q is a dictionary", a)
			}
		}
		a, b = strings.Trim(a, " "), strings.Trim(b, " ")
		second, ok := members(b)
		if !ok || len(first) == 0 || len(second) == 0 {
			return
		}
		joined, ok := members(a + ", " + b)
		if want := append(first, second...); !ok || !slices.Equal(joined, want) {
			t.Fatalf("%q and %q together are %q, %v, want %q", a, b, joined, ok, want)
		}
	})
}

// FuzzDate: what is a date is the one that the standard library reads of it once names
// have their usual case, and is read the same when it is written anew.
func FuzzDate(f *testing.F) {
	for _, seed := range []string{
		"Fri, 05 May 2045 10:00:00 GMT", "FRIDAY, 05-may-45 10:00:00 gmt", "Fri May  5 10:00:00 2045", "Fri May 15 10:00:00 2045",
		"Sat, 31 Dec 2016 23:59:60 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "Fri, 5 May 2045 10:00:00 GMT",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseDate([]byte(text), epoch)
		if !ok {
			return
		}
		if again, ok := parseDate(appendDate(nil, got), epoch); !ok || !again.Equal(got) {
			t.Fatalf("%q is %v, and written anew %v", text, got, again)
		}
		if want := naiveDate(t, text); !got.Equal(want) {
			t.Fatalf("%q is %v, want %v", text, got, want)
		}
	})
}

// naiveDate reads a date with the standard library.
func naiveDate(t *testing.T, text string) time.Time {
	t.Helper()
	usual := regexp.MustCompile("[A-Za-z]+").ReplaceAllStringFunc(text, func(w string) string {
		if strings.EqualFold(w, "gmt") {
			return "GMT"
		}
		return strings.ToUpper(w[:1]) + strings.ToLower(w[1:])
	})
	usual = strings.Replace(usual, ":60", ":59", strings.Count(usual[max(len(usual)-13, 0):], ":60"))
	for _, layout := range []string{imfDate, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		got, err := time.Parse(layout, usual)
		if err != nil {
			continue
		}
		if layout[6] == ',' {
			for got.Year() > epoch.Year()+50 {
				got = got.AddDate(-100, 0, 0)
			}
			for got.Year() <= epoch.Year()-50 {
				got = got.AddDate(100, 0, 0)
			}
		}
		return got
	}
	t.Fatalf("the standard library reads no date in %q", usual)
	return time.Time{}
}

// FuzzAge: the first member that is not empty counts, if it is a number.
func FuzzAge(f *testing.F) {
	for _, seed := range []string{"60", "900, 0", " , 5", "-5", "900.0", "99999999999999999999", "", "1;a", `"1"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, `"`) {
			t.Skip()
		}
		first := ""
		for _, m := range strings.Split(text, ",") {
			if first = strings.Trim(m, " \t"); first != "" {
				break
			}
		}
		want := naiveSeconds([]string{"", "", first}, true).d
		if got := parseAge([]byte(text)); got != want {
			t.Fatalf("%q is %v, want %v", text, got, want)
		}
	})
}

// FuzzVary: an answer fits the request that it was given to, one that is already written
// in the normal form, and one with each member on its own line; and where nothing is
// folded, no request but these.
func FuzzVary(f *testing.F) {
	for _, seed := range []string{
		"1, 2", `a, "b, c"`, "en;q=0.5, de", "gzip, br;q=0, identity", "*;q=0, gzip", `"`, ",", "de;q=1.000,en;q=0.", "x-gzip, GZIP", "",
	} {
		f.Add("Accept-Language", seed, seed)
		f.Add("Accept-Encoding", seed, "gzip")
		f.Add("Tier", seed, "2,1")
	}
	f.Fuzz(func(t *testing.T, name, was, next string) {
		a, ok1 := value([]byte(was))
		b, ok2 := value([]byte(next))
		if !ok1 || !ok2 || !wire.IsToken([]byte(name)) || name == "*" {
			t.Skip()
		}
		first, second := withField(name, a), withField(name, b)
		for _, p := range policies() {
			v := p.VaryBy([]string{strings.ToLower(name)}, first)
			s := &Stored{Vary: v}
			if !s.Fits(first, p) {
				t.Fatalf("%q does not fit itself: %q", was, v.Values)
			}
			if normal := withField(name, v.Values[0]); !s.Fits(normal, p) || !bytes.Equal(p.VaryBy(v.Names, normal).Values[0], v.Values[0]) {
				t.Fatalf("%q is normal as %q, and that as %q", was, v.Values[0], p.VaryBy(v.Names, normal).Values[0])
			}
			if lines := withLines(name, a); !s.Fits(lines, p) {
				t.Fatalf("%q does not fit in %d lines", was, len(lines.Fields))
			}
			if want := bytes.Equal(p.VaryBy(v.Names, second).Values[0], v.Values[0]); s.Fits(second, p) != want {
				t.Fatalf("%q fits %q: %v", was, next, !want)
			}
		}
		plain := &Policy{}
		s := &Stored{Vary: plain.VaryBy([]string{strings.ToLower(name)}, first)}
		if s.Fits(second, plain) && noBlanks(was) != noBlanks(next) {
			t.Fatalf("%q fits %q", was, next)
		}
	})
}

func noBlanks(s string) string { return strings.NewReplacer(" ", "", "\t", "").Replace(s) }

func withField(name string, value []byte) *Request {
	r := new(Request)
	r.Read([]byte("GET"), []wire.Field{{Name: []byte(name), Value: value}})
	return r
}

// withLines returns the request with each member of the list on a line of its own.
func withLines(name string, list []byte) *Request {
	r := new(Request)
	var lines []wire.Field
	for {
		end, _ := memberEnd(list)
		lines = append(lines, wire.Field{Name: []byte(name), Value: wire.TrimBlanks(list[:end])})
		if end == len(list) {
			break
		}
		list = list[end+1:]
	}
	r.Read([]byte("GET"), lines)
	return r
}

// FuzzRange: the ranges lie within the representation, there are not too many, none
// overlaps another, and together they are the bytes that a plain reader finds asked for.
func FuzzRange(f *testing.F) {
	for _, seed := range []string{
		"bytes=0-3", "bytes=-5, 1-2", "bytes=7-,3-4,5-6", "bytes=9-8", "bytes=99999999999999999999-", "lines=1-2", "bytes=" + strings.Repeat("1-1,", 20),
		"bytes=-0", "bytes=1152921504606846976-1152921504606846977", "BYTES= 1-2 ,,",
	} {
		f.Add(seed, uint8(10))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if size == 0 {
			t.Skip()
		}
		r := readRanges([]byte(text), int64(size))
		want, valid := naiveRange(text, int64(size))
		if r.valid != valid {
			t.Fatalf("%q of %d is valid: %v, want %v", text, size, r.valid, valid)
		}
		if !valid {
			return
		}
		r.join()
		got := make([]bool, size)
		for _, s := range r.spans[:r.n] {
			for i := s.First; i <= s.Last; i++ {
				if got[i] {
					t.Fatalf("%q of %d: byte %d twice in %v", text, size, i, r.spans[:r.n])
				}
				got[i] = true
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q of %d is %v", text, size, r.spans[:r.n])
		}
	})
}

var simpleRange = regexp.MustCompile(`^([0-9]*)-([0-9]*)$`)

// naiveRange returns which bytes a Range asks for, and whether it is to be heeded.
func naiveRange(text string, size int64) (bytes []bool, valid bool) {
	unit, list, ok := strings.Cut(text, "=")
	bytes = make([]bool, size)
	asked := 0
	for _, m := range strings.Split(list, ",") {
		if m = strings.Trim(m, " \t"); m == "" {
			continue
		}
		asked++
		parts := simpleRange.FindStringSubmatch(m)
		if parts == nil || m == "-" {
			return nil, false
		}
		first, last := naiveNumber(parts[1]), naiveNumber(parts[2])
		if first != nil && last != nil && first.Cmp(last) > 0 {
			return nil, false
		}
		for i := range size {
			at, back := big.NewInt(i), big.NewInt(size-i)
			suffix := first == nil && back.Cmp(last) <= 0
			if suffix || first != nil && at.Cmp(first) >= 0 && (last == nil || at.Cmp(last) <= 0) {
				bytes[i] = true
			}
		}
	}
	return bytes, ok && strings.EqualFold(unit, "bytes") && 1 <= asked && asked <= MaxSpans
}

func naiveNumber(digits string) *big.Int {
	if digits == "" {
		return nil
	}
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

// FuzzContentRange: what is read is possible, and is read the same when it is written
// anew.
func FuzzContentRange(f *testing.F) {
	for _, seed := range []string{"bytes 0-4/10", "bytes 4-9/*", "bytes */10", "bytes 0-9223372036854775807/9223372036854775807", "BYTES 007-8/9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		span, size, ok := parseContentRange([]byte(text))
		if !ok {
			return
		}
		if span.First < 0 || span.Len() < 1 || size >= 0 && span.Last >= size || size < -1 {
			t.Fatalf("%q is %v of %d", text, span, size)
		}
		again, sizeAgain, ok := parseContentRange(appendContentRange(nil, span, size))
		if !ok || again != span || sizeAgain != size {
			t.Fatalf("%q is %v of %d, and written anew %v of %d", text, span, size, again, sizeAgain)
		}
	})
}

// FuzzTags: a list of entity tags is read to its end, its tags are read the same when
// they are written one by one, and each of them is found in it.
func FuzzTags(f *testing.F) {
	for _, seed := range []string{`"a", W/"b"`, `*`, `a,b`, `"a, b\", "c"`, `W/`, `"`, ` ,, "x"`, `W/"`, `"a"b, "c"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, tags := []byte(text), [][]byte(nil)
		for len(list) > 0 {
			tag, rest := cutTag(list)
			if len(rest) >= len(list) {
				t.Fatalf("%q is not cut", list)
			}
			if list = rest; len(tag) > 0 {
				tags = append(tags, tag)
			}
		}
		for _, tag := range tags {
			if alone, rest := cutTag(tag); !bytes.Equal(alone, tag) || len(rest) > 0 {
				t.Fatalf("%q of %q is read as %q and %q", tag, text, alone, rest)
			}
			if s := (&Stored{ETag: tag}); !s.listedIn([]byte(text)) {
				t.Fatalf("%q is not found in %q", tag, text)
			}
		}
	})
}

// FuzzGroups: a line is as if it was not there, or is read as strings that are read again when
// they are written anew, in another order and on lines of their own.
func FuzzGroups(f *testing.F) {
	for _, seed := range []string{`"a", "b"`, `"a\\\"";p=1;q`, `a`, `"a",`, `("a")`, `""`, `"a" , "b"`, "\"a\"\t,\t\"b\"", `"\`, `?1`, `"a";`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, ok := value([]byte(text))
		if !ok {
			return
		}
		read := func(lines ...string) []string {
			var all []wire.Field
			for _, l := range lines {
				all = append(all, wire.Field{Name: []byte("Cache-Groups"), Value: []byte(l)})
			}
			return readGroups(all, nameCacheGroups)
		}
		groups := read(string(line))
		var anew []string
		for _, g := range groups {
			if strings.IndexFunc(g, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
				t.Fatalf("%q of %q is no string", g, text)
			}
			anew = append(anew, `"`+strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(g)+`"`)
		}
		slices.Reverse(anew)
		if again := read(anew...); !slices.Equal(again, groups) {
			t.Fatalf("%q is read as %q, and these as %q", text, groups, again)
		}
	})
}

// FuzzResolve: what a reference resolves to at the same origin is a path without dot
// segments, of bytes of the reference and of the target's path.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"/a", "a/../b", "?x", "//shop.example/a", "http://shop.example", "..", "././/..", "#x", ":", "http:a", "a:b", "?a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reference string) {
		target := Target{Authority: []byte("shop.example"), Path: []byte("/dir/n?x=1")}
		path, ok := target.resolve([]byte(reference))
		if !ok {
			return
		}
		plain, _, _ := strings.Cut(string(path), "?")
		if !strings.HasPrefix(plain, "/") || strings.Contains(plain, "#") {
			t.Fatalf("%q is %q", reference, path)
		}
		for _, segment := range strings.Split(plain, "/") {
			if segment == "." || segment == ".." {
				t.Fatalf("%q is %q", reference, path)
			}
		}
	})
}
