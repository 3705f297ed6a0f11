package gateway

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// longOrigin answers every request with the same content, in chunks, so that its length
// is known at the end alone. It counts the requests.
func longOrigin(t *testing.T, content []byte) (addr string, asked *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int64)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Cache-Control", "max-age=60")
		for at := 0; at < len(content); at += 30_000 {
			w.Write(content[at:min(at+30_000, len(content))])
		}
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr().String(), asked
}

// TestTooLongAnswersReachAllWhoWait: an answer turns out too long to be kept while
// several clients read it, one of them slowly, and one goes away in the middle. The
// others get all of it, and nobody finds it afterwards.
func TestTooLongAnswersReachAllWhoWait(t *testing.T) {
	content := make([]byte, 6<<20)
	rand.NewChaCha8([32]byte{7}).Read(content)
	origin, asked := longOrigin(t, content)
	for _, longest := range []string{"1MiB", "1KiB"} {
		addr, _ := start(t, plainListener+"clusters: { a: { origins: [{ address: \""+origin+"\" }] } }\n"+
			"cache: { enabled: true, max_object: "+longest+" }", Options{})
		var clients sync.WaitGroup
		for i := range 6 {
			clients.Go(func() {
				if err := fetchLong(addr, content, i); err != nil {
					t.Errorf("max_object %s, client %d: %v", longest, i, err)
				}
			})
		}
		clients.Wait()
		before := asked.Load()
		if err := fetchLong(addr, content, 0); err != nil {
			t.Error(err)
		}
		if asked.Load() != before+1 {
			t.Errorf("max_object %s: it was kept", longest)
		}
	}
}

// fetchLong is one client: the one numbered 5 goes away in the middle, the one numbered
// 4 reads little at a time.
func fetchLong(addr string, content []byte, number int) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Fprint(c, "GET /long HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	in := bufio.NewReaderSize(c, 4<<10)
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	body := io.Reader(answer.Body)
	switch number {
	case 5:
		_, err := io.CopyN(io.Discard, body, 2<<20)
		return err
	case 4:
		body = &sipping{body}
	}
	sum := sha256.New()
	n, err := io.Copy(sum, body)
	if want := sha256.Sum256(content); err == nil && string(sum.Sum(nil)) != string(want[:]) {
		err = fmt.Errorf("other content, of %d bytes", n)
	}
	return err
}

// sipping reads 1 KiB at a time.
type sipping struct{ from io.Reader }

func (s *sipping) Read(p []byte) (int, error) { return s.from.Read(p[:min(len(p), 1<<10)]) }
