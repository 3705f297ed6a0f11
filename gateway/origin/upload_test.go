package origin

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// Request and answer pass at the same time: each piece of the body comes back
// before the next one is sent.
func TestFullDuplex(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		length int64
		head   string // of a piece, as the origin gets it
		end    string
	}{
		{"length", 15, "", ""},
		{"chunked", wire.Chunked, "5\r\n", "0\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			piece := tt.head + "ping"
			got := make(chan string, 1)
			p := newPool(t, listen(t, func(_ int, p *peer) {
				all := p.head()
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n")
				for range 3 {
					s := p.body(len(piece) + 1 + len(tt.head)/3*2)
					all += s
					p.say(s[len(tt.head):][:5])
				}
				got <- all + p.body(len(tt.end))
				p.head()
			}))
			trip, f := newUpload(newClient(), tt.length)
			if err := p.Begin(trip, time.Now()); err != nil {
				t.Fatal(err)
			}
			var content string
			for i := range 3 {
				f.pieces <- feedPiece(tt.length, "ping"+string(rune('0'+i)))
				for want := len(content) + 5; len(content) < want; {
					view, err := trip.Body.Next()
					if err != nil {
						t.Fatal(err)
					}
					content += string(view)
					trip.Body.Consume(len(view))
				}
			}
			if tt.length == wire.Chunked {
				f.pieces <- "0\r\n\r\n"
			}
			await(t, "the upload has ended", func() bool { return !trip.Uploading() })
			if early := trip.End(true); early || content != "ping0ping1ping2" || p.Idle() != 1 {
				t.Errorf("early %v, content %q, %d idle; want false, ping0ping1ping2 and 1", early, content, p.Idle())
			}
			if n := strings.Count(<-got, "ping"); n != 3 {
				t.Errorf("the origin got %d pieces", n)
			}
		})
	}
}

func feedPiece(length int64, s string) string {
	if length == wire.Chunked {
		return "5\r\n" + s + "\r\n"
	}
	return s
}

// An origin that has heard enough answers early: its answer is read, the body
// is stopped, and neither connection is used again.
func TestEarlyAnswer(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, func(_ int, p *peer) {
		p.head()
		p.body(4)
		p.say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
		p.head() // takes no more of the body than it must
	}))
	c := newClient()
	trip, f := newUpload(c, 1<<40)
	go func() { f.pieces <- "body" }()
	if err := p.Begin(trip, time.Now()); err != nil {
		t.Fatal(err)
	}
	if !trip.Uploading() {
		t.Error("the upload has ended")
	}
	content, early, err := rest(trip)
	if trip.Status.Code != 413 || content != "no" || !early || err != nil {
		t.Errorf("got %d %q, early %v, %v", trip.Status.Code, content, early, err)
	}
	select {
	case <-c.interrupted:
	default:
		t.Error("the client's body is still being read")
	}
	if p.Idle() != 0 {
		t.Error("the connection is kept")
	}
}

// An origin that answers early and does not read blocks the upload in a write.
// That ends too.
func TestEarlyAnswerWhileTheOriginDoesNotRead(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	p := newPool(t, listen(t, func(_ int, p *peer) {
		p.head()
		p.say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
		<-ended // reads nothing meanwhile
	}))
	c := newClient()
	trip, f := newUpload(c, 1<<40)
	go func() {
		piece := strings.Repeat("b", 64<<10)
		for {
			select {
			case f.pieces <- piece:
			case <-c.interrupted:
				return
			}
		}
	}()
	if err := p.Begin(trip, time.Now()); err != nil {
		t.Fatal(err)
	}
	if content, early, err := rest(trip); content != "no" || !early || err != nil {
		t.Errorf("got %q, early %v, %v", content, early, err)
	}
	close(ended)
}

// A body that fails is the client's fault: the trip ends at once, nothing is
// counted against the origin, and the request is not sent again.
func TestBodyFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		pieces []string
		length int64
		want   error
	}{
		{"ends early", []string{"abc"}, 9, io.ErrUnexpectedEOF},
		{"ends before it begins", nil, 9, io.ErrUnexpectedEOF},
		{"bad chunk", []string{"5\r\nhello\r\nXX\r\n"}, wire.Chunked, wire.ErrChunk},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, p *peer) { p.head(); p.head() }))
			trip, f := newUpload(newClient(), tt.length)
			trip.Timeouts.FirstByte = time.Hour
			go func() {
				for _, piece := range tt.pieces {
					f.pieces <- piece
				}
				close(f.pieces)
			}()
			_, _, err := get(p, trip)
			body, ok := errors.AsType[*BodyError](err)
			if !ok || !errors.Is(body, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if e, _ := errors.AsType[*Error](err); e.Retryable(true) {
				t.Error("it may be sent again")
			}
			for phase := range trip.Metrics.Failures {
				if n := trip.Metrics.Failures[phase].Load(); n != 0 {
					t.Errorf("%d failures in phase %v are counted against the origin", n, Phase(phase))
				}
			}
		})
	}
}

