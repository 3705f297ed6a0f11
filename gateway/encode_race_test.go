package gateway

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// revisions is an origin of pages, each answer of which is another version: its number stands in
// X-Version and in its tag, and its body is made from that. Now and then it says that what the
// gateway has still holds.
type revisions struct{ made, same, weak atomic.Int64 }

func versionBody(n int64) string { return linesOf(fmt.Sprint("version ", n), 1500+int(n%7)*9000) }

func (v *revisions) serve(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		const more = "Cache-Control: max-age=5\r\nContent-Type: text/css\r\n"
		_, tag, known := strings.Cut(head, "If-None-Match: ")
		tag, _, _ = strings.Cut(tag, "\r\n")
		if known && strings.HasPrefix(tag, "W/") {
			v.weak.Add(1)
		}
		if known && rand.IntN(3) > 0 {
			v.same.Add(1)
			fmt.Fprintf(c, "HTTP/1.1 304 Same\r\n%sETag: %s\r\nX-Version: %s\r\n\r\n", more, tag, strings.Trim(tag, `"`))
			continue
		}
		n := v.made.Add(1)
		body := versionBody(n)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%sETag: \"%d\"\r\nX-Version: %d\r\nContent-Length: %d\r\n\r\n%s", more, n, n, len(body), body)
	}
}

// rightForm says what is wrong with an answer.
func rightForm(t *testing.T, f form, accepts string) error {
	var n int64
	if _, err := fmt.Sscan(f.Header.Get("X-Version"), &n); err != nil {
		return fmt.Errorf("%d without a version: %v", f.StatusCode, f.Header)
	}
	whole, tag := versionBody(n), fmt.Sprintf("%q", fmt.Sprint(n))
	if f.coding() != "" {
		tag = "W/" + tag
	}
	switch got := f.Header.Get("Etag"); {
	case f.StatusCode == 304 && strings.TrimPrefix(got, "W/") == tag:
		return nil
	case got != tag:
		return fmt.Errorf("%d in %q of version %d has tag %s", f.StatusCode, f.coding(), n, got)
	case f.coding() != "" && !strings.Contains(accepts, f.coding()):
		return fmt.Errorf("in %s for who takes %q", f.coding(), accepts)
	case f.Request.Method == "HEAD":
		return nil
	case f.StatusCode == 206 && string(f.body) != whole[10:1400]:
		return fmt.Errorf("a wrong range of version %d", n)
	case f.StatusCode == 200 && f.decoded(t) != whole:
		return fmt.Errorf("%d bytes in %q are not those of version %d", len(f.body), f.coding(), n)
	}
	return nil
}

// No client gets a byte of another version, or in a coding that it does not take, whatever is
// purged, validated and evicted meanwhile.
func TestNoWrongBytesInCodings(t *testing.T) {
	t.Parallel()
	s := newShop(t, "")
	v := new(revisions)
	text := strings.Replace(s.text, s.home.addr, rawOrigin(t, v.serve).Addr().String(), 1)
	sizes := []string{"memory: 1MiB", "memory: 16MiB", "memory: 2MiB"}
	turn := func(n int) {
		apply(t, s.g, strings.Replace(text, "enabled: true", "enabled: true"+everyCoding+", "+sizes[n%len(sizes)], 1))
	}
	turn(0)
	var clients sync.WaitGroup
	for range 6 {
		clients.Go(func() {
			for range 120 {
				method, accepts := []string{"GET", "GET", "GET", "HEAD"}[rand.IntN(4)], []string{"", "gzip", "br, gzip;q=0.5", "zstd", "gzip, br, zstd"}[rand.IntN(5)]
				ask := []string{"Accept-Encoding: " + accepts}
				switch way := rand.IntN(8); {
				case way == 0:
					ask = append(ask, "Range: bytes=10-1399")
				case way == 1 && method == "GET": // HEAD goes to the origin as it came
					ask = append(ask, fmt.Sprintf("If-None-Match: W/\"%d\"", v.made.Load()))
				}
				f := s.form(t, method, fmt.Sprint("/", rand.IntN(3)), ask...)
				if err := rightForm(t, f, accepts); err != nil {
					t.Errorf("%s by %q: %v", method, ask, err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { clients.Wait(); close(done) }()
	for n := 1; ; n++ {
		select {
		case <-done:
		default:
			s.clock.Add(int64(n % 3))
			if n%5 == 0 {
				s.g.PurgeStored(StoredPurge{StoredSelection: StoredSelection{Match: fmt.Sprint("path:/", n%3)}, Soft: n%2 == 0})
			}
			if n%20 == 0 {
				turn(n / 20)
			}
			s.form(t, "GET", "/0", "Accept-Encoding: gzip")
			continue
		}
		break
	}
	for _, c := range []string{"gzip", "br", "zstd"} {
		if f := s.inCoding(t, c, "/0", "Accept-Encoding: "+c); rightForm(t, f, c) != nil {
			t.Error(rightForm(t, f, c))
		}
	}
	m := s.g.metrics.Current().Cache("default")
	t.Logf("%d versions, %d validated, %d encoded, %d sent in a coding", v.made.Load(), v.same.Load(), m.Encoded.Load(), m.Coded.Load())
	if n := v.weak.Load(); n > 0 || v.same.Load() == 0 {
		t.Errorf("the origin was asked %d times with a weak tag, and said %d times that it still holds", n, v.same.Load())
	}
}
