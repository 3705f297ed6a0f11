package esi

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// seeds are all templates of the tables.
func seeds() (all []string) {
	for _, rows := range [][]pageRow{syntaxRows, elementRows} {
		for _, row := range rows {
			all = append(all, row.template)
		}
	}
	for _, row := range runs {
		all = append(all, row.template)
	}
	return all
}

// FuzzParse: where a template is split makes no difference; one without a mark of ours is
// passed on byte for byte; a program keeps to itself, and takes memory in proportion.
func FuzzParse(f *testing.F) {
	for i, seed := range seeds() {
		f.Add(seed, uint16(i), uint16(i/2))
	}
	f.Fuzz(func(t *testing.T, template string, first, second uint16) {
		whole, problems := parse(t, template)
		split, told := fed(t, template, int(first), int(second))
		if listing(whole) != listing(split) || fmt.Sprint(problems) != fmt.Sprint(told) {
			t.Fatalf("split, it is\n%s %v, want\n%s %v", listing(split), told, listing(whole), problems)
		}
		if !strings.Contains(template, "esi:") && !strings.Contains(template, "<!--esi") {
			if string(whole.Text()) != template || !whole.Static() || problems.Total() > 0 {
				t.Fatalf("what has no ESI becomes %q, with problems %v", whole.Text(), problems)
			}
		}
		if most := 1000 + 40*len(template) + len(template)*len(whole.tests)*maxSteps/4; whole.Size() > most {
			t.Fatalf("%d bytes take %d, want %d at most", len(template), whole.Size(), most)
		}
		sound(t, whole)
	})
}

// sound checks that a program refers to nothing that it does not have, and that its jumps
// lead on but for those to an otherwise, which lead back to what ends in a jump on.
func sound(t *testing.T, p *Program) {
	t.Helper()
	n := uint32(len(p.code))
	for pc, i := range p.code {
		ok := true
		switch i.op {
		case opText:
			ok = i.a < i.b && i.b <= uint32(len(p.text))
		case opPrint:
			ok = i.a < uint32(len(p.variables))
		case opInclude:
			ok = i.a < uint32(len(p.includes))
		case opUnless:
			ok = i.a < uint32(len(p.tests)) && uint32(pc) < i.b && i.b <= n
		case opJump:
			ok = i.b <= n && (i.b > uint32(pc) || i.b > 0 && p.code[i.b-1].op == opJump && p.code[i.b-1].b > i.b)
		case opTry:
			ok = i.a < uint32(len(p.tries)) && uint32(pc) < i.b && i.b <= n
		}
		if !ok {
			t.Fatalf("instruction %d of %d is %+v", pc, n, i)
		}
	}
	for _, e := range p.tries {
		spans := []span{e.attempt}
		for _, x := range e.excepts {
			spans = append(spans, x.span)
		}
		for _, s := range spans {
			if s.from > s.to || s.to > n {
				t.Fatalf("a part of a try is %+v of %d instructions", s, n)
			}
		}
	}
}

// FuzzExpression: what is malformed is false; what is not is as true as itself twice, in
// any way to say that, and not as true as its negation.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		`$(HTTP_COOKIE{tier})=='gold' & !($(QUERY_STRING{lite})=='1')`, `1|0&1`, `!!'a'!="b"`, `(1==1)==true`, `'abc' matches '^a(b|c)+$'`, `a has a`,
		`-0.50 >= -.5`, `((((1))))`, `$(HTTP_ACCEPT_LANGUAGE{de}|'x y')`, `'a' matches '(a{100}){100}'`, `1 && 0 || !0`, `$(`, `'`, `1<2<3`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := visitor()
		holds, formed := tested(t, text, c)
		if !formed {
			if holds {
				t.Fatal("it is malformed and true")
			}
			return
		}
		for _, same := range []string{"(%s)", "(%s)&(%s)", "(%s)||(%s)", "!!(%s)", "((%s)==(%s))&(%s)", "0|(%s)", "(%s)&1"} {
			said := strings.ReplaceAll(same, "%s", text)
			if again, formed := tested(t, said, c); formed && again != holds {
				t.Fatalf("%s is %v, and %s is %v", text, holds, said, again)
			}
		}
		if negated, formed := tested(t, "!("+text+")", c); formed && negated == holds {
			t.Fatalf("%s is %v, and so is its negation", text, holds)
		}
	})
}

