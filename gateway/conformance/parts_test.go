package conformance

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

// Several ranges come as parts that any reader of multipart/byteranges can read (G1).
func TestPartsCanBeRead(t *testing.T) {
	w := newWorld(t, caching("conformance", ""))
	w.origin.scene("/parts", w.tick).say(items("Cache-Control: max-age=60 / Content-Type: text/plain / body abcdefghij"))
	for range 2 { // from the origin, and from the store
		l, err := dial(w.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		c, err := l.send(requestOf(items("GET /parts Range: bytes=0-1, -2, 4-5"), ""), w.patience)
		if err != nil {
			t.Fatal(err)
		}
		g := c.all()
		if g.err != nil || g.final.StatusCode != 206 {
			t.Fatalf("got %s, %v", &g, g.err)
		}
		if got, want := parts(t, g.final, g.body), "bytes 0-1/10 text/plain ab; bytes 8-9/10 text/plain ij; bytes 4-5/10 text/plain ef; "; got != want {
			t.Errorf("the parts are %s, want %s", got, want)
		}
	}
}

// parts tells those of an answer.
func parts(t *testing.T, r *http.Response, body string) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for in := multipart.NewReader(strings.NewReader(body), params["boundary"]); ; {
		p, err := in.NextPart()
		if err == io.EOF {
			return told.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		told.WriteString(p.Header.Get("Content-Range") + " " + p.Header.Get("Content-Type") + " " + string(content) + "; ")
	}
}