// An origin that breaks off while the body is under way is told from one that
// answered first.
func TestOriginFailsWhileUploading(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*peer)
		code int // 0: no answer
	}{
		{"closes", func(p *peer) {}, 0},
		{"resets", func(p *peer) { p.Conn.(*net.TCPConn).SetLinger(0) }, 0},
		{"answers and closes", func(p *peer) { p.say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno") }, 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, p *peer) {
				p.head()
				p.body(4)
				tt.end(p)
			}))
			c := newClient()
			trip, f := newUpload(c, 1<<40)
			go func() {
				f.pieces <- "body"
			}()
			code, content, err := get(p, trip)
			if code != tt.code || (err == nil) != (tt.code != 0) || tt.code != 0 && content != "no" {
				t.Errorf("got %d %q %v", code, content, err)
			}
			if e, ok := errors.AsType[*Error](err); ok && (e.Retryable(false) || e.Phase != metrics.Wait) {
				t.Errorf("%+v: a POST of which a byte was sent is not sent again", e)
			}
		})
	}
}

// A chunked body arrives chunked, with its trailer and without extensions.
func TestChunkedUpload(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	p := newPool(t, listen(t, func(_ int, p *peer) {
		head, body := p.head(), ""
		for !strings.HasSuffix(body, "\r\n\r\n") {
			body += p.body(1)
		}
		got <- head + body
		p.say(okAnswer)
		p.head()
	}))
	trip, f := newUpload(newClient(), wire.Chunked)
	go func() { f.pieces <- "5;ext=1\r\nhello\r\n0\r\nX-Sum: 5\r\n\r\n" }()
	mustGet(t, p, trip)
	if want := string(trip.Head) + "5\r\nhello\r\n0\r\nX-Sum: 5\r\n\r\n"; <-got != want {
		t.Errorf("the origin did not get %q", want)
	}
	if p.Idle() != 1 {
		t.Error("the connection was not kept")
	}
}

// The client is told that its body is wanted, once, when the origin says so;
// and never where the origin answers without it.
func TestExpect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before string
		continued    int32
	}{
		{"origin says 100", "HTTP/1.1 100 Continue\r\n\r\n", 1},
		{"origin says 100 twice", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", 1},
		{"origin answers", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, p *peer) {
				p.head()
				p.say(tt.before)
				if tt.before != "" {
					p.body(4)
				}
				p.say(okAnswer)
				p.head()
			}))
			c := newClient()
			trip, f := newUpload(c, 4)
			trip.Expect = true
			feeding := make(chan struct{})
			go func() {
				defer close(feeding)
				select {
				case f.pieces <- "body":
				case <-t.Context().Done():
				}
			}()
			if err := p.Begin(trip, time.Now()); err != nil {
				t.Fatal(err)
			}
			content, early, err := rest(trip)
			if content != "ok" || early != (tt.continued == 0) || err != nil {
				t.Errorf("got %q, early %v, %v", content, early, err)
			}
			if n := c.continued.Load(); n != tt.continued {
				t.Errorf("the client was told to go on %d times, want %d", n, tt.continued)
			}
		})
	}
}

// An origin may say 100 as often as it likes while the body is on its way: the
// trip does not look at a body that another goroutine reads (a race, else).
func TestContinueWhileTheBodyIsUnderWay(t *testing.T) {
	t.Parallel()
	const pieces = 200
	p := newPool(t, listen(t, func(_ int, p *peer) {
		p.head()
		for range maxInterims {
			p.say("HTTP/1.1 100 Continue\r\n\r\n")
			p.body(pieces / maxInterims)
		}
		p.body(pieces % maxInterims)
		p.say(okAnswer)
	}))
	trip, f := newUpload(newClient(), pieces)
	go func() {
		for range pieces {
			f.pieces <- "x"
		}
	}()
	mustGet(t, p, trip)
}
