package esi

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/gateway/wire"
)

// pageURL is the URL of the page in tests.
var pageURL = URL{Authority: "web.example", Target: "/d/e/f?c=Bergen&x=1&e=%3Cb%3E+%26&d=%2e%2e&n=%00"}

// visitor is the client in tests.
func visitor(fields ...string) *Client {
	c := &Client{Host: []byte("Web.example"), Query: []byte("c=Bergen&x=1&e=%3Cb%3E+%26&d=%2e%2e&n=%00")}
	if fields == nil {
		fields = []string{
			"Cookie: tier=gold; JSESSIONID=hidden", "Cookie: id=../../admin?x; tier=second", "Referer: http://r.example/?a=1&b=2",
			"Accept-Language: en-GB, de;q=0.5, fr;q=0", "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "X-Seen: yes",
			"Authorization: Basic hidden",
		}
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		c.Fields = append(c.Fields, wire.Field{Name: []byte(name), Value: []byte(value)})
	}
	c.Shown = &Shown{Hidden: DefaultShown().Hidden, Fields: []string{"X-Seen", "authorization", "cookie"}}
	return c
}

// shelf is a fetcher with scripted fragments, by URL as String has it without
// "http://web.example": "STATUS BODY", "esi BODY" for a template, "cut BODY" for one that
// breaks off, "fail FAILURE", "never" for one that does not come. A word "slow " before
// makes it wait for a second, "ready " makes it one that is in memory. One that is not there
// says its own URL.
type shelf struct {
	fragments map[string]string
	pieces    int // bytes of a body that come at once; 0: all

	mu      sync.Mutex
	fetched []string
	open    int // bodies that are not closed
	running int
	most    int // that ran at once
}

func (s *shelf) key(u URL) string { return strings.TrimPrefix(u.String(), "http://web.example") }

func (s *shelf) script(u URL) string {
	if text, ok := s.fragments[s.key(u)]; ok {
		return text
	}
	return "200 [" + s.key(u) + "]"
}

func (s *shelf) Ready(i *Include) (Fragment, bool) {
	text, ok := strings.CutPrefix(s.script(i.URL), "ready ")
	if !ok {
		return Fragment{}, false
	}
	s.note(i.URL)
	f := s.fragment(text)
	if body, ok := f.Body.(*scripted); ok && !body.cut {
		f.Whole, f.Body = body.rest, nil
		body.Close()
	}
	return f, true
}

func (s *shelf) note(u URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched = append(s.fetched, s.key(u))
}

func (s *shelf) Fetch(ctx context.Context, i *Include) Fragment {
	s.note(i.URL)
	s.count(1)
	defer s.count(-1)
	text, slow := strings.CutPrefix(s.script(i.URL), "slow ")
	if text == "never" {
		<-ctx.Done()
		return Fragment{Failure: Unreachable}
	}
	if slow {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return Fragment{Failure: Unreachable}
		}
	}
	if text == "panic" {
		panic("scripted")
	}
	return s.fragment(text)
}

func (s *shelf) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += n
	s.most = max(s.most, s.running)
}

// fragment is what a script says.
func (s *shelf) fragment(text string) Fragment {
	word, body, _ := strings.Cut(text, " ")
	switch word {
	case "esi":
		p, _, err := Parse([]byte(body), Limits{})
		if err != nil {
			panic(err)
		}
		return Fragment{Status: 200, Program: p}
	case "fail":
		for f := range failureCount {
			if f.String() == body {
				return Fragment{Failure: f}
			}
		}
		panic("no failure " + body)
	case "cut":
		return Fragment{Status: 200, Body: s.body(body, true)}
	}
	var status int
	if _, err := fmt.Sscan(word, &status); err != nil {
		panic(err)
	}
	return Fragment{Status: status, Body: s.body(body, false)}
}

// scripted is a body.
type scripted struct {
	s    *shelf
	rest []byte
	cut  bool
	done bool
}

func (s *shelf) body(text string, cut bool) *scripted {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return &scripted{s: s, rest: []byte(text), cut: cut}
}

