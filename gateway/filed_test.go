package gateway

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// library is an origin of long answers: /a is 60,000 bytes, /b as much more, and so on. Each
// line of an answer says of which version it is, and where it stands.
type library struct {
	version atomic.Int64
	asked   atomic.Int64
	chunked bool // it does not say how long they are
	ranged  bool // it has ranges
}

const shelved = 60_000

// longBody is the answer to a target, in a version.
func longBody(target string, version int64) []byte {
	size := shelved * int(target[1]-'a'+1)
	b := make([]byte, 0, size+32)
	for len(b) < size {
		b = fmt.Appendf(b, "%-4s version %6d at %9d\n", target, version, len(b))
	}
	return b[:size]
}

func (l *library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.asked.Add(1)
	version := l.version.Load()
	body := longBody(r.URL.Path, version)
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(version)))
	if l.ranged {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		return
	}
	if l.chunked {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
	}
	w.Write(body)
}

// newLibrary starts a library, and a gateway before it.
func newLibrary(tb testing.TB, listener, more string) (l *library, addr string, g *Gateway) {
	tb.Helper()
	l = new(library)
	origin := httptest.NewServer(l)
	tb.Cleanup(origin.Close)
	addr, g = start(tb, listener+"clusters: { app: { origins: [{ address: \""+origin.Listener.Addr().String()+"\" }] } }\n"+more, Options{})
	return l, addr, g
}

// rightLong says what is wrong with an answer of a library: whatever is asked, each byte is of
// the version that the tag says, at its place.
func rightLong(target string, a *http.Response, head bool) error {
	var version, from, to, size int64
	if _, err := fmt.Sscanf(a.Header.Get("ETag"), `"%d"`, &version); err != nil {
		return fmt.Errorf("status %d, tag %s: %v", a.StatusCode, a.Header.Get("ETag"), err)
	}
	want := longBody(target, version)
	if kind, params, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); kind == "multipart/byteranges" {
		return rightParts(multipart.NewReader(a.Body, params["boundary"]), want)
	}
	if a.StatusCode == 206 {
		fmt.Sscanf(a.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size)
		want = want[from : to+1]
	}
	if head {
		want = nil
	}
	got, err := io.ReadAll(a.Body)
	if !bytes.Equal(got, want) || err != nil {
		return fmt.Errorf("status %d of version %d, bytes from %d on: %d others, want %d; %v", a.StatusCode, version, from, len(got), len(want), err)
	}
	return nil
}

func rightParts(parts *multipart.Reader, all []byte) error {
	for n := 0; ; n++ {
		p, err := parts.NextRawPart()
		if err == io.EOF && n > 1 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after %d parts: %v", n, err)
		}
		var from, to, size int64
		fmt.Sscanf(p.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size)
		got, err := io.ReadAll(p)
		if err != nil || !bytes.Equal(got, all[from:to+1]) {
			return fmt.Errorf("part %d, bytes %d to %d: %d others, %v", n, from, to, len(got), err)
		}
	}
}

// askLong sends a request on a connection that takes no more than 256 KiB before somebody reads.
func askLong(addr, request string) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c.(*net.TCPConn).SetReadBuffer(256 << 10)
	_, err = io.WriteString(c, request)
	return c, err
}

// requestsOfLong are ways to ask for a long answer.
var requestsOfLong = []string{
	"GET %s HTTP/1.1\r\nHost: a\r\n\r\n",
	"HEAD %s HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET %s HTTP/1.1\r\nHost: a\r\nRange: bytes=100-\r\n\r\n",
	"GET %s HTTP/1.1\r\nHost: a\r\nRange: bytes=20000-49999\r\n\r\n",
	"GET %s HTTP/1.1\r\nHost: a\r\nRange: bytes=-30001\r\n\r\n",
	"GET %s HTTP/1.1\r\nHost: a\r\nRange: bytes=0-9,1000-39999,50000-\r\n\r\n",
	"GET %s HTTP/1.1\r\nHost: a\r\nRange: bytes=5-14\r\n\r\n",
	"GET %s HTTP/1.0\r\nHost: a\r\n\r\n", // the last of a connection
}

// A long answer is the same whatever way it goes: from the file that it is in, from there
// through TLS, a filter or the site's edits, whole or in ranges; and the connection goes on.
func TestLongAnswersAreExact(t *testing.T) {
	t.Parallel()
	const edited = "sites: { w: { hosts: [\"**\"], headers: { response: { set: { X-Edited: \"1\" } } } } }\nmappings: [{ site: w, cluster: app }]\n"
	filtered := "plugins: { edit: { kind: filter, module: \"" + guestFile(puppet) + "\", needs: [query, headers, site] } }\n" +
		"sites: { w: { hosts: [\"**\"], filters: [{ plugin: edit, on_error: reject }] } }\nmappings: [{ site: w, cluster: app }]\n"
	for _, way := range []struct {
		name, more string
		ranged     bool
	}{
		{name: "as it is"},
		{name: "in slices", ranged: true},
		{name: "with edits of the head", more: edited},
		{name: "with a filter", more: filtered},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			l, addr, _ := newLibrary(t, plainListener, "cache: { enabled: true, ranges: { slice: 128KiB, above: 64KiB } }\n"+way.more)
			l.ranged = way.ranged
			for _, target := range []string{"/a", "/b", "/f", "/z"} {
				send(t, addr, "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				asked := l.asked.Load()
				askAllWays(t, addr, target)
				if n := l.asked.Load() - asked; n != 0 {
					t.Errorf("%s: the origin was asked %d times for what is stored", target, n)
				}
			}
		})
	}
}