// FuzzValue: a value in a URL is a word of it. It changes neither host nor the number of
// segments, and can be read back; or there is no URL.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{"", "a", "../../x", "..", ".", "a/b", "//evil", "http://evil/", "?x=1&y=2", "#", "%2e%2e", "%00", "\r\nX: y", " ", "ö", "%", "%zz", "+", ";x", "\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		c := &Client{Host: []byte(value), Query: []byte("v=" + value)}
		for name, decoded := range map[string]string{"HTTP_HOST": value, "QUERY_STRING{v}": ""} {
			for ref, segments := range map[string]int{"/a/$(%)/b?x=$(%)": 3, "a$(%)?x=$(%)": 1, "http://h/$(%)": 1} {
				var b builder
				r := reader{client: c}
				text, ok := r.expand(b.mix(strings.ReplaceAll(ref, "%", name)), b.program.variables)
				u, ok2 := URL{Authority: "h", Target: "/"}.Resolve(text)
				if !ok || !ok2 {
					continue
				}
				path, query, _ := strings.Cut(u.Target, "?")
				if u.Authority != "h" || u.Secure || strings.Count(path, "/") != segments {
					t.Fatalf("with %q, %s is %v", value, ref, u)
				}
				parsed, err := url.ParseRequestURI(u.Target)
				if err != nil {
					t.Fatalf("with %q, %s is %v: %v", value, ref, u, err)
				}
				if got := parsed.Query().Get("x"); decoded != "" && query != "" && got != decoded {
					t.Fatalf("with %q, %s is %v, which means %q", value, ref, u, got)
				}
			}
		}
	})
}

// FuzzHTML: a value in a page is text, and means what it was.
func FuzzHTML(f *testing.F) {
	f.Add([]byte(`<b a='x' c="y">&amp;`))
	f.Add([]byte("plain"))
	f.Fuzz(func(t *testing.T, value []byte) {
		escaped := appendHTML(nil, value)
		if bytes.ContainsAny(escaped, `<>"'`) {
			t.Fatalf("%q is %q", value, escaped)
		}
		if got := decodeEntities(escaped); got != string(value) {
			t.Fatalf("%q is %q, which means %q", value, escaped, got)
		}
	})
}

// FuzzAssemble: a page is the same whether its fragments are in memory or come, in which
// pieces they come, and whether it is held until all of them are there; but for how much
// of it is sent before it fails. No empty piece is written, and every body is closed.
func FuzzAssemble(f *testing.F) {
	for i, seed := range seeds() {
		f.Add(seed, `<esi:include src="/a"/>b<esi:include src="/t" alt="/b"/>`, uint16(i*37))
	}
	f.Fuzz(func(t *testing.T, template, inner string, bits uint16) {
		p, _ := parse(t, template)
		o := Default()
		o.Depth, o.Includes, o.Concurrent = int(bits&3), 5000, 1+int(bits>>2&3)
		o.OnError, o.Fallback = OnError(bits>>4&3%3), []byte("!")
		kinds := []string{"200 a", "500 a", "esi " + inner, "cut a", "204 a", "fail timed-out", "200 ", "404 b"}
		fragments := kindly{kinds: kinds, seed: int(bits >> 6)}
		want, err := outcome(t, p, fragments, o)
		if in, _ := parse(t, inner); p.Includes() > 20 || in.Includes() > 4 {
			return // it has ended; which include is one too many is a matter of time
		}
		for _, other := range []kindly{
			{kinds: kinds, seed: fragments.seed, ready: true},
			{kinds: kinds, seed: fragments.seed, pieces: 1},
		} {
			got, err2 := outcome(t, p, other, o)
			if fmt.Sprint(err2) != fmt.Sprint(err) || got != want {
				t.Fatalf("one way the page is %q: %v, another way (%+v) %q: %v", want, err, other, got, err2)
			}
		}
		o.FirstByte = Held
		got, err2 := outcome(t, p, fragments, o)
		if fmt.Sprint(err2) != fmt.Sprint(err) || err == nil && got != want || err != nil && got != "" {
			t.Fatalf("early the page is %q: %v, held %q: %v", want, err, got, err2)
		}
	})
}

// kindly gives each URL a fragment of some kind.
type kindly struct {
	kinds  []string
	seed   int
	ready  bool
	pieces int
}

func outcome(t *testing.T, p *Program, k kindly, o Options) (string, error) {
	t.Helper()
	s := &kindShelf{shelf: shelf{pieces: k.pieces}, kindly: k}
	out := &paper{t: t}
	page := &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}
	report, err := Assemble(context.Background(), page, s, out)
	if s.open != 0 || s.running != 0 || report.Includes > o.Includes {
		t.Fatalf("%d bodies are open, %d fetches run: %+v", s.open, s.running, report)
	}
	return out.text.String(), err
}

type kindShelf struct {
	shelf
	kindly kindly
}

func (s *kindShelf) script(u URL) string {
	n := s.kindly.seed
	for _, c := range []byte(u.String()) {
		n = n*31 + int(c)
	}
	return s.kindly.kinds[uint(n)%uint(len(s.kindly.kinds))]
}

func (s *kindShelf) Ready(i *Include) (Fragment, bool) {
	if !s.kindly.ready {
		return Fragment{}, false
	}
	return s.fragment(s.script(i.URL)), true
}

func (s *kindShelf) Fetch(_ context.Context, i *Include) Fragment { return s.fragment(s.script(i.URL)) }
