package wire

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Classes of the corpus that this package decides alone. The others are about
// connections, answers in time, or what is forwarded.
var corpusClasses = []string{
	"baseline", "method", "request-line", "version", "host", "header-syntax", "target.absolute", "target.asterisk", "target.authority",
	"target.dotseg", "target.fragment", "target.path", "framing.cl", "framing.te", "framing.cl-te", "framing.te-cl", "framing.chunk",
	"trailer", "hop-by-hop", "expect", "identity",
}

// notOurs says who refuses what this package lets through.
var notOurs = map[string]string{
	"connect-body":   "a target in authority-form is refused here, but CONNECT by the gateway",
	"cl-overflow-32": "a great length is a length: the limit of the body refuses it",
}

// Every case is judged as the corpus wants: what must be refused is, what must
// be forwarded is accepted whole.
func TestCorpus(t *testing.T) {
	judged := 0
	for _, c := range readCorpus(t) {
		raw := script(t, c.Req)
		if !slices.Contains(corpusClasses, c.Class) || raw == nil {
			continue
		}
		judged++
		t.Run(c.ID, func(t *testing.T) {
			err := readMessage(raw)
			switch {
			case strings.HasPrefix(c.Expect, "origin"), c.Expect == "reject-or-normalise", notOurs[c.ID] != "":
			case strings.HasPrefix(c.Expect, "reject"):
				if err == nil {
					t.Errorf("%q is accepted", raw)
				}
			case err != nil && !errors.Is(err, errNextRequest):
				t.Errorf("%q is refused: %v", raw, err)
			}
		})
	}
	if judged < 250 {
		t.Errorf("judged %d cases only", judged)
	}
}

// Cases in which being accepted would be worse than what the corpus can see.
func TestCorpusCasesThatAreRefused(t *testing.T) {
	want := []string{
		"abs-then-cl-te", "ch-ext-16k", "ch-ext-ctl", "ch-ext-nul", "ch-many-zeros", "ch-space-after", "cl-name-underscore", "dotseg-dot",
		"dotseg-overlong", "dotseg-pct", "dotseg-pct-slash", "expect-list", "expect-unknown", "get-te-smuggle", "hop-list-auth", "hop-list-host",
		"hop-list-xff", "host-bad-pct-nul", "host-bad-port-big", "hs-all-lf", "hs-dup-ctype", "hs-fold-te", "path-backslash", "path-pct-nul",
		"rl-fragment", "te-cl0", "te-twice", "tr-bad-auth", "tr-bad-host", "tr-smuggle-lf", "ver-1.2",
	}
	for _, c := range readCorpus(t) {
		i := slices.Index(want, c.ID)
		if i < 0 {
			continue
		}
		want = slices.Delete(want, i, i+1)
		if raw := script(t, c.Req); readMessage(raw) == nil {
			t.Errorf("%s: %q is accepted", c.ID, raw)
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the corpus: %q", want)
	}
}

// errNextRequest means that a message was read, and the next one is bad.
var errNextRequest = errors.New("next request")

// readMessage reads the first request of raw with everything this package has.
func readMessage(raw []byte) error {
	line, rest, ok := bytes.Cut(raw, []byte("\r\n"))
	words := bytes.Split(line, []byte(" "))
	if !ok || len(words) != 3 {
		return fmt.Errorf("no request line: %q", line)
	}
	minor, err := ParseVersion(words[2])
	if err != nil {
		return err
	}
	var target Target
	if err := errors.Join(CheckMethod(words[0]), target.Parse(words[1])); err != nil {
		return err
	}
	block, rest := cutBlock(rest)
	var h Head
	if err := h.ParseRequest(block, minor, &Rules{}); err != nil {
		return err
	}
	var b Body
	b.Reset(atOnce(string(rest)), h.Length)
	_, err = readAll(&b, 0)
	return err
}

// cutBlock takes off the header block with its blank line, like whoever finds
// the end of a head before it is checked.
func cutBlock(b []byte) (block, rest []byte) {
	if bytes.HasPrefix(b, []byte("\r\n")) {
		return b[:2], b[2:]
	}
	if i := bytes.Index(b, []byte("\r\n\r\n")); i >= 0 {
		return b[:i+4], b[i+4:]
	}
	return b, nil
}

// FuzzHead: a head that is accepted is read the same by a naive strict reader;
// and written out again from what was parsed, it is accepted and the same.
func FuzzHead(f *testing.F) {
	for _, c := range readCorpus(f) {
		_, rest, _ := bytes.Cut(script(f, c.Req), []byte("\r\n"))
		if block, _ := cutBlock(rest); len(block) < 1000 {
			f.Add(block)
		}
	}
	f.Add([]byte(browser))
	f.Fuzz(func(t *testing.T, block []byte) {
		var h, again Head
		if h.ParseRequest(block, 1, &Rules{}) != nil {
			return
		}
		naive, err := readNaively(string(block))
		if got := summary(&h); err != nil || fmt.Sprint(got) != fmt.Sprint(naive) {
			t.Fatalf("%q: read %+v, naive reader %+v, %v", block, got, naive, err)
		}
		var out []byte
		for _, f := range h.Fields {
			out = AppendField(out, f.Name, f.Value)
		}
		if err := again.ParseRequest(out, 1, &Rules{}); err != nil || fmt.Sprint(summary(&again)) != fmt.Sprint(naive) {
			t.Fatalf("%q: written again %q: %v, %+v", block, out, err, summary(&again))
		}
	})
}

// summary is what the naive reader finds too.
func summary(h *Head) (n naiveHead) {
	for _, f := range h.Fields {
		n.fields = append(n.fields, string(f.Name)+": "+string(f.Value))
	}
	n.host, n.length, n.close = string(h.Host), h.Length, h.Close
	return n
}
