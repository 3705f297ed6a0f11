package cache

import (
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// FuzzStore: whatever a client and an origin say, what is stored of it is within bounds,
// is an answer that wire reads as the same fields, and is cut within its body.
func FuzzStore(f *testing.F) {
	for _, seed := range [][2]string{
		{"Range: bytes=0-4", "Content-Range: bytes 0-4/10\r\nETag: \"v1\"\r\nCache-Control: max-age=60"},
		{"Accept-Encoding: gzip", "Vary: Accept-Encoding, *\r\nExpires: Fri, 31 Dec 9999 23:59:59 GMT"},
		{"Cache-Control: max-stale, min-fresh=99999999999999999999", "Date: Sat, 01 Jan 0000 00:00:00 GMT\r\nAge: 1152921504606846976\r\nCache-Control: max-age=99999999999999999999, stale-if-error=99999999999999999999, stale-while-revalidate=99999999999999999999"},
		{"Range: bytes=1152921504606846976-", "Content-Range: bytes 1152921504606846976-1152921504606846980/*\r\nLast-Modified: Sat, 01 Jan 0000 00:00:00 GMT"},
		{"If-None-Match: \"v1\"", "ETag: W/\"v1\"\r\nSet-Cookie: a\r\nConnection: x\r\nX: 1\r\nCDN-Cache-Control: max-age=5;x=(1"},
	} {
		for _, status := range []int{200, 206, 304, 404} {
			f.Add(seed[0], seed[1], status, int64(5), int64(60))
		}
	}
	f.Fuzz(func(t *testing.T, request, answer string, status int, length, after int64) {
		r, ok := hostileRequest(request)
		var head wire.Head
		if !ok || status < 100 || status > 599 || head.ParseResponse([]byte(answer+"\r\n"), 1, &wire.Rules{}) != nil {
			t.Skip()
		}
		now := epoch.Add(time.Duration(after))
		a := &Answer{Status: status, Fields: head.Fields, Length: max(length, wire.UntilClose), Sent: epoch, Received: epoch.Add(time.Duration(after / 2))}
		for _, p := range policies() {
			s, why := p.Store(r, a, Override{})
			if (s == nil) != (why != 0) {
				t.Fatalf("stored %v, refused %v", s != nil, why)
			}
			if s == nil {
				continue
			}
			checkBounds(t, s, now)
			checkHead(t, s)
			checkReply(t, s, r)
			p.Use(s, r, now)
			p.MayUseStale(s, r, now, 503)
			if fresh, _ := refresh(p, s, r, a, Override{}); fresh != nil {
				checkBounds(t, fresh, now)
				checkHead(t, fresh)
			}
			if joined, _ := p.Join(s, r, a, Override{}); joined != nil {
				checkBounds(t, joined, now)
			}
		}
	})
}

func hostileRequest(text string) (*Request, bool) {
	var head wire.Head
	if head.ParseRequest([]byte("Host: shop.example\r\n"+text+"\r\n"), 1, &wire.Rules{}) != nil {
		return nil, false
	}
	r := new(Request)
	r.Read([]byte("GET"), head.Fields)
	return r, true
}

// checkBounds checks that no time is past what can be added up.
func checkBounds(t *testing.T, s *Stored, now time.Time) {
	t.Helper()
	f := s.Fresh
	for _, d := range []time.Duration{f.Age, f.Lifetime, f.WhileRevalidate, f.IfError, s.AgeAt(now)} {
		if d < 0 || d > longest {
			t.Fatalf("%v is out of bounds: %+v", d, f)
		}
	}
	if ttl := s.TTLAt(now); ttl > longest || ttl < -longest {
		t.Fatalf("ttl is %v: %+v", ttl, f)
	}
	if s.Length < -1 || s.Part.First < 0 || s.Part.Size < -1 || s.isPart() && s.Length <= 0 || s.isPart() && s.held().Last < s.Part.First {
		t.Fatalf("%d bytes of %+v", s.Length, s.Part)
	}
}

// checkHead checks that the head has the fields that are stored and no other line.
func checkHead(t *testing.T, s *Stored) {
	t.Helper()
	_, block, _ := cutByte(s.AppendHead(nil), '\n')
	var head wire.Head
	if err := head.ParseResponse(block, 1, &wire.Rules{Count: 1000}); err != nil {
		t.Fatalf("%q: %v", block, err)
	}
	if got, want := written(head.Fields), written(s.Fields); got != want {
		t.Fatalf("the head has %s, want %s", got, want)
	}
}

// checkReply checks that a reply lies within the body.
func checkReply(t *testing.T, s *Stored, r *Request) {
	t.Helper()
	y := s.Reply(r, s.Length)
	for _, span := range y.Parts() {
		if from, to := y.At(span); from < 0 || from >= to || to > s.Length {
			t.Fatalf("%v is %d to %d of %d bytes", span, from, to, s.Length)
		}
	}
	if y.Length < -1 {
		t.Fatalf("length %d", y.Length)
	}
}
