package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// film is an origin of long answers, behind a gateway that stores what is longer than a
// slice of 4 KiB in slices. Each block of 16 bytes says of which version and place it is.
type film struct {
	*shop
	server *httptest.Server
	now    func() time.Time // of the gateway

	mu      sync.Mutex
	version int
	size    int64
	tag     string   // format of the tag; empty: there is none
	fields  []string // further ones: name, value, name, value
	asked   []string // Range of each request, or its method
	answers func(w http.ResponseWriter, r *http.Request) bool
}

const filmSlice = 4 << 10

func newFilm(t *testing.T, more string) *film {
	f := &film{version: 1, size: 10*filmSlice + 100, tag: `"v%d"`, fields: []string{"Cache-Control", "max-age=60"}}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	s := &shop{}
	f.shop = s
	began := time.Now()
	f.now = func() time.Time { return began.Add(time.Duration(s.clock.Load()) * time.Second) }
	o := Options{Now: f.now}
	s.text = plainListener + "node: { name: edge }\nclusters: { a: { origins: [{ address: \"" + f.server.Listener.Addr().String() + "\" }] } }\n" +
		"cache: { enabled: true, ranges: { slice: 4KiB, above: 4KiB }" + more + " }"
	s.addr, s.g = start(t, s.text, o)
	return f
}

// ServeHTTP implements http.Handler.
func (f *film) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	what := r.Header.Get("Range")
	if what == "" {
		what = r.Method
	}
	f.asked = append(f.asked, what)
	answers, version, size := f.answers, f.version, f.size
	for i := 0; i < len(f.fields); i += 2 {
		w.Header().Set(f.fields[i], f.fields[i+1])
	}
	if f.tag != "" {
		w.Header().Set("ETag", strings.Replace(f.tag, "%d", fmt.Sprint(version), 1))
	}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "video/mp4")
	w.Header().Set("Date", f.now().UTC().Format(http.TimeFormat))
	if answers == nil || !answers(w, r) {
		http.ServeContent(w, r, "", time.Time{}, filmBytes(version, size))
	}
}

// film16 writes the 16 bytes of a version that begin at a multiple of 16.
func film16(p []byte, version int, at int64) {
	copy(p, "000000:00000000\n")
	for i, n := 5, version; n > 0; i, n = i-1, n/10 {
		p[i] += byte(n % 10)
	}
	for i, n := 14, at/16; n > 0; i, n = i-1, n/10 {
		p[i] += byte(n % 10)
	}
}

// filmed is all of a version.
func filmed(version int, size int64) []byte {
	all := make([]byte, (size+15)&^15)
	for at := int64(0); at < size; at += 16 {
		film16(all[at:], version, at)
	}
	return all[:size]
}

// filmReader reads a version.
type filmReader struct {
	version  int
	at, size int64
}

func filmBytes(version int, size int64) io.ReadSeeker {
	return &filmReader{version: version, size: size}
}

// Read implements io.Reader.
func (r *filmReader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	var block [16]byte
	p = p[:min(int64(len(p)), r.size-r.at)]
	for n := 0; n < len(p); {
		film16(block[:], r.version, (r.at+int64(n))&^15)
		n += copy(p[n:], block[(r.at+int64(n))%16:])
	}
	r.at += int64(len(p))
	return len(p), nil
}

// Seek implements io.Seeker.
func (r *filmReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	r.at = offset
	return offset, nil
}

// set changes what the origin has.
func (f *film) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// takeAsked is what the origin was asked for since it was last called, sorted.
func (f *film) takeAsked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	slices.Sort(asked)
	return asked
}

// sliceRange is what the origin is asked for to get a slice.
func (f *film) sliceRange(n int64) string {
	return fmt.Sprintf("bytes=%d-%d", n*filmSlice, min((n+1)*filmSlice, f.size)-1)
}

// reply is what a client gets.
type reply struct {
	*http.Response
	body []byte
	cut  bool // the answer broke off
}

// ask sends a request and reads the answer.
func (f *film) ask(t testing.TB, method, path string, lines ...string) reply {
	t.Helper()
	c, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n", method, path)
	for _, line := range lines {
		io.WriteString(c, line+"\r\n")
	}
	io.WriteString(c, "\r\n")
	return readReply(t, c, method)
}

func readReply(t testing.TB, c net.Conn, method string) reply {
	t.Helper()
	answer, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	return reply{answer, body, err != nil}
}

// get asks for a path, or a range of it.
func (f *film) get(t testing.TB, path string, lines ...string) reply {
	t.Helper()
	return f.ask(t, "GET", path, lines...)
}

// wantsOf reports what is not the range of a version.
func (r reply) wantsOf(t testing.TB, what string, version int, size, from, to int64) {
	t.Helper()
	want := filmed(version, size)[from:to]
	status, where := 206, fmt.Sprintf("bytes %d-%d/%d", from, to-1, size)
	if from == 0 && to == size && r.Header.Get("Content-Range") == "" {
		status, where = 200, ""
	}
	if r.StatusCode != status || r.Header.Get("Content-Range") != where || r.cut || r.ContentLength != int64(len(want)) {
		t.Errorf("%s: status %d, %q, length %d, cut %v; want %d, %q, length %d", what, r.StatusCode, r.Header.Get("Content-Range"), r.ContentLength, r.cut, status, where, len(want))
	}
	if !bytes.Equal(r.body, want) {
		t.Errorf("%s: %d bytes, which are not those of version %d from %d to %d", what, len(r.body), version, from, to)
	}
}

// wantsAsked reports if the origin was asked for something else.
func (f *film) wantsAsked(t testing.TB, what string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := f.takeAsked(); !slices.Equal(got, want) {
		t.Errorf("%s: the origin was asked for %q, want %q", what, got, want)
	}
}

// slicesOf are what the origin is asked for to get slices.
func (f *film) slicesOf(from, to int64) (all []string) {
	for n := from; n < to; n++ {
		all = append(all, f.sliceRange(n))
	}
	return all
}

// breakOff ends an origin's connection in the middle of an answer.
func breakOff(w http.ResponseWriter, written string) {
	c, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(errors.Join(err, errors.New("no connection to cut")))
	}
	buf.WriteString(written)
	buf.Flush()
	c.Close()
}