// askAllWays asks for a target in all ways, one after the other on one connection as far as
// that goes on.
func askAllWays(t *testing.T, addr, target string) {
	t.Helper()
	c, err := askLong(addr, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	for _, request := range requestsOfLong {
		fmt.Fprintf(c, request, target)
		if err := readLong(r, target, request); err != nil {
			t.Errorf("%s: %q: %v", target, request, err)
		}
	}
}

// readLong reads the answer to a request, and says what is wrong with it.
func readLong(r *bufio.Reader, target, request string) error {
	method, _, _ := strings.Cut(request, " ")
	a, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		return err
	}
	return rightLong(target, a, method == "HEAD")
}

// Clients that read slowly, or only later, get what they were sent, though it was purged
// meanwhile, let go, and other answers have come.
func TestLongAnswersOutliveTheirPurge(t *testing.T) {
	t.Parallel()
	l, addr, g := newLibrary(t, plainListener, "cache: { enabled: true, memory: 64MiB }\n")
	type waiting struct {
		target string
		c      net.Conn
	}
	var all []waiting
	for version := range int64(3) {
		l.version.Store(version)
		for _, target := range []string{"/b", "/c", "/z"} {
			for range 3 { // a miss, and two hits
				c, err := askLong(addr, "GET "+target+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				all = append(all, waiting{target, c})
			}
			until(t, "it is stored", func() bool { return g.cache.Stats().Filling == 0 && g.cache.Stats().Objects > 0 })
		}
		if _, err := g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{All: true}}); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.GC()
	}
	for i, w := range all {
		if err := readLong(bufio.NewReader(w.c), w.target, "GET"); err != nil {
			t.Errorf("client %d, %s: %v", i, w.target, err)
		}
	}
}

// Many clients of all kinds, of which some go away in the middle, while answers are purged,
// driven out by others and change: no answer has a byte of another.
func TestHammerLongAnswers(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	for _, listener := range []struct {
		name, text string
		chunked    bool
	}{
		{"plain", plainListener, false},
		{"chunked origin", plainListener, true},
		{"TLS", secureListener(ca.issue(t, "gw.example")), false},
	} {
		l, addr, g := newLibrary(t, listener.text, "cache: { enabled: true, memory: 2MiB }\n")
		l.chunked = listener.chunked
		var clients, others sync.WaitGroup
		var whole, gone atomic.Int64
		over := make(chan struct{})
		for seed := range uint64(6) {
			clients.Go(func() {
				r := rand.New(rand.NewPCG(seed, 3))
				for range 20 {
					err := longClient(r, addr, listener.name == "TLS", &whole, &gone)
					if err != nil {
						t.Errorf("%s: %v", listener.name, err)
					}
				}
			})
		}
		others.Go(func() { disturbLong(l, g, over) })
		clients.Wait()
		close(over)
		others.Wait()
		t.Logf("%s: %d whole, %d gone, %d asked", listener.name, whole.Load(), gone.Load(), l.asked.Load())
		if whole.Load() == 0 || gone.Load() == 0 {
			t.Errorf("%s: %d answers were whole, %d clients went", listener.name, whole.Load(), gone.Load())
		}
	}
}

// longClient asks once, and reads the answer, or goes away.
func longClient(r *rand.Rand, addr string, secure bool, whole, gone *atomic.Int64) error {
	target, request := "/"+string(rune('a'+r.IntN(6))), requestsOfLong[r.IntN(len(requestsOfLong))]
	c, err := askLong(addr, "")
	if err != nil {
		return err
	}
	defer c.Close()
	stream := c
	if secure {
		stream = insecure(c)
	}
	fmt.Fprintf(stream, request, target)
	if r.IntN(4) == 0 {
		io.CopyN(io.Discard, stream, int64(1+r.IntN(100)))
		c.(*net.TCPConn).SetLinger(r.IntN(2) - 1)
		gone.Add(1)
		return nil
	}
	whole.Add(1)
	return readLong(bufio.NewReader(stream), target, request)
}

// disturbLong lets go of what is stored, in all ways.
func disturbLong(l *library, g *Gateway, over chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		case <-time.After(20 * time.Millisecond):
		}
		switch n % 8 {
		case 0:
			l.version.Add(1)
		case 3:
			g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{All: true}, Soft: n%16 == 3})
		default:
			runtime.GC()
		}
	}
}

// insecure does TLS with whoever that is.
func insecure(c net.Conn) net.Conn { return tls.Client(c, &tls.Config{InsecureSkipVerify: true}) }

// Budget: a long hit costs no allocation, and leaves the origin alone.
func TestLongHitAllocs(t *testing.T) {
	l, addr, g := newLibrary(t, plainListener, "cache: { enabled: true }\n")
	send(t, addr, "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	until(t, "it is stored", func() bool { return g.cache.Stats().Objects == 1 && g.cache.Stats().Filling == 0 })
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request, r := []byte("GET /b HTTP/1.1\r\nHost: a\r\n\r\n"), bufio.NewReader(c)
	hit := func() {
		c.Write(request)
		for line := []byte("head"); len(line) > len("\r\n"); {
			if line, err = r.ReadSlice('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Discard(2 * shelved); err != nil {
			t.Fatal(err)
		}
	}
	hit() // moves the body to the file
	if n := testing.AllocsPerRun(200, hit); n >= 1 && !raceDetector {
		t.Errorf("a hit allocates %v times, want 0", n)
	}
	if n := l.asked.Load(); n != 1 {
		t.Errorf("the origin was asked %d times, want once", n)
	}
}
