package cache

import "testing"

// asEdge is a policy of the device edge-1.
func asEdge() *Policy {
	p := Default()
	p.Device = "edge-1"
	return &p
}

// TestContent: what has to be done with a body is kept as it is said to us, and told alike of
// an answer that is not stored.
func TestContent(t *testing.T) {
	for _, tt := range []struct{ id, answer, want string }{
		{"nothing", "Cache-Control: max-age=60", ""},
		{"nothing of that", "Surrogate-Control: max-age=60", ""},
		{"one", `Surrogate-Control: max-age=60, content="ESI/1.0"`, "ESI/1.0"},
		{"several", `Surrogate-Control: content="ESI/1.0  X/2", max-age=60`, "ESI/1.0  X/2"},
		{"any case", `SURROGATE-control: Max-Age=60, Content=esi/1.0`, "esi/1.0"},
		{"another line", `Surrogate-Control: max-age=60 / Surrogate-Control: content="ESI/1.0"`, "ESI/1.0"},
		{"and nothing of storing", `Surrogate-Control: content="ESI/1.0" / Cache-Control: max-age=60`, "ESI/1.0"},
		{"to us", `Surrogate-Control: content="ESI/1.0";edge-1, content="X/2", max-age=60`, "ESI/1.0"},
		{"to another", `Surrogate-Control: content="ESI/1.0";edge-2, max-age=60`, ""},
		{"that there is nothing to do", `Surrogate-Control: content="", max-age=60`, ""},
	} {
		a := answer(t, tt.answer)
		if got := stored(t, asEdge(), request(t, ""), a).Content; got != tt.want {
			t.Errorf("%s: %q is kept, want %q", tt.id, got, tt.want)
		}
		if got := ContentOf(a.Fields, "edge-1"); got != tt.want {
			t.Errorf("%s: %q is told, want %q", tt.id, got, tt.want)
		}
	}
}

// TestContentStaysWithTheBytes: updates of a template are said of its head alone: the bytes are the same, and so is what has to
// be done with them, unless the update says that itself.
func TestContentStaysWithTheBytes(t *testing.T) {
	for _, tt := range []struct{ id, update, want string }{
		{"nothing", "X-New: 1", "ESI/1.0"},
		{"nothing of that", "Surrogate-Control: max-age=90", "ESI/1.0"},
		{"something else", `Surrogate-Control: content="X/2"`, "X/2"},
		{"that there is nothing to do", `Surrogate-Control: content=""`, ""},
		{"something to another", `Surrogate-Control: content="X/2";edge-2`, "ESI/1.0"},
	} {
		p, r := asEdge(), request(t, "")
		s := stored(t, p, r, answer(t, `ETag: "v1" / Surrogate-Control: content="ESI/1.0", max-age=60`))
		for n := range 2 { // the second one says nothing, and changes nothing
			var why Refusal
			if s, why = refresh(p, s, r, answer(t, `304 ETag: "v1" / `+[]string{tt.update, "X-New: 2"}[n]), Override{}); why != 0 && why != RefusedUnknown {
				t.Fatalf("%s: %v", tt.id, why)
			}
			if s.Content != tt.want {
				t.Errorf("%s, after %d updates: %q, want %q", tt.id, n+1, s.Content, tt.want)
			}
		}
		s = stored(t, p, r, answer(t, `ETag: "v1" / Surrogate-Control: content="ESI/1.0", max-age=60`))
		if head, _ := p.RefreshHead(s, r, answer(t, `ETag: "v1" / `+tt.update), Override{}); head.Content != tt.want {
			t.Errorf("%s, of HEAD: %q, want %q", tt.id, head.Content, tt.want)
		}
	}
}

// A part and its rest are a template if they make one; a slice never is.
func TestContentOfPieces(t *testing.T) {
	const says = `Surrogate-Control: content="ESI/1.0", max-age=60 / ETag: "v1"`
	p := asEdge()
	s := stored(t, p, request(t, "Range: bytes=0-4"), partOf(t, says+" / Content-Range: bytes 0-4/10", 5))
	joined, why := p.Join(s, request(t, ""), partOf(t, `ETag: "v1" / Content-Range: bytes 5-9/10`, 5), Override{})
	if why != 0 || joined.Content != "ESI/1.0" {
		t.Errorf("joined: %v, %+v", why, joined)
	}
	whole, r := sliced(t), request(t, "")
	r.Range = whole.Slices.AppendRange(nil, 0)
	slice, why, _ := p.Slice(whole, 0, r, partOf(t, says+" / Content-Range: bytes 0-9/25", 10), Override{})
	if why != 0 || slice.Content != "" {
		t.Errorf("a slice: %v, %+v", why, slice)
	}
}

// A filter that makes something else of an answer says also what has to be done with that.
func TestContentIsOfWhatWasMade(t *testing.T) {
	const says = `Surrogate-Control: content="ESI/1.0", max-age=60`
	for made, want := range map[string]string{says + " / X-Made: 1": "ESI/1.0", "Cache-Control: max-age=60": "", `Surrogate-Control: content=X, max-age=60`: "X"} {
		if got := madeOf(t, asEdge(), says, made).Content; got != want {
			t.Errorf("%s: %q, want %q", made, got, want)
		}
	}
}

// What is not stored is known as it came, cookies included; nothing in it is a view.
func TestUnstored(t *testing.T) {
	p, a := asEdge(), answer(t, `404 Surrogate-Control: content="ESI/1.0", max-age=60 / Set-Cookie: a=1 / Age: 5 / Connection: X-Hop / X-Hop: 1 / ETag: "v1"`)
	a.Reason, p.SetCookie = []byte("Gone fishing"), StripCookies
	s := p.Unstored(a)
	want := dated(`Date: D(0) / Surrogate-Control: content="ESI/1.0", max-age=60 / Set-Cookie: a=1 / ETag: "v1"`)
	for _, f := range a.Fields {
		clear(f.Value)
	}
	clear(a.Reason)
	if got := written(s.Fields); got != want || s.Status != 404 || s.Length != 10 || s.Content != "ESI/1.0" || string(s.Reason) != "Gone fishing" {
		t.Errorf("%+v, with %s, want %s", s, got, want)
	}
	if s.Fresh != (Freshness{Received: epoch}) {
		t.Errorf("it has a lifetime: %+v", s.Fresh)
	}
}
