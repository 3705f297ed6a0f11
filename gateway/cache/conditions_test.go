package cache

import (
	"fmt"
	"testing"

	"weirkeep/gateway/wire"
)

// replyTo says what r gets of a stored answer of 10 bytes: the status, and the ranges.
func replyTo(s *Stored, r *Request) string {
	y := s.Reply(r, s.Length)
	text := fmt.Sprint(y.Status)
	for _, span := range y.Parts() {
		text += fmt.Sprintf(" %d-%d", span.First, span.Last)
	}
	return text
}

func TestClientsThatHaveIt(t *testing.T) {
	const (
		tagged = "Cache-Control: max-age=60 / ETag: \"v1\" / Last-Modified: D(-50)"
		weak   = "Cache-Control: max-age=60 / ETag: W/\"v1\""
		dated  = "Cache-Control: max-age=60 / Last-Modified: D(-50)"
		plain  = "Cache-Control: max-age=60"
	)
	for _, tt := range []struct{ id, answer, request, want string }{
		{"C1", tagged, `If-None-Match: "v1"`, "304"},
		{"C1", tagged, `If-None-Match: W/"v1"`, "304"},
		{"C1", weak, `If-None-Match: "v1"`, "304"},
		{"C1", weak, `If-None-Match: W/"v1"`, "304"},
		{"C1", tagged, `If-None-Match: *`, "304"},
		{"C1", plain, `If-None-Match: *`, "304"},
		{"C1", tagged, `If-None-Match: "a", "v1"`, "304"},
		{"C1", tagged, `If-None-Match: "v1", "a"`, "304"},
		{"C1", tagged, `If-None-Match: "a","v1" , W/"b"`, "304"},
		{"C1", tagged, `If-None-Match: "a" / If-None-Match: "v1"`, "304"},
		{"C1", tagged, `If-None-Match: "a"`, "200"},
		{"C1", tagged, `If-None-Match: "V1"`, "200"},
		{"C1", tagged, `If-None-Match: "a,"v1"`, "200"},
		{"C1", tagged, `If-None-Match: v1`, "200"},
		{"C1", tagged, `If-None-Match:`, "200"},
		{"C1", plain, `If-None-Match: "v1"`, "200"},
		{"C1", "Cache-Control: max-age=60 / ETag: \"a, b\\\"", `If-None-Match: "x", "a, b\", "y"`, "304"},
		{"C1", "Cache-Control: max-age=60 / ETag: v1", `If-None-Match: "a", v1`, "304"},
		{"C1", "Cache-Control: max-age=60 / ETag: v1", `If-None-Match: "v1"`, "200"},
		{"C1", "404 " + tagged, `If-None-Match: "v1"`, "404"},
		{"C1", "301 " + tagged, `If-None-Match: *`, "301"},
		{"C1", tagged, `HEAD If-None-Match: "v1"`, "304"},
		{"C2", tagged, `If-None-Match: "v1" / If-Modified-Since: D(-90)`, "304"},
		{"C2", tagged, `If-None-Match: "a" / If-Modified-Since: D(0)`, "200"},
		{"C3", dated, "If-Modified-Since: D(-50)", "304"},
		{"C3", dated, "If-Modified-Since: D(-49)", "304"},
		{"C3", dated, "If-Modified-Since: D(-51)", "200"},
		{"C3", dated, "If-Modified-Since: Sunday, 01-Mar-26 12:00:00 GMT", "304"},
		{"C3", dated, "If-Modified-Since: Sun Mar  1 12:00:00 2026", "304"},
		{"C3", dated, "If-Modified-Since: yesterday", "200"},
		{"C3", dated, "If-Modified-Since: D(0) / If-Modified-Since: D(0)", "200"},
		{"C3", tagged, "If-Modified-Since: D(0)", "304"},
		{"C3 Date stands for Last-Modified", plain, "If-Modified-Since: D(0)", "304"},
		{"C3 Date stands for Last-Modified", plain, "If-Modified-Since: D(-1)", "200"},
		{"C3", "404 " + dated, "If-Modified-Since: D(0)", "404"},
	} {
		s := stored(t, policies()[""], request(t, ""), answer(t, tt.answer))
		if got := replyTo(s, request(t, tt.request)); got != tt.want {
			t.Errorf("%s: %q of %q: %s, want %s", tt.id, tt.request, tt.answer, got, tt.want)
		}
	}
}

func TestConditionsOfTheOrigin(t *testing.T) {
	check(t, policies()[""], []row{
		{id: "C4", answer: "Cache-Control: max-age=60 / ETag: \"v1\"", next: `If-Match: "v1"`, want: "fetch"},
		{id: "C4", answer: "Cache-Control: max-age=60 / ETag: \"v1\"", next: "If-Unmodified-Since: D(0)", want: "fetch"},
	})
}

// TestTheOriginIsAskedWithWhatItGave is C5: byte for byte.
func TestTheOriginIsAskedWithWhatItGave(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{"ETag: \"v1\"", "If-None-Match: \"v1\""},
		{"ETag: W/\"v1\"", "If-None-Match: W/\"v1\""},
		{"ETag: v1", "If-None-Match: v1"},
		{"Last-Modified: Sunday, 01-Mar-26 10:00:00 GMT", "If-Modified-Since: Sunday, 01-Mar-26 10:00:00 GMT"},
		{"Last-Modified: sun, 01 mar 2026 10:00:00 gmt / ETag: \"v1\"", "If-None-Match: \"v1\" / If-Modified-Since: sun, 01 mar 2026 10:00:00 gmt"},
		{"Last-Modified: yesterday / Cache-Control: max-age=60", ""},
		{"ETag: / Cache-Control: max-age=60", ""},
		{"ETag: \"v1\" / ETag: \"v2\" / Cache-Control: max-age=60", ""},
	} {
		s := stored(t, policies()[""], request(t, ""), answer(t, tt.answer))
		var room [2]wire.Field
		if got := written(s.AppendConditions(room[:0])); got != tt.want {
			t.Errorf("%q is asked for with %q, want %q", tt.answer, got, tt.want)
		}
	}
	for name, want := range map[string]bool{
		"If-None-Match": true, "if-modified-since": true, "Range": true, "IF-RANGE": true,
		"If-Match": false, "If-Unmodified-Since": false, "Cookie": false,
	} {
		if IsReplaced([]byte(name)) != want {
			t.Errorf("IsReplaced(%s) is %v", name, !want)
		}
	}
}
