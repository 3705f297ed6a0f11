package session

import (
	"bytes"
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

// FuzzFind: Find and Learn agree with a naive reader; and whatever a client
// sends as its id after an answer is the id that was learned from that answer.
func FuzzFind(f *testing.F) {
	f.Add("a=1; SID=abc", "/cart;sid=x/y", "SID", "sid")
	f.Add(`SID=""; SID="a"`, "/%73hop;%73id=%7e%2f?sid=1&sid", "SID", "sid")
	f.Add("SID", "/caf\xc3\xa9;sid=|?;sid=", "SID", "sid")
	f.Add("=; =x", "/;=?=&&", "", "")
	f.Add("S=ID=x; Max-Age=-", "//a;b=/;b=c;", "S=ID", "b")
	f.Fuzz(func(t *testing.T, value, url, cookie, param string) {
		d, cookies := names(cookie, param), []wire.Field{{Name: []byte("Cookie"), Value: []byte(value)}}
		var target wire.Target
		if err := target.Parse([]byte(url)); err != nil || !wire.IsValue([]byte(value)) {
			return
		}
		got, want := found(d.Find(cookies, target.Path, target.Query)), naiveFind(d, cookies, string(target.Path), string(target.Query))
		if got != want {
			t.Errorf("Find() = %q, want %q", got, want)
		}
		if id, from := d.Find(cookies, nil, nil); from == FromCookie {
			answer := []wire.Field{{Name: []byte("set-cookie"), Value: []byte(d.Cookie + "=" + string(id) + "; Path=/")}}
			if got := found(d.Learn(answer)); got != found(wire.Unquote(id), FromCookie) && len(wire.Unquote(id)) > 0 {
				t.Errorf("learned %q from %q", got, answer[0].Value)
			}
		}
		location := []wire.Field{{Name: []byte("Location"), Value: append([]byte(url), "#;sid=x"...)}}
		if learned, sent := found(d.Learn(location)), found(d.Find(nil, target.Path, target.Query)); learned != sent {
			t.Errorf("learned %q from a Location that leads to %q", learned, sent)
		}
	})
}

// names makes a definition with names that may be configured.
func names(cookie, param string) *Definition {
	d := &Definition{Cookie: cookie, URLParam: param}
	if !wire.IsToken([]byte(cookie)) {
		d.Cookie = "SID"
	}
	if strings.Trim(param, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~") != "" {
		d.URLParam = "sid"
	}
	return d
}

// FuzzLinks: where a page is split changes nothing; another reader of HTML
// finds the same id; and no page hides a link that stood before it.
func FuzzLinks(f *testing.F) {
	for _, tt := range pages {
		f.Add([]byte(tt.page), uint16(len(tt.page)/2))
	}
	f.Fuzz(func(t *testing.T, page []byte, cut uint16) {
		at := min(int(cut), len(page))
		whole, split := linked(both, string(page)), linked(both, string(page[:at]), string(page[at:]))
		if whole != split {
			t.Errorf("%q: learned %q; %q when split at %d", page, whole, split, at)
		}
		if got := linked(both, `<a href="/;sid=first">`, string(page)); got != "first" {
			t.Errorf("%q: learned %q, want that of the link before it", page, got)
		}
		ended := string(page) + `"'>` // the other reader drops a tag that does not end
		if got, want := linked(both, ended), naiveLinks(both, ended); got != want && alike(page) {
			t.Errorf("%q: learned %q, want %q", ended, got, want)
		}
	})
}

// alike reports whether the other reader takes a page as Links does. It knows
// references by name, and scripts within comments within scripts; it takes CR
// for LF, and noscript and plaintext for text.
func alike(page []byte) bool {
	lower := bytes.ToLower(page)
	for _, other := range []string{"&", "\r", "\x00", "noscript", "plaintext", "<!--"} {
		if other == "<!--" && !bytes.Contains(lower, []byte("script")) {
			continue
		}
		if bytes.Contains(lower, []byte(other)) {
			return false
		}
	}
	return len(page) < linkLimit
}
