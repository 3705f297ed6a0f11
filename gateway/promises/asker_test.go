package promises

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/sdk/go/gw1test/gw1wasm"
)

// An asker is a client that asks for one path after the other at a steady pace, and
// counts what it gets.
type asker struct {
	addr, host string
	paths      []string
	pace       time.Duration

	asked   int
	got     map[string]int // status and reason
	slowest time.Duration

	c  net.Conn
	in *bufio.Reader
}

// ask asks until it is told to stop.
func (k *asker) ask(stop chan struct{}) {
	defer k.hangUp()
	tick := time.NewTicker(k.pace)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			k.once(k.paths[k.asked%len(k.paths)])
		}
	}
}

func (k *asker) once(path string) {
	if k.c == nil {
		c, err := dialed(k.addr)
		if err != nil {
			k.got[err.Error()]++
			return
		}
		k.c, k.in = c, bufio.NewReader(c)
	}
	began := time.Now()
	k.c.SetDeadline(began.Add(time.Minute))
	answer, err := k.answer(path)
	k.slowest = max(k.slowest, time.Since(began))
	k.asked++
	if err != nil {
		answer = err.Error()
	}
	k.got[answer]++
}

// answer is status and reason of the answer to one request.
func (k *asker) answer(path string) (string, error) {
	fmt.Fprintf(k.c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, k.host)
	r, err := http.ReadResponse(k.in, nil)
	if err != nil {
		k.hangUp()
		return "", err
	}
	page, err := io.ReadAll(r.Body)
	if r.Close || err != nil {
		k.hangUp()
	}
	return strings.TrimSpace(fmt.Sprint(r.StatusCode, " ", reasonIn(page))), err
}

func (k *asker) hangUp() {
	if k.c != nil {
		k.c.Close()
		k.c = nil
	}
}

// text is what it got.
func (k *asker) text() string { return strings.Join(slices.Sorted(maps.Keys(k.got)), ", ") }

// evilFile is the file of a guest that misbehaves.
func evilFile(t *testing.T, guest string) string {
	if guest == goGuest {
		return builtGuest(t)
	}
	return wasmFile(t, "evil/call/"+guest)
}

// built is the guest of testdata/goguest, which is built once.
var built struct {
	once sync.Once
	wasm []byte
}

// builtGuest is a file with the Go guest.
func builtGuest(t *testing.T) string {
	t.Helper()
	built.once.Do(func() { built.wasm = read(t, gw1wasm.GoModule(t, filepath.Join("testdata", "goguest"))) })
	file := filepath.Join(t.TempDir(), "goguest.wasm")
	write(t, file, built.wasm)
	return file
}