func (b *scripted) Next() ([]byte, error) {
	n := len(b.rest)
	if b.s.pieces > 0 {
		n = min(n, b.s.pieces)
	}
	piece := slices.Clone(b.rest[:n])
	b.rest = b.rest[n:]
	switch {
	case n > 0:
		return piece, nil
	case b.cut:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, io.EOF
}

func (b *scripted) Close() {
	if b.done {
		panic("closed twice")
	}
	b.done = true
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.s.open--
}

// paper is a sink. It notes where it was flushed as "|", and fails if a write is empty.
type paper struct {
	t      testing.TB
	text   strings.Builder
	marked strings.Builder
	gone   func() bool
	err    error
}

func (p *paper) Write(b []byte) error {
	if len(b) == 0 {
		p.t.Error("an empty piece was written")
	}
	p.text.Write(b)
	p.marked.Write(b)
	return p.err
}

func (p *paper) Flush() error { p.marked.WriteByte('|'); return nil }

func (p *paper) Gone() bool { return p.gone != nil && p.gone() }

// parse parses a template that must not be too large.
func parse(t testing.TB, template string) (*Program, Problems) {
	t.Helper()
	p, problems, err := Parse([]byte(template), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p, problems
}

// kindsOf are the kinds of problems, in order.
func kindsOf(p Problems) string {
	var names []string
	for _, q := range p.List {
		names = append(names, q.Kind.String())
	}
	return strings.Join(names, " ")
}

// assembled is a page and the error that it ended with.
func assembled(t testing.TB, p *Program, s *shelf, o Options) (string, Report, error) {
	t.Helper()
	out := &paper{t: t}
	report, err := Assemble(context.Background(), &Page{Template: p, URL: pageURL, Client: visitor(), Options: &o}, s, out)
	if s.open != 0 {
		t.Errorf("%d bodies are not closed", s.open)
	}
	if s.running != 0 {
		t.Errorf("%d fetches still run", s.running)
	}
	if report.Bytes != int64(out.text.Len()) {
		t.Errorf("%d bytes are reported, want %d", report.Bytes, out.text.Len())
	}
	return out.text.String(), report, err
}

// page is what a template makes with fragments that say their URL.
func page(t testing.TB, p *Program) string {
	t.Helper()
	text, _, err := assembled(t, p, &shelf{}, Default())
	if err != nil {
		return text + "!" + err.Error()
	}
	return text
}

// listing is a program in words, for comparing two.
func listing(p *Program) string {
	var b strings.Builder
	for pc, i := range p.code {
		fmt.Fprintf(&b, "%d %d %d %d", pc, i.op, i.a, i.b)
		if i.op == opText {
			fmt.Fprintf(&b, " %q", p.text[i.a:i.b])
		}
		b.WriteByte('\n')
	}
	for _, t := range p.tests {
		for _, s := range t {
			fmt.Fprintf(&b, "%d %d %d %q;", s.op, s.to, s.variable, s.text)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%+v\n%+v\n%+v\n%+v\n%v %v %q", p.variables, p.includes, p.tries, p.orders, p.uses, p.marked, p.text)
	return b.String()
}

// fed is the program of a template that comes in pieces of those lengths, and then the rest.
func fed(t testing.TB, template string, lengths ...int) (*Program, Problems) {
	t.Helper()
	var p Parser
	for _, n := range lengths {
		n = min(n, len(template))
		feed(t, &p, template[:n])
		template = template[n:]
	}
	feed(t, &p, template)
	return p.Close()
}

func feed(t testing.TB, p *Parser, piece string) {
	t.Helper()
	if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
		t.Fatalf("Write took %d of %d bytes: %v", n, len(piece), err)
	}
}

// splits checks that a template makes the same program wherever it is split, also byte by
// byte (S2).
func splits(t *testing.T, template string) {
	t.Helper()
	whole, problems := parse(t, template)
	want, told := listing(whole), fmt.Sprintf("%+v", problems)
	check := func(how string, p *Program, q Problems) {
		if got := listing(p); got != want {
			t.Errorf("%q %s is\n%s\nwant\n%s", template, how, got, want)
		}
		if got := fmt.Sprintf("%+v", q); got != told {
			t.Errorf("%q %s has problems %s, want %s", template, how, got, told)
		}
	}
	for i := range len(template) {
		p, q := fed(t, template, i)
		check(fmt.Sprintf("split at %d", i), p, q)
	}
	ones := make([]int, len(template))
	for i := range ones {
		ones[i] = 1
	}
	p, q := fed(t, template, ones...)
	check("byte by byte", p, q)
}

// inBubbles runs a test with as many seeds, each in time that costs nothing.
func inBubbles(t *testing.T, n int, f func(t *testing.T, seed uint64)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(n) {
			f(t, seed)
		}
	})
}
