package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// No client gets a wrong byte from the store, whoever else asks, leaves or is slow, however
// the origin fails, and whatever is purged and reloaded meanwhile; and in the end nothing is
// left of it.
func TestNoWrongBytes(t *testing.T) {
	before := goleak.IgnoreCurrent()
	o := startBytesOrigin(t)
	h := &hurly{origin: o.Addr().String(), seen: make(map[string]int)}
	h.g = gateway.New(gateway.Options{Now: func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }})
	h.reload(t, 0)
	for _, a := range h.g.Addresses() {
		h.addr = a.String()
	}
	stop := make(chan struct{})
	var around, clients sync.WaitGroup
	around.Go(func() { h.disturb(t, stop) })
	for i := range 24 {
		clients.Go(func() { h.client(t, i, either(50, 60_000)) })
	}
	clients.Wait()
	close(stop)
	around.Wait()
	for until, turn := time.Now().Add(time.Minute), 0; h.seen["coded"] == 0 && time.Now().Before(until); turn++ {
		if err := h.ask(wanted{path: fmt.Sprint("/b5", turn/50), tier: "gold", accepts: "zstd"}, 2); err != nil {
			t.Error(err)
		}
	}
	h.g.Close()
	o.end()
	if n := o.weak.Load(); n > 0 {
		t.Errorf("the origin was asked %d times with a tag that it has not given", n)
	}
	t.Logf("%d answers of the origin: %v", o.serial.Load(), h.seen)
	for _, what := range []string{"200", "206", "cut", "left", "shared", "refused", "coded"} {
		if h.seen[what] == 0 {
			t.Errorf("%q was never seen", what)
		}
	}
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}

// A hurly is a gateway that much happens to at once.
type hurly struct {
	g            *gateway.Gateway
	origin, addr string
	ahead        atomic.Int64 // by so much its clock is

	mu   sync.Mutex
	seen map[string]int
	last sync.Map // serials that somebody was given
}

func (h *hurly) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[what]++
}

// reload makes another configuration current: the store is small, and its bounds change.
func (h *hurly) reload(t *testing.T, turn int) {
	more := fmt.Sprintf("memory: %dMiB, max_object: %dKiB, compress: [zstd, br, gzip]", 4+turn%3*4, 100+turn%2*300)
	cfg, problems := config.Parse("bytes.yaml", []byte(fmt.Sprintf(oneListener, h.origin, caching("conformance", more))))
	if problems.Errors() == 0 {
		problems = h.g.Apply(cfg)
	}
	if problems.Errors() > 0 {
		t.Error(problems)
	}
}

// disturb purges, reloads, and lets time pass.
func (h *hurly) disturb(t *testing.T, stop chan struct{}) {
	for turn := 1; ; turn++ {
		select {
		case <-stop:
			return
		case <-time.After(5 * time.Millisecond): // how often is the point
		}
		h.ahead.Add(int64(100 * time.Millisecond))
		match := fmt.Sprintf("path:/b%d", rand.IntN(6))
		if turn%2 == 0 {
			match = fmt.Sprintf("tag:t%d", rand.IntN(4))
		}
		if _, err := h.g.PurgeStored(gateway.StoredPurge{StoredSelection: gateway.StoredSelection{Match: match}, Soft: turn%4 < 2}); err != nil {
			t.Error(err)
		}
		if turn%20 == 0 {
			h.reload(t, turn/20)
		}
	}
}

