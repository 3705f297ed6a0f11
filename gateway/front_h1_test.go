package gateway

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// cutConn is a client's connection in memory: what it sends arrives in pieces
// of given lengths, what it gets is kept.
type cutConn struct {
	replay
	send   []byte
	cuts   []byte // lengths of the pieces, in turn; 0 or none: all that is left
	turn   int
	closed bool
	end    error // after all; nil: the end of the stream
	got    bytes.Buffer
}

func (c *cutConn) Read(p []byte) (int, error) {
	if len(c.send) == 0 || c.closed {
		return 0, cmp.Or(c.end, io.EOF)
	}
	n := len(c.send)
	if len(c.cuts) > 0 {
		if k := int(c.cuts[c.turn%len(c.cuts)]); k > 0 {
			n = min(n, k)
		}
		c.turn++
	}
	n = copy(p, c.send[:n])
	c.send = c.send[n:]
	return n, nil
}

func (c *cutConn) Write(p []byte) (int, error) {
	if c.closed {
		return 0, net.ErrClosed
	}
	return c.got.Write(p)
}

func (c *cutConn) Close() error { c.closed = true; return nil }

// witness is an origin that writes down every whole request it gets, and
// answers it with its number of bytes.
type witness struct {
	mu   sync.Mutex
	seen []string
}

func (w *witness) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go w.serve(theirs)
	return ours, nil
}

func (w *witness) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		head := readHead(r)
		if head == "" {
			return
		}
		if strings.Contains(head, "\r\nExpect: ") {
			io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
		}
		body, err := readBody(r, head)
		if err != nil {
			return
		}
		w.mu.Lock()
		w.seen = append(w.seen, head+body)
		w.mu.Unlock()
		answer := fmt.Sprintf("%d bytes", len(body))
		if strings.HasPrefix(head, "HEAD ") {
			answer = ""
		}
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
	}
}

var lengthLine = regexp.MustCompile(`\r\nContent-Length: (\d+)\r\n`)

// readBody reads the body of a request that the gateway wrote: content, and
// after a bar its trailer.
func readBody(r *bufio.Reader, head string) (string, error) {
	if strings.Contains(head, "\r\nTransfer-Encoding: chunked\r\n") {
		content, err := io.ReadAll(httputil.NewChunkedReader(r))
		if err != nil {
			return "", err
		}
		trailer := "\n"
		for !strings.HasSuffix(trailer, "\n\r\n") {
			line, err := r.ReadString('\n')
			if err != nil {
				return "", err
			}
			trailer += line
		}
		return string(content) + "|" + trailer, nil
	}
	var n int64
	if m := lengthLine.FindStringSubmatch(head); m != nil {
		fmt.Sscan(m[1], &n)
	}
	content, err := io.ReadAll(io.LimitReader(r, n))
	if int64(len(content)) < n {
		return "", io.ErrUnexpectedEOF
	}
	return string(content), err
}

// take returns what was seen, and forgets it.
func (w *witness) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	for i := range seen {
		seen[i] = requestID.ReplaceAllString(seen[i], "$1 -")
	}
	return seen
}

// requestID matches the one thing that differs between equal exchanges.
var requestID = regexp.MustCompile(`((?:X-Request-Id|request id):) [0-9a-f]{32}`)

// splitter serves streams of bytes, however they are cut.
type splitter struct {
	g *Gateway
	w witness
}

func newSplitter(tb testing.TB) *splitter {
	s := new(splitter)
	epoch := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	s.g = New(Options{Dial: s.w.dial, Now: func() time.Time { return epoch }})
	tb.Cleanup(func() { s.g.Close() })
	apply(tb, s.g, splitConfig)
	return s
}

// splitConfig lets no protocol be switched: whether one may depends on whether
// the body is there.
const splitConfig = `
listeners: [{ address: "127.0.0.1:0" }]
clusters: { app: { origins: [{ address: "127.0.0.1:9001" }], keep_alive: 1h, upgrades: [] } }
access_log: { format: off }
`

