package promises

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

const (
	browserLine  = "/shop/cart?item=7"
	browserBlock = "Host: shop.example\r\n" +
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
		"Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" +
		"Cookie: JSESSIONID=7GhQ2x; theme=dark\r\nConnection: keep-alive\r\n\r\n"
)

// strictness is everything that the wire check does with a request's head.
type strictness struct {
	head      wire.Head
	target    wire.Target
	authority wire.Authority
	rules     wire.Rules
}

var (
	get11   = [...][]byte{[]byte("GET"), []byte(browserLine), []byte("HTTP/1.1")}
	browser = []byte(browserBlock)
)

func (s *strictness) check() error {
	minor, err := wire.ParseVersion(get11[2])
	if err != nil {
		return err
	}
	if err := wire.CheckMethod(get11[0]); err != nil {
		return err
	}
	if err := s.head.ParseRequest(browser, minor, &s.rules); err != nil {
		return err
	}
	if err := s.target.Parse(get11[1]); err != nil {
		return err
	}
	return s.authority.Parse(s.head.Host)
}

// leastOf is the least time of one call of f, over rounds that alternate with
// those of g, and the least of g.
func leastOf(rounds, calls int, f, g func()) (fs, gs time.Duration) {
	fs, gs = time.Hour, time.Hour
	for range rounds {
		fs = min(fs, timed(calls, f))
		gs = min(gs, timed(calls, g))
	}
	return fs / time.Duration(calls), gs / time.Duration(calls)
}

func timed(calls int, f func()) time.Duration {
	began := time.Now()
	for range calls {
		f()
	}
	return time.Since(began)
}

// G21: the whole wire check of a browser's head costs no allocation and at most
// 2 µs: in the least of many rounds, so that a busy machine does not matter. A
// machine that is slower as a whole is known by the time that net/http's parser
// takes for the same head, about 2 µs too.
func TestStrictnessIsCheap(t *testing.T) {
	s := &strictness{rules: wire.Rules{NameBytes: 256, Count: 128}}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() { s.check() }); n != 0 {
		t.Errorf("the wire check allocates %v times, want 0", n)
	}
	raw := "GET " + browserLine + " HTTP/1.1\r\n" + browserBlock
	text, in := strings.NewReader(raw), bufio.NewReader(nil)
	ours, theirs := leastOf(either(40, 400), 2000, func() { s.check() }, func() {
		text.Reset(raw)
		in.Reset(text)
		http.ReadRequest(in)
	})
	t.Logf("wire check %v, net/http's parser %v", ours, theirs)
	if ours > max(2*time.Microsecond, theirs) && !raced {
		t.Errorf("the wire check takes %v, want at most 2 µs, or as long as net/http's parser (%v)", ours, theirs)
	}
}
