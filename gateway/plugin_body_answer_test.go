package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/abi"
)

// untilItEnds is a body that ends with its connection.
func untilItEnds(body string) framed { return framed{"", body} }

// answersWith is an origin that answers each request so; untilClose: and then ends.
func answersWith(tb testing.TB, answer string, untilClose bool) *endOrigin {
	return newEndOrigin(tb, func(_ int, c *endConn) {
		for {
			if _, err := readArrived(c.in, false); err != nil || c.say(answer) != nil || untilClose {
				return
			}
		}
	})
}

// getsAnswer sends a request on a connection of its own and reads the answer.
func getsAnswer(tb testing.TB, addr, raw string) arrived {
	tb.Helper()
	c := endDial(tb, addr)
	defer c.Close()
	io.WriteString(c, raw)
	a, err := readArrived(bufio.NewReader(c), false)
	if err != nil {
		tb.Fatalf("%v after %q", err, a.head)
	}
	return a
}

const bodyGET = "GET /?q HTTP/1.1\r\nHost: w.example\r\n\r\n"

// What a filter is shown of an answer's body, and what the client gets of it, to the
// byte.
func TestFilterIsShownAnswerBodies(t *testing.T) {
	t.Parallel()
	ways := map[string]func(string) framed{"until close": untilItEnds}
	for name, as := range frames {
		ways[name] = as
	}
	for _, need := range []string{"body", "body-prefix"} {
		for _, onError := range []string{"skip", "reject"} {
			for name, as := range ways {
				for _, n := range []int{1, 100, 20_000, bodyLimit - 1, bodyLimit, bodyLimit + 1, 5 * bodyLimit} {
					t.Run(fmt.Sprintf("%s %s %s %d", need, onError, name, n), func(t *testing.T) {
						t.Parallel()
						s := sentBody{need, onError, as(content(n)), content(n), false}
						head := "HTTP/1.1 200 As It Is\r\nX-First: one\r\n" + s.fields + "ETag: \"e\"\r\n\r\n"
						o := answersWith(t, head+s.wire, name == "until close")
						addr, _ := start(t, bodyText(o, need, onError, "", ""), Options{})
						s.wantAnswered(t, addr, name)
					})
				}
			}
		}
	}
}

// wantAnswered asks twice and looks at the answers.
func (s *sentBody) wantAnswered(t *testing.T, addr, name string) {
	t.Helper()
	for range 2 {
		a := getsAnswer(t, addr, bodyGET)
		if s.shown() == "" && s.onError == "reject" {
			if !strings.HasPrefix(a.head, "HTTP/1.1 503") || !strings.Contains(a.body, "reason: plugin_error") {
				t.Errorf("answered %s%s", a.head, a.body)
			}
			continue
		}
		trailer := map[string]string{"chunked": theTrailer}[name]
		if a.body != s.content || a.trailer != trailer {
			t.Errorf("%d bytes and the trailer %q came, want %d and %q; alike %v", len(a.body), a.trailer, len(s.content), trailer, a.body == s.content)
		}
		if !strings.HasPrefix(a.head, "HTTP/1.1 200 As It Is\r\nX-First: one\r\n") || !strings.Contains(a.head, "\r\nETag: \"e\"\r\n") {
			t.Errorf("its head is\n%s", a.head)
		}
		if shown := fieldIn(a.head, "X-Shown"); shown != s.shown() {
			t.Errorf("the filter was shown %q, want %q", shown, s.shown())
		}
	}
}

// Answers that have no body, or none that ends, are not waited for.
func TestFilterAndAnswersWithoutBody(t *testing.T) {
	t.Parallel()
	const events = "200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n"
	for _, tt := range []struct {
		need, method, head string
		shown              string // "refused": 503
	}{
		{"body", "HEAD", "200 OK\r\nContent-Length: 100000\r\n", "0 0"},
		{"body", "GET", "204 No Content\r\n", "0 0"},
		{"body", "GET", "304 Not Modified\r\nContent-Length: 100000\r\n", "0 0"},
		{"body", "GET", "200 OK\r\nContent-Length: 0\r\n", "0 0"},
		{"body-prefix", "GET", "204 No Content\r\n", "0 0"},
		{"body", "GET", events, "refused"},
		{"body-prefix", "GET", events, shownAs(2, 1<<64-1, "")},
	} {
		o := answersWith(t, "HTTP/1.1 "+tt.head+"\r\n", false)
		addr, _ := start(t, bodyText(o, tt.need, "reject", "", ""), Options{})
		head := visitRaw(t, addr, tt.method+" /?q HTTP/1.1\r\nHost: w\r\n\r\n")
		if tt.shown == "refused" {
			if !strings.HasPrefix(head, "HTTP/1.1 503") {
				t.Errorf("%s: %q", tt.head, head)
			}
			continue
		}
		if shown := fieldIn(head, "X-Shown"); shown != tt.shown || !strings.HasPrefix(head, "HTTP/1.1 "+tt.head[:3]) {
			t.Errorf("%s %s: shown %q, want %q\n%s", tt.method, tt.head, shown, tt.shown, head)
		}
	}
}