// exchanges serves one connection and returns what the client got and what
// whole requests the origin saw.
func (s *splitter) exchanges(stream, cuts []byte) (string, []string) {
	c := &cutConn{send: slices.Clone(stream), cuts: cuts}
	s.g.ServeConn(c)
	got := requestID.ReplaceAllString(c.got.String(), "$1 -")
	return got, s.w.take()
}

// badHead matches what a refusal of a head says beside its status. A head that
// is wrong in two ways is refused, with the same status, however it comes; which
// of them is named depends on how much of it was there when the first was seen.
var badHead = regexp.MustCompile(`Content-Length: \d+\r\nConnection: close\r\n\r\n(400) [^\n]*\nreason: bad_(?:request|host|target|framing)\n`)

// differs describes how a stream that is cut is served otherwise than whole;
// empty: it is not.
func (s *splitter) differs(stream, cuts []byte) string {
	wantGot, wantSeen := s.exchanges(stream, nil)
	got, seen := s.exchanges(stream, cuts)
	got, wantGot = badHead.ReplaceAllString(got, "$1"), badHead.ReplaceAllString(wantGot, "$1")
	if got != wantGot {
		return fmt.Sprintf("the client got\n%q\nwant\n%q", got, wantGot)
	}
	if !slices.Equal(seen, wantSeen) {
		return fmt.Sprintf("the origin saw\n%q\nwant\n%q", seen, wantSeen)
	}
	return ""
}

var frontPieces = []string{
	"GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n",
	"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	"HEAD /h HTTP/1.1\r\nHost: a.example\r\n\r\n",
	"POST /p HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nhello",
	"POST /p HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\n\r\n\r\n\r\n",
	"POST /p HTTP/1.1\r\nHost: a.example\r\nContent-Length: 37\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: b.ex\r\n\r\n",
	"POST /c HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"POST /c HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\n\r\n\r\n\r\n1\r\n!\r\n0\r\nX-Sum: 5\r\n\r\n",
	"PUT /e HTTP/1.1\r\nHost: a.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
	"\r\nGET /after-a-blank-line HTTP/1.1\r\nHost: a.example\r\n\r\n",
}

// Every cut of head, body and next head over reads gives the same exchanges as
// one read.
func TestCutsDoNotMatter(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	rapid.Check(t, func(rt *rapid.T) {
		stream := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(frontPieces), 1, 5).Draw(rt, "stream"), ""))
		cuts := rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(rt, "cuts")
		if d := s.differs(stream, cuts); d != "" {
			rt.Fatal(d)
		}
	})
}

// All requests of a pipeline are answered, also when each read brings a byte.
func TestPipelineByTheByte(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	stream := strings.Join(frontPieces, "")
	for _, cuts := range [][]byte{nil, {1}, {2}, {3}, {1, 7}, {64}} {
		got, seen := s.exchanges([]byte(stream), cuts)
		if n := strings.Count(got, "HTTP/1.1 200 OK\r\n"); n != len(frontPieces) || len(seen) != len(frontPieces) {
			t.Errorf("pieces of %v bytes: %d answers and %d requests at the origin, want %d", cuts, n, len(seen), len(frontPieces))
		}
		if strings.Contains(strings.Join(seen, ""), "/smuggled HTTP/1.1\r\nHost: a") {
			t.Errorf("pieces of %v bytes: a body was taken for a request", cuts)
		}
	}
}

// Each of the corpus's requests, cut anywhere, is served as if it came whole.
func TestCorpusCutAnywhere(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	for _, stream := range corpusStreams(t) {
		for _, cuts := range [][]byte{{1}, {3}, {17, 1}, {255, 254}} {
			if len(stream) > 4<<10 && cuts[0] < 255 {
				continue // costs minutes and shows no more
			}
			if d := s.differs([]byte(stream), cuts); d != "" {
				t.Errorf("%q in pieces of %v bytes: %s", stream[:min(len(stream), 300)], cuts, d)
			}
		}
	}
}

