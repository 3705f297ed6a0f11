package gateway

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// form is an answer in the form that it was sent in.
type form struct {
	*http.Response
	raw  string
	body []byte
}

// form asks for a path with a method and further header lines.
func (s *shop) form(t testing.TB, method, path string, lines ...string) form {
	t.Helper()
	head := method + " " + path + " HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"
	for _, line := range lines {
		head += line + "\r\n"
	}
	f := form{raw: send(t, s.addr, head+"\r\n")}
	var err error
	if f.Response, err = http.ReadResponse(bufio.NewReader(strings.NewReader(f.raw)), &http.Request{Method: method}); err == nil {
		f.body, err = io.ReadAll(f.Body)
	}
	if err != nil {
		t.Fatalf("%v in %.2000q", err, f.raw)
	}
	return f
}

// coding is the one that the answer was sent in.
func (f form) coding() string { return f.Header.Get("Content-Encoding") }

// decoded is what the body was before it was encoded.
func (f form) decoded(t testing.TB) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(f.body)
	var err error
	switch f.coding() {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "br":
		r = brotli.NewReader(r)
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1)); err == nil {
			defer d.Close()
			r = d
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%v in a body in %q of %d bytes", err, f.coding(), len(f.body))
	}
	return string(b)
}

// inCoding asks for a path until it comes in the coding, and returns that.
func (s *shop) inCoding(t testing.TB, want, path string, lines ...string) (f form) {
	t.Helper()
	until(t, path+" comes in "+want, func() bool {
		f = s.form(t, "GET", path, lines...)
		return f.coding() == want
	})
	return f
}

// linesOf is text of so many bytes, of its own for each name.
func linesOf(name string, n int) string {
	return strings.Repeat("this is a line of "+name+"\n", n/(19+len(name))+1)[:n]
}

// chance is text that no coding makes shorter.
func chance(n int) string {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{5}).Read(b)
	return string(b)
}

const everyCoding = ", compress: [br, zstd, gzip]"

// pages answers each path with lines of it, by what its first part says.
func pages(head string) (fields, body string) {
	target := targetOfHead(head)
	return "Cache-Control: max-age=60\r\nContent-Type: text/html\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\nVary: X-Tier\r\n", linesOf(target, 20_000)
}

// chunkedOrigin answers everything with a body in chunks.
func chunkedOrigin(fields, body string) func(net.Conn) {
	return func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			if _, err := readRawHead(r); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\n"+fields+"Transfer-Encoding: chunked\r\n\r\n")
			for rest := body; len(rest) > 0; {
				n := min(len(rest), 50_000)
				fmt.Fprintf(c, "%x\r\n%s\r\n", n, rest[:n])
				rest = rest[n:]
			}
			io.WriteString(c, "0\r\n\r\n")
		}
	}
}