// client asks n times, each on a connection of its own.
func (h *hurly) client(t *testing.T, number, n int) {
	for range n {
		if t.Failed() {
			return
		}
		q := wanted{path: fmt.Sprintf("/b%d", rand.IntN(6)), tier: []string{"gold", "iron"}[rand.IntN(2)]}
		q.accepts = []string{"", "gzip", "br", "gzip, br", "br;q=1, gzip", "GZIP", "zstd", "gzip;q=0.1, zstd;q=0.2"}[rand.IntN(8)]
		if rand.IntN(3) == 0 {
			first := rand.IntN(30_000)
			q.ranged = []string{"bytes=0-99", fmt.Sprintf("bytes=%d-", first), fmt.Sprintf("bytes=%d-%d", first, first+700), "bytes=-50", "bytes=0-15000"}[rand.IntN(5)]
		}
		if err := h.ask(q, number); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// wanted is what a client asks for.
type wanted struct{ path, tier, accepts, ranged string }

// ask asks, reads in the way of the client of that number, and says what is wrong.
func (h *hurly) ask(q wanted, number int) error {
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: shop.example\r\nTier: %s\r\nAccept-Encoding: %s\r\n", q.path, q.tier, q.accepts)
	if q.ranged != "" {
		head += "Range: " + q.ranged + "\r\n"
	}
	io.WriteString(c, head+"Connection: close\r\n\r\n")
	r, err := http.ReadResponse(bufio.NewReaderSize(c, 1<<10), nil)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	body, err := h.read(r.Body, number)
	if err == errLeft {
		h.note("left")
		return nil
	}
	return h.judge(q, r, body, err)
}

var errLeft = fmt.Errorf("the client has left")

// read reads a body: some clients go away in the middle, some are slow.
func (h *hurly) read(body io.Reader, number int) (all []byte, err error) {
	switch number % 4 {
	case 0:
		all, err = io.ReadAll(io.LimitReader(body, 10_000))
		if err == nil && len(all) == 10_000 {
			return nil, errLeft
		}
		return all, err
	case 1:
		for turn, p := 0, make([]byte, 3000); err == nil; turn++ {
			var n int
			n, err = body.Read(p)
			if all = append(all, p[:n]...); turn%16 == 15 {
				time.Sleep(time.Millisecond) // being slow is the point
			}
		}
		if err == io.EOF {
			err = nil
		}
		return all, err
	}
	return io.ReadAll(body)
}

// judge says whether it is exactly what one answer of the origin to such a request has.
func (h *hurly) judge(q wanted, r *http.Response, body []byte, cut error) error {
	n, ok := parseNonce(r.Header.Get("X-Nonce"))
	switch {
	case r.StatusCode == 416:
		return nil
	case !ok && r.StatusCode >= 502:
		h.note("refused")
		return nil
	case !ok:
		return fmt.Errorf("%d with nonce %q", r.StatusCode, r.Header.Get("X-Nonce"))
	case n.path != q.path || n.tier != q.tier || n.coding != codingOf(strings.ToLower(q.accepts)):
		return fmt.Errorf("the answer to another request: %v", n)
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" {
		if !n.text() || !strings.Contains(strings.ToLower(q.accepts), coding) || r.StatusCode != 200 || r.Header.Get("ETag") != fmt.Sprintf("W/%q", n.String()) {
			return fmt.Errorf("%d in %s with tag %s", r.StatusCode, coding, r.Header.Get("ETag"))
		}
		body, cut = decoded(coding, body, cut)
		h.note("coded")
	}
	whole, first, last := n.body(), 0, n.size-1
	if r.StatusCode == 206 {
		var size int
		if _, err := fmt.Sscanf(r.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size); err != nil || size != n.size || last >= size {
			return fmt.Errorf("Content-Range %q of %v", r.Header.Get("Content-Range"), n)
		}
	}
	want := whole[first : last+1]
	if !bytes.HasPrefix(want, body) || cut == nil && len(body) != len(want) {
		return fmt.Errorf("%d with %d bytes that are not those of %v", r.StatusCode, len(body), n)
	}
	if _, again := h.last.LoadOrStore(n.serial, true); again {
		h.note("shared")
	}
	if cut != nil {
		h.note("cut")
		return nil
	}
	h.note(fmt.Sprint(r.StatusCode))
	return nil
}

// decoded is as much as can be read of a body in a coding. One that has broken off is read as
// far as it goes.
func decoded(coding string, body []byte, cut error) ([]byte, error) {
	var r io.Reader
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "br":
		r = brotli.NewReader(bytes.NewReader(body))
	default:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1)); err == nil {
			defer d.Close()
			r = d
		}
	}
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(r)
	if cut == nil {
		return all, err
	}
	return all, cut
}
