package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
)

// pageOrigin is an origin's connection that answers with a template, or with a fragment of 1 KB.
type pageOrigin struct {
	replay
	answer []byte
}

func (o *pageOrigin) Write(p []byte) (int, error) {
	fields, body := "Content-Type: text/html\r\nSurrogate-Control: max-age=315360000, content=\"ESI/1.0\"\r\n", pageOfThree
	if bytes.HasPrefix(p, []byte("GET /f")) {
		fields, body = "Content-Type: text/html\r\nCache-Control: max-age=315360000\r\nVary: Accept-Encoding\r\n", strings.Repeat("f", 1024)
	}
	o.answer = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nDate: Sun, 29 Nov 2026 12:00:00 GMT\r\n%sContent-Length: %d\r\n\r\n%s", fields, len(body), body)
	return len(p), nil
}

func (o *pageOrigin) Read(p []byte) (int, error) {
	n := copy(p, o.answer)
	o.answer = o.answer[n:]
	return n, nil
}

// pageOfThree is a template with three fragments, in 1 KB of other text.
var pageOfThree = fmt.Sprintf(`%[1]s<esi:include src="/f/1"/>%[1]s<esi:include src="/f/2"/>%[1]s<esi:include src="/f/3"/>%[1]s`, strings.Repeat("t", 256))

func pageGateway(tb testing.TB) (*Gateway, *replay) {
	tb.Helper()
	g := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return new(pageOrigin), nil }})
	tb.Cleanup(func() { g.Close() })
	apply(tb, g, plainListener+"clusters: { app: { origins: [{ address: \"10.0.0.1:80\" }] } }\ncache: { enabled: true }\n")
	client := &replay{request: []byte(browserGET), left: 2, at: 0}
	if err := g.ServeConn(client); err != nil {
		tb.Fatal(err)
	}
	return g, client
}

// Budget (design, section 8): a page with three stored fragments takes 0.15 of the processor time of
// Varnish as a whole process; measured: 0.17 on a busy machine. What is measured here is the walk without
// the kernel.
func BenchmarkPage(b *testing.B) {
	g, client := pageGateway(b)
	b.ReportAllocs()
	client.left, client.at = b.N+1, len(client.request)
	if err := g.ServeConn(client); err != nil {
		b.Fatal(err)
	}
	if !bytes.Contains(client.got, []byte("tf")) || bytes.Contains(client.got, []byte("<esi")) {
		b.Fatalf("the answer was %q", client.got)
	}
}
