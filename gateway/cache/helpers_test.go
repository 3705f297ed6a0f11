package cache

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// epoch is T of the tests: when the first request is sent and its answer is here.
var epoch = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// at returns the instant so many seconds after T.
func at(seconds float64) time.Time {
	return epoch.Add(time.Duration(seconds * float64(time.Second)))
}

// dated replaces each D(n) by the date that is n seconds after T.
func dated(text string) string {
	for {
		begin := strings.Index(text, "D(")
		if begin < 0 {
			return text
		}
		end := begin + strings.IndexByte(text[begin:], ')')
		n, err := strconv.ParseInt(text[begin+2:end], 10, 64)
		if err != nil {
			panic(err)
		}
		text = text[:begin] + string(appendDate(nil, epoch.Add(time.Duration(n)*time.Second))) + text[end+1:]
	}
}

// fields returns the fields that are written as "Name: value / Name: value", of the
// classes that an answer's have.
func fields(t testing.TB, text string) []wire.Field {
	t.Helper()
	if text == "" {
		return nil
	}
	block := strings.ReplaceAll(dated(text), " / ", "\r\n") + "\r\n"
	var h wire.Head
	if err := h.ParseResponse([]byte(block), 1, &wire.Rules{}); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return h.Fields
}

// request returns the request that is written as "METHOD Name: value / Name: value".
// The method is GET if there is none.
func request(t testing.TB, text string) *Request {
	t.Helper()
	method := "GET"
	if word, rest, _ := strings.Cut(text, " "); word != "" && !strings.Contains(word, ":") {
		method, text = word, rest
	}
	r := new(Request)
	r.Read([]byte(method), fields(t, text))
	r.Target = Target{Authority: []byte("shop.example"), Path: []byte("/n")}
	return r
}

// answer returns the answer that is written as "STATUS Name: value / Name: value". The
// status is 200 if there is none. A Date that is not written is T's, unless there is a
// field "No-Date".
func answer(t testing.TB, text string) *Answer {
	t.Helper()
	a := &Answer{Status: 200, Length: 10, Sent: epoch, Received: epoch}
	word, rest, _ := strings.Cut(text, " ")
	if n, err := strconv.Atoi(word); err == nil {
		a.Status, text = n, rest
	}
	if !strings.Contains(text, "Date:") {
		text = strings.TrimSuffix("Date: D(0) / "+text, " / ")
	}
	a.Fields = fields(t, strings.ReplaceAll(text, "No-Date: yes / ", ""))
	return a
}

// later moves an answer to so many seconds after T.
func (a *Answer) later(seconds float64) *Answer {
	a.Sent, a.Received = at(seconds), at(seconds)
	return a
}

// policies are those that the tests name.
func policies() map[string]*Policy {
	standard, conformance := Default(), Conformance()
	return map[string]*Policy{"": &standard, "conformance": &conformance}
}

// uses are the words for what is done with a stored answer.
var uses = map[Use]string{
	UseFetch: "fetch", UseFresh: "fresh", UseStaleWhile: "while", UseValidate: "validate", UseRest: "rest",
}

// stored stores an answer to a request, or fails the test.
func stored(t testing.TB, p *Policy, r *Request, a *Answer) *Stored {
	t.Helper()
	s, why := p.Store(r, a, Override{})
	if s == nil {
		t.Fatalf("not stored: %v", why)
	}
	return s
}

// outcome says what becomes of a request after so many seconds, once a was the answer to
// r: "refused: why", "miss", or the word for its use.
func outcome(p *Policy, r *Request, a *Answer, next *Request, seconds float64) string {
	s, why := p.Store(r, a, Override{})
	switch {
	case s == nil:
		return "refused: " + why.String()
	case !s.Fits(next, p):
		return "miss"
	}
	return uses[p.Use(s, next, at(seconds))]
}

// fieldNames returns the names of fields in their order.
func fieldNames(list []wire.Field) string {
	var names []string
	for _, f := range list {
		names = append(names, string(f.Name))
	}
	return strings.Join(names, " ")
}

// written returns fields as they are written in tests.
func written(list []wire.Field) string {
	var lines []string
	for _, f := range list {
		lines = append(lines, string(f.Name)+": "+string(f.Value))
	}
	return strings.Join(lines, " / ")
}

// sorted returns fields as they are written in tests, sorted, but for Date.
func sorted(list []wire.Field) string {
	lines := strings.Split(without(list), " / ")
	slices.Sort(lines)
	return strings.Join(lines, " / ")
}

func fmtLength(s *Stored) string { return strconv.FormatInt(s.Length, 10) }

// refresh is what s is after a 304, and nil if that is about another version.
func refresh(p *Policy, s *Stored, r *Request, a *Answer, o Override) (*Stored, Refusal) {
	whole, same := s.Renewed(a)
	if !same {
		return nil, RefusedOther
	}
	return p.Renew(s, r, &whole, o)
}