// corpusStreams are what the clients of the corpus send.
func corpusStreams(tb testing.TB) (all []string) {
	tb.Helper()
	text, err := os.ReadFile("corpus/testdata/http1-corpus.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var entry struct{ Req any }
		if err := json.Unmarshal(line, &entry); err != nil {
			tb.Fatal(err)
		}
		if stream := wordsOf(entry.Req); stream != "" && !slices.Contains(all, stream) {
			all = append(all, stream)
		}
	}
	if len(all) < 100 {
		tb.Fatalf("the corpus has %d streams", len(all))
	}
	return all
}

// wordsOf joins the bytes of a request that is sent in steps.
func wordsOf(req any) string {
	switch req := req.(type) {
	case string:
		return byteString(req)
	case []any:
		var all string
		for _, step := range req {
			all += wordsOf(step)
		}
		return all
	case map[string]any:
		text, _ := req["rep"].(string)
		n, _ := req["n"].(float64)
		return strings.Repeat(byteString(text), int(n))
	}
	return ""
}

// byteString turns a text whose runes are bytes into those.
func byteString(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// FuzzFrontSplits: whatever a client sends, the exchanges at the origin and the
// bytes to the client do not depend on how it arrives.
func FuzzFrontSplits(f *testing.F) {
	for _, stream := range corpusStreams(f) {
		if len(stream) <= 4<<10 {
			f.Add([]byte(stream), []byte{1})
		}
	}
	f.Add([]byte(strings.Join(frontPieces, "")), []byte{5, 1, 9})
	s := newSplitter(f)
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		if d := s.differs(stream, cuts); d != "" {
			t.Fatal(d)
		}
	})
}

// What the server library writes never reaches the socket, and its deadlines
// are not set: there is one writer, and one keeper of time.
func TestTheLibraryIsMute(t *testing.T) {
	raw := &cutConn{}
	c := &h1Conn{Conn: raw}
	if n, err := c.Write([]byte("HTTP/1.1 500 Oops\r\n\r\n")); n != 21 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	if raw.got.Len() != 0 {
		t.Errorf("the socket got %q", raw.got.String())
	}
	for _, set := range []func(time.Time) error{c.SetDeadline, c.SetReadDeadline, c.SetWriteDeadline} {
		if err := set(time.Unix(1, 0)); err != nil {
			t.Error(err)
		}
	}
}

// Also where the library refuses a head by itself, the answer is the gateway's.
func TestRefusalsAreOurs(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	for _, stream := range []string{
		"GET\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: gzip\r\n\r\n",
	} {
		got, seen := s.exchanges([]byte(stream), nil)
		if strings.Count(got, "HTTP/1.1 ") != 1 || !strings.Contains(got, "\r\nDate: Sun, 29 Nov 2026 12:00:00 GMT\r\n") || !strings.HasSuffix(got, "request id: -\n") {
			t.Errorf("%q was answered %q", stream, got)
		}
		if len(seen) != 0 {
			t.Errorf("%q reached the origin: %q", stream, seen)
		}
	}
}

// The plain listener is fasthttp.Server: it accepts, its worker pool runs the
// connection, and its loop calls the walk.
func TestThePlainListenerIsFasthttp(t *testing.T) {
	t.Parallel()
	stack := make(chan string, 4) // a retry dials again
	addr, _ := start(t, replayConfig, Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		stack <- string(debug.Stack())
		return nil, errors.New("seen enough")
	}})
	send(t, addr, "POST / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	got := <-stack
	for _, frame := range []string{"fasthttp.(*workerPool).workerFunc", "fasthttp.(*Server).serveConn", "gateway.(*Gateway).handleH1", "gateway.(*Gateway).serve("} {
		if !strings.Contains(got, frame) {
			t.Errorf("%s does not run an exchange:\n%s", frame, got)
		}
	}
}
