package cache

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestRangesOfAWhole is G1.
func TestRangesOfAWhole(t *testing.T) {
	const first = "Cache-Control: max-age=60 / ETag: \"v1\" / Last-Modified: D(-50)"
	many := strings.Repeat("0-0,", MaxSpans)
	for _, tt := range []struct{ request, want string }{
		{"Range: bytes=7-", "206 7-9"},
		{"Range: bytes=0-0", "206 0-0"},
		{"Range: bytes=0-9", "206 0-9"},
		{"Range: bytes=2-99", "206 2-9"},
		{"Range: bytes=-3", "206 7-9"},
		{"Range: bytes=-99", "206 0-9"},
		{"Range: Bytes=1-2", "206 1-2"},
		{"Range: bytes= 1-2 ", "206 1-2"},
		{"Range: bytes=10-", "416"},
		{"Range: bytes=10-12", "416"},
		{"Range: bytes=-0", "416"},
		{"Range: bytes=99999999999999999999-", "416"},
		{"Range: bytes=1152921504606846976-1152921504606846977", "416"},
		{"Range: bytes=2-99999999999999999999", "206 2-9"},
		{"Range: bytes=-99999999999999999999", "206 0-9"},
		{"Range: bytes=12-, 3-4", "206 3-4"},
		{"Range: bytes=1-2,5-6", "206 1-2 5-6"},
		{"Range: bytes=5-6,, ,1-2,", "206 5-6 1-2"},
		{"Range: bytes=5-6,1-2,2-3", "206 1-3 5-6"},
		{"Range: bytes=5-6,1-4", "206 1-6"},
		{"Range: bytes=-1,0-0,3-8", "206 0-0 3-9"},
		{"Range: bytes=" + many, "206 0-0"},
		{"Range: bytes=" + many + "3-3", "200"},
		{"Range: bytes=2-1", "200"},
		{"Range: bytes=1-2,4-3", "200"},
		{"Range: bytes=", "200"},
		{"Range: bytes=,", "200"},
		{"Range: bytes=-", "200"},
		{"Range: bytes=x-", "200"},
		{"Range: bytes=1", "200"},
		{"Range: bytes=1 -2", "200"},
		{"Range: bytes=+1-2", "200"},
		{"Range: bytes 1-2", "200"},
		{"Range: lines=1-2", "200"},
		{"HEAD Range: bytes=1-2", "200"},
		{"Range: bytes=1-2 / If-Range: \"v1\"", "206 1-2"},
		{"Range: bytes=1-2 / If-Range: \"v2\"", "200"},
		{"Range: bytes=1-2 / If-Range: W/\"v1\"", "200"},
		{"Range: bytes=1-2 / If-Range: D(-50)", "206 1-2"},
		{"Range: bytes=1-2 / If-Range: D(-49)", "200"},
		{"Range: bytes=1-2 / If-Range: yesterday", "200"},
		{"Range: bytes=1-2 / If-None-Match: \"v1\"", "304"},
		{"Range: bytes=10- / If-None-Match: \"v1\"", "304"},
		{"If-Range: \"v2\"", "200"},
	} {
		s := stored(t, policies()[""], request(t, ""), answer(t, first))
		if got := replyTo(s, request(t, tt.request)); got != tt.want {
			t.Errorf("G1: %q: %s, want %s", tt.request, got, tt.want)
		}
	}
	for _, tt := range []struct{ answer, request, want string }{
		{"Cache-Control: max-age=60 / ETag: W/\"v1\"", "Range: bytes=1-2 / If-Range: W/\"v1\"", "200"},
		{"Cache-Control: max-age=60 / Last-Modified: D(0)", "Range: bytes=1-2 / If-Range: D(0)", "200"},
		{"404 Cache-Control: max-age=60", "Range: bytes=1-2", "404"},
		{"Content-Range: bytes 4-9/10 / Cache-Control: max-age=60", "", "200"},
		{"Content-Range: bytes 4-9/10 / Cache-Control: max-age=60", "Range: bytes=1-2", "206 1-2"},
	} {
		s := stored(t, policies()[""], request(t, ""), answer(t, tt.answer))
		if got := replyTo(s, request(t, tt.request)); got != tt.want {
			t.Errorf("G1, G6: %q, %q: %s, want %s", tt.answer, tt.request, got, tt.want)
		}
	}
}

// TestRangesOfWhatHasNoLength: none is cut, nor one of nothing.
func TestRangesOfWhatHasNoLength(t *testing.T) {
	s := stored(t, policies()[""], request(t, ""), answer(t, "Cache-Control: max-age=60"))
	for _, length := range []int64{-1, 0} {
		y := s.Reply(request(t, "Range: bytes=0-1"), length)
		if y.Status != 200 || len(y.Parts()) != 0 || y.Length != length {
			t.Errorf("length %d: %+v", length, y)
		}
	}
}