// An answer that breaks off while it is read ahead is one that the client has not
// begun to get: it is told.
func TestAnswerThatBreaksOffWhileItIsHeld(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalfXX",
	} {
		o := answersWith(t, answer, true)
		addr, g := start(t, bodyText(o, "body", "skip", "", ""), Options{})
		a := getsAnswer(t, addr, bodyGET)
		if !strings.HasPrefix(a.head, "HTTP/1.1 502") || !strings.Contains(a.body, "reason: answer_cut") {
			t.Errorf("%q: answered %s%s", answer, a.head, a.body)
		}
		until(t, "its slot is free", func() bool { return g.Status().Origins[0].Load == 0 })
	}
}

// set body, by a guest that was shown all of the body: the host writes the length and
// takes away what described the old one, unless the guest sets it.
func TestFilterSetsBodies(t *testing.T) {
	t.Parallel()
	const describing = "ETag: \"e\"\r\nContent-MD5: m\r\nDigest: d\r\ncontent-digest: c\r\nRepr-Digest: r\r\nAccept-Ranges: bytes\r\nX-Kept: 1\r\n"
	for _, need := range []string{"body", "body-prefix"} {
		o, got := bodyOrigin(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"+describing+"\r\n5\r\nlower\r\n0\r\nX-Sum: 1\r\n\r\n")
		addr, _ := start(t, bodyText(o, need, "reject", "", ""), Options{})
		for _, tt := range []struct {
			query, body           string
			frame                 string
			atOrigin, length, got string
		}{
			{"upper", "hello", "length", "HELLO", "5", "LOWER"},
			{"upper", "hello", "chunked", "HELLO", "5", "LOWER"},
			{"upper", content(bodyLimit-3) + "end", "chunked", content(bodyLimit-3) + "END", fmt.Sprint(bodyLimit), "LOWER"},
			{"empty", "hello", "length", "", "0", ""},
			{"empty", "hello", "chunked", "", "0", ""},
			{"upper", "", "none", "", "0", "LOWER"},
		} {
			f := framed{}
			if tt.frame != "none" {
				f = frames[tt.frame](tt.body)
			}
			a := getsAnswer(t, addr, "POST /?"+tt.query+" HTTP/1.1\r\nHost: w.example\r\n"+describing+f.fields+"\r\n"+f.wire)
			at := nextArrived(t, got)
			if at.body != tt.atOrigin || at.trailer != "" || fieldIn(at.head, "Content-Length") != tt.length || fieldIn(at.head, "Transfer-Encoding") != "" {
				t.Errorf("%s %s %s: %d bytes arrived with\n%s", need, tt.query, tt.frame, len(at.body), at.head)
			}
			if a.body != tt.got || a.trailer != "" || fieldIn(a.head, "Content-Length") != fmt.Sprint(len(tt.got)) {
				t.Errorf("%s %s %s: the answer is %q with\n%s", need, tt.query, tt.frame, a.body, a.head)
			}
			wantNotDescribed(t, at.head)
			wantNotDescribed(t, a.head)
		}
	}
}

func wantNotDescribed(t *testing.T, head string) {
	t.Helper()
	for _, name := range []string{"ETag", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest", "Accept-Ranges"} {
		if fieldIn(head, name) != "" {
			t.Errorf("%s still describes another body in\n%s", name, head)
		}
	}
	if fieldIn(head, "X-Kept") != "1" {
		t.Errorf("X-Kept is gone from\n%s", head)
	}
}

// What describes the new body is the guest's to say.
func TestFilterDescribesTheBodyItSets(t *testing.T) {
	t.Parallel()
	o, got := bodyOrigin(t, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"old\"\r\nDigest: old\r\n\r\nold")
	text := strings.Replace(bodyText(o, "body", "reject", "", ""), guestFile(bodyGuest), guestFile(puppet), 1)
	addr, _ := start(t, text, Options{})
	query := say(op(abi.OpSetBody, "", "new"), op(abi.OpSetHeader, "etag", `"new"`), op(abi.OpAddHeader, "Digest", "new"))
	a := getsAnswer(t, addr, "PUT /?"+query+" HTTP/1.1\r\nHost: w\r\nETag: \"old\"\r\nDigest: old\r\nContent-Length: 3\r\n\r\nold")
	for _, m := range []arrived{nextArrived(t, got), a} {
		if m.body != "new" || fieldIn(m.head, "ETag") != `"new"` || fieldIn(m.head, "Digest") != "new" {
			t.Errorf("%q with\n%s", m.body, m.head)
		}
	}
}

// A body is not set by who has not seen all of the old one, nor where there can be
// none: nothing of what the guest says is done.
func TestFilterMayNotSetBody(t *testing.T) {
	t.Parallel()
	long := content(bodyLimit + 1)
	for _, tt := range []struct{ name, need, request, answer string }{
		{"not shown", "query", "GET", "200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"longer answer", "body-prefix", "GET", "200 OK\r\nContent-Length: 40001\r\n\r\n" + long},
		{"to HEAD", "body", "HEAD", "200 OK\r\nContent-Length: 5\r\n\r\n"},
		{"of 204", "body", "GET", "204 No Content\r\n\r\n"},
		{"of 206", "body", "GET", "206 Partial Content\r\nContent-Range: bytes 0-0/9\r\nContent-Length: 1\r\n\r\nx"},
		{"of 304", "body", "GET", "304 Not Modified\r\n\r\n"},
	} {
		o, _ := bodyOrigin(t, "HTTP/1.1 "+tt.answer)
		addr, g := start(t, bodyText(o, tt.need, "skip", "", ""), Options{})
		head := visitRaw(t, addr, tt.request+" /?upper HTTP/1.1\r\nHost: w\r\n\r\n")
		if !strings.HasPrefix(head, "HTTP/1.1 "+tt.answer[:3]) || fieldIn(head, "X-Shown") != "" {
			t.Errorf("%s:\n%s", tt.name, head)
		}
		if faults := g.Plugins()[0].Faults; len(faults) == 0 || faults[0].Kind != "invalid-result" {
			t.Errorf("%s: faults %+v", tt.name, faults)
		}
	}
}

// Of a body that was read ahead, connections to the client and to the origin are used
// again, whatever became of it.
func TestConnectionsAfterHeldBodies(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := strings.NewReplacer("[query, headers, site]", "[query, body]", guestFile(puppet), guestFile(bodyGuest)).Replace(filterText(hs, puppet, ", on_error: reject", ""))
	addr, _ := start(t, text, hs.options())
	c := endDial(t, addr)
	in := bufio.NewReader(c)
	f := frames["chunked"](content(20_000))
	for _, query := range []string{"q", "upper", "empty", "q"} {
		fmt.Fprintf(c, "POST /?%s HTTP/1.1\r\nHost: w\r\n%s\r\n%s", query, f.fields, f.wire)
		if status, _, err := endAnswer(in); status != 200 || err != nil {
			t.Fatalf("%s: %d, %v", query, status, err)
		}
	}
	if hs[0].open() != 1 {
		t.Errorf("%d connections to the origin", hs[0].open())
	}
}

// A body that is held stands ready for another attempt, by the rules for those that
// stand in the head; what streams behind it does not.
func TestHeldBodiesAreSentAgain(t *testing.T) {
	t.Parallel()
	small, large, over := content(100), content(bodyLimit), content(2*bodyLimit)
	for _, tt := range []struct {
		need, method, frame, body string
		status                    int
	}{
		{"body", "PUT", "length", small, 200},
		{"body", "PUT", "chunked", small, 200},
		{"body", "PUT", "length", large, 200},
		{"body", "PUT", "chunked", large, 200},
		{"body", "PUT", "chunked", "", 200},
		{"body-prefix", "PUT", "length", large, 200},
		{"body", "POST", "length", large, 502},
		{"body-prefix", "PUT", "length", over, 502},
		{"body-prefix", "PUT", "chunked", over, 502},
	} {
		t.Run(fmt.Sprint(tt.need, tt.method, tt.frame, len(tt.body)), func(t *testing.T) {
			t.Parallel()
			got := make(chan arrived, 16)
			o := newEndOrigin(t, func(n int, c *endConn) {
				for {
					a, err := readArrived(c.in, false)
					if err != nil || n == 0 { // the first ends without an answer
						return
					}
					got <- a
					c.say(endOK)
				}
			})
			addr, _ := start(t, bodyText(o, tt.need, "skip", "", ""), Options{})
			f := frames[tt.frame](tt.body)
			c := endDial(t, addr)
			go io.WriteString(c, tt.method+" /?q HTTP/1.1\r\nHost: w.example\r\n"+f.fields+"\r\n"+f.wire)
			status, _, err := endAnswer(bufio.NewReader(c))
			if status != tt.status || err != nil {
				t.Fatalf("answered %d, %v, want %d", status, err, tt.status)
			}
			if status == 200 {
				if a := nextArrived(t, got); a.body != tt.body || !strings.Contains(a.head, f.fields) {
					t.Errorf("%d bytes arrived the second time, with\n%s", len(a.body), a.head)
				}
			}
		})
	}
}

// An origin that cannot be reached costs no byte of a body, held or not.
func TestHeldBodiesGoToTheNextOrigin(t *testing.T) {
	t.Parallel()
	o, got := bodyOrigin(t, endOK)
	text := strings.Replace(bodyText(o, "body-prefix", "skip", "", ""), "origins: [", fmt.Sprintf("balancer: round-robin, origins: [{ address: %q }, ", closedAddress(t)), 1)
	addr, _ := start(t, text, Options{})
	for range 3 {
		body := content(3 * bodyLimit)
		s := sentBody{"body-prefix", "skip", frames["chunked"](body), body, false}
		c := endDial(t, addr)
		if status := s.send(t, c, bufio.NewReader(c)); status != 200 {
			t.Fatalf("answered %d", status)
		}
		s.wantArrived(t, nextArrived(t, got))
	}
}

// A client that is silent in the middle of a body that is read ahead is told, as ever;
// one that goes away ends its exchange.
func TestClientsThatAreSlowWithHeldBodies(t *testing.T) {
	t.Parallel()
	text := strings.Replace(wellText, "clusters:", fmt.Sprintf("plugins: { edit: { kind: filter, module: %q, needs: [query, body], on_error: skip } }\nsites: { w: { hosts: [\"**\"], filters: [{ plugin: edit }] } }\nmappings: [{ site: w, cluster: app }]\ntimeouts: { body_idle: 20s, min_body_rate: 0 }\nclusters:", guestFile(bodyGuest)), 1)
	inWellBubbleOf(t, fmt.Sprintf(text, 10, ""), Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		began := time.Now()
		if status := b.get("POST /?q HTTP/1.1\r\nHost: w\r\nContent-Length: 10\r\n\r\nhalf"); status != "408" {
			t.Errorf("answered %s, want 408", status)
		}
		if took := time.Since(began); took < 20*time.Second || took > 21*time.Second {
			t.Errorf("after %v", took)
		}
		if status := b.get("POST /?q HTTP/1.1\r\nHost: w\r\nContent-Length: 4\r\n\r\nfull"); status != "200" {
			t.Errorf("the next is answered %s", status)
		}
		c, theirs := net.Pipe()
		b.running.Go(func() { b.g.ServeConn(theirs) })
		io.WriteString(c, "POST /?q HTTP/1.1\r\nHost: w\r\nContent-Length: 10\r\n\r\nhalf")
		c.Close()
		synctest.Wait()
		_, _, one := s1.counts()
		_, _, two := s2.counts()
		if one+two != 1 {
			t.Errorf("%d requests at the origins, want 1", one+two)
		}
	})
}

// The time of an attempt begins when the body is there, however long that was read.
func TestHeldBodiesCostTheOriginNoTime(t *testing.T) {
	t.Parallel()
	text := strings.Replace(wellText, "clusters:", fmt.Sprintf("plugins: { edit: { kind: filter, module: %q, needs: [query, body], on_error: skip } }\nsites: { w: { hosts: [\"**\"], filters: [{ plugin: edit }] } }\nmappings: [{ site: w, cluster: app }]\ntimeouts: { min_body_rate: 0 }\nclusters:", guestFile(bodyGuest)), 1)
	inWellBubbleOf(t, fmt.Sprintf(text, 10, ", first_byte_timeout: 5s"), Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		for _, o := range []*wellness{s1, s2} {
			o.with(func() { o.takes = 4 * time.Second })
		}
		c, theirs := net.Pipe()
		defer c.Close()
		b.running.Go(func() { b.g.ServeConn(theirs) })
		go func() {
			io.WriteString(c, "POST /?q HTTP/1.1\r\nHost: w\r\nContent-Length: 4\r\n\r\n")
			for _, piece := range []string{"s", "l", "o", "w"} {
				time.Sleep(6 * time.Second)
				io.WriteString(c, piece)
			}
		}()
		if head := readHead(bufio.NewReader(c)); !strings.HasPrefix(head, "HTTP/1.1 200") {
			t.Errorf("answered %q", head)
		}
	})
}