// render returns the whole reply to r of an answer with that body.
func render(s *Stored, r *Request, body string) string {
	y := s.Reply(r, int64(len(body)))
	y.Seed = 0xfedcba9876543210
	out := append(s.AppendReply(nil, &y), "\r\n"...)
	head := len(out)
	for _, span := range y.Parts() {
		if len(y.Parts()) > 1 {
			out = s.AppendPart(out, &y, span)
		}
		from, to := y.At(span)
		out = append(out, body[from:to]...)
	}
	switch {
	case len(y.Parts()) > 1:
		out = y.AppendEnd(out)
	case len(y.Parts()) == 0 && y.Length > 0:
		out = append(out, body...)
	}
	if int64(len(out)-head) != y.Length {
		return fmt.Sprintf("%d bytes are said to be %d:\n%s", len(out)-head, y.Length, out)
	}
	return string(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")))
}

func TestRepliesOnTheWire(t *testing.T) {
	const body = "abcdefghij"
	a := answer(t, "Content-Type: text/plain / Cache-Control: max-age=60 / ETag: \"v1\" / Vary: Tier / X: 1 / Content-Language: en / Content-Location: /b / Age: 9")
	a.Reason = []byte("Fine")
	s := stored(t, policies()[""], request(t, ""), a)
	const date = "Date: Sun, 01 Mar 2026 12:00:00 GMT\n"
	for _, tt := range []struct{ id, request, want string }{
		{"whole", "", "HTTP/1.1 200 Fine\n" + date + "Content-Type: text/plain\nCache-Control: max-age=60\nETag: \"v1\"\nVary: Tier\nX: 1\nContent-Language: en\nContent-Location: /b\n\nabcdefghij"},
		{"G1", "Range: bytes=7-", "HTTP/1.1 206 Partial Content\n" + date + "Content-Type: text/plain\nCache-Control: max-age=60\nETag: \"v1\"\nVary: Tier\nX: 1\nContent-Language: en\nContent-Location: /b\nContent-Range: bytes 7-9/10\n\nhij"},
		{"G1", "Range: bytes=10-", "HTTP/1.1 416 Range Not Satisfiable\n" + date + "ETag: \"v1\"\nVary: Tier\nContent-Range: bytes */10\n\n"},
		{"C1", "If-None-Match: *", "HTTP/1.1 304 Not Modified\n" + date + "Cache-Control: max-age=60\nETag: \"v1\"\nVary: Tier\nX: 1\nContent-Location: /b\n\n"},
		{"G1", "Range: bytes=0-0,8-", "HTTP/1.1 206 Partial Content\n" + date + "Cache-Control: max-age=60\nETag: \"v1\"\nVary: Tier\nX: 1\nContent-Language: en\nContent-Location: /b\n" +
			"Content-Type: multipart/byteranges; boundary=fedcba9876543210\n\n" +
			"\n--fedcba9876543210\nContent-Type: text/plain\nContent-Range: bytes 0-0/10\n\na" +
			"\n--fedcba9876543210\nContent-Type: text/plain\nContent-Range: bytes 8-9/10\n\nij" +
			"\n--fedcba9876543210--\n"},
	} {
		if got := render(s, request(t, tt.request), body); got != tt.want {
			t.Errorf("%s: %q:\n%s\nwant\n%s", tt.id, tt.request, got, tt.want)
		}
	}
}

// TestLengthOfSeveralRanges: it is what is sent, without a media type and of a body whose
// positions have many digits.
func TestLengthOfSeveralRanges(t *testing.T) {
	s := stored(t, policies()[""], request(t, ""), answer(t, "Cache-Control: max-age=60"))
	body := strings.Repeat("x", 123456)
	got := render(s, request(t, "Range: bytes=0-9,99-100,99999-123455"), body)
	if !strings.HasPrefix(got, "HTTP/1.1 206 ") || !strings.Contains(got, "Content-Range: bytes 99-100/123456\n") {
		t.Errorf("got %.300s", got)
	}
}

// TestContentRange: what is contradictory, or too large to be counted, is none.
func TestContentRange(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"bytes 0-4/10", "0-4/10"},
		{"bytes 0-4/*", "0-4/-1"},
		{"BYTES 4-4/5", "4-4/5"},
		{"bytes 0-1152921504606846975/1152921504606846976", "0-1152921504606846975/1152921504606846976"},
		{"bytes 0-9223372036854775807/*", "none"},
		{"bytes 0-99999999999999999999/999999999999999999999", "none"},
		{"bytes 9223372036854775806-9223372036854775806/9223372036854775807", "none"},
		{"bytes */10", "none"},
		{"bytes 4-3/10", "none"},
		{"bytes 0-10/10", "none"},
		{"bytes 0-4/4", "none"},
		{"bytes 0-0/0", "none"},
		{"bytes -4/10", "none"},
		{"bytes 0-/10", "none"},
		{"bytes 0-4/", "none"},
		{"bytes 0-4", "none"},
		{"bytes=0-4/10", "none"},
		{"bytes  0-4/10", "none"},
		{"bytes 0 - 4/10", "none"},
		{"bytes 0-4/10, 5-9/10", "none"},
		{"bytes 0-4/10/10", "none"},
		{"bytes -1-4/10", "none"},
		{"lines 0-4/10", "none"},
		{"", "none"},
	} {
		got := "none"
		if span, size, ok := parseContentRange([]byte(tt.text)); ok {
			got = fmt.Sprintf("%d-%d/%d", span.First, span.Last, size)
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}
