package gateway

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weirkeep/gateway/wire"
)

// bodyGuest tells what it is shown of bodies, and sets another for some queries.
const bodyGuest = "good/body"

// bodyLimit is limits.body of the tests of bodies: more than a piece that is held
// at once, and no power of two.
const bodyLimit = 40_000

// bodyText is a site whose requests and answers a guest filters that is shown bodies.
func bodyText(o *endOrigin, need, onError, cluster, more string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { format: off }
plugins: { edit: { kind: filter, module: %q, needs: [query, %s], limits: { body: %dB, wait: 1s }, on_error: %s } }
clusters: { app: { origins: [{ address: %q }]%s } }
sites: { w: { hosts: ["**"], filters: [{ plugin: edit }] } }
mappings: [{ site: w, cluster: app }]
%s
`, guestFile(bodyGuest), need, bodyLimit, onError, o.addr, cluster, more)
}

// content is n bytes of which no part is like another.
func content(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%07d ", i)
	}
	return b.String()[:n]
}

// shownAs is what the guest says of a body: its flags 2 and 4, its length, and what of
// it is shown.
func shownAs(flags int, length uint64, shown string) string {
	sum := fnv.New32a()
	io.WriteString(sum, shown)
	return fmt.Sprintf("%d %d %d %d", flags, length, len(shown), sum.Sum32())
}

// framed is a body on the wire, and what its head says of it.
type framed struct{ fields, wire string }

const theTrailer = "X-Sum: 1\r\n"

// frames are the ways to send a body.
var frames = map[string]func(body string) framed{
	"length": func(body string) framed { return framed{fmt.Sprintf("Content-Length: %d\r\n", len(body)), body} },
	"chunked": func(body string) framed {
		var b strings.Builder
		for n := 1; len(body) > 0; n = n*3 + 1 {
			piece := body[:min(n, len(body))]
			body = body[len(piece):]
			fmt.Fprintf(&b, "%x\r\n%s\r\n", len(piece), piece)
		}
		return framed{"Transfer-Encoding: chunked\r\n", b.String() + "0\r\n" + theTrailer + "\r\n"}
	},
}

// arrived is what an origin, or a client, has got of a message: its head, and its body
// with the trailer.
type arrived struct{ head, body, trailer string }

// readArrived reads a message, whose body ends with the connection if it does not say
// otherwise and may do so.
func readArrived(r *bufio.Reader, untilClose bool) (a arrived, err error) {
	if a.head, err = readRawHead(r); err != nil {
		return a, err
	}
	return a, a.readBody(r, untilClose)
}

func (a *arrived) readBody(r *bufio.Reader, untilClose bool) (err error) {
	var b []byte
	switch n, bad := strconv.Atoi(fieldIn(a.head, "Content-Length")); {
	case fieldIn(a.head, "Transfer-Encoding") != "":
		if b, err = io.ReadAll(httputil.NewChunkedReader(r)); err == nil {
			a.trailer, err = readRawHead(r)
		}
		a.trailer = strings.TrimSuffix(a.trailer, "\r\n")
	case bad == nil:
		b = make([]byte, n)
		_, err = io.ReadFull(r, b)
	case untilClose:
		b, err = io.ReadAll(r)
	}
	a.body = string(b)
	return err
}

// bodyOrigin hands on what it gets, and answers each time with what it is told.
func bodyOrigin(tb testing.TB, answer string) (o *endOrigin, got chan arrived) {
	got = make(chan arrived, 16)
	o = newEndOrigin(tb, func(_ int, c *endConn) {
		for {
			head, err := readRawHead(c.in)
			if err != nil {
				return
			}
			if fieldIn(head, "Expect") != "" {
				c.say("HTTP/1.1 100 Continue\r\n\r\n")
			}
			a := arrived{head: head}
			if a.readBody(c.in, false) != nil {
				return
			}
			got <- a
			if c.say(answer) != nil {
				return
			}
		}
	})
	return o, got
}

// nextArrived is what has arrived, or will.
func nextArrived(t *testing.T, got chan arrived) arrived {
	t.Helper()
	select {
	case a := <-got:
		return a
	case <-time.After(endPatience):
		t.Fatal("nothing has arrived at the origin")
		return arrived{}
	}
}

// What a filter is shown of a request's body, and what the origin gets of it, to the
// byte; whatever it is framed by, however long it is, whether the client waits for 100.
func TestFilterIsShownRequestBodies(t *testing.T) {
	t.Parallel()
	for _, need := range []string{"body", "body-prefix"} {
		for _, onError := range []string{"skip", "reject"} {
			o, got := bodyOrigin(t, endOK)
			addr, g := start(t, bodyText(o, need, onError, "", ""), Options{})
			for frame, as := range frames {
				for _, n := range []int{1, 100, 20_000, bodyLimit - 1, bodyLimit, bodyLimit + 1, 5 * bodyLimit} {
					for _, expect := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s %s %s %d %v", need, onError, frame, n, expect), func(t *testing.T) {
							sendsBody(t, addr, g, got, sentBody{need, onError, as(content(n)), content(n), expect})
						})
					}
				}
			}
		}
	}
}

type sentBody struct {
	need, onError string
	framed
	content string
	expect  bool
}

// shown is what the guest must say of it; empty: it is not called.
func (s *sentBody) shown() string {
	length := uint64(len(s.content))
	if !strings.HasPrefix(s.fields, "Content-Length") {
		length = 1<<64 - 1
	}
	switch {
	case len(s.content) <= bodyLimit:
		return shownAs(6, length, s.content)
	case s.need == "body":
		return ""
	}
	return shownAs(2, length, s.content[:bodyLimit])
}

func (s *sentBody) trailer() string {
	if strings.HasPrefix(s.fields, "Content-Length") {
		return ""
	}
	return theTrailer
}

// sendsBody sends a body, twice on one connection, and looks at what arrives.
func sendsBody(t *testing.T, addr string, g *Gateway, got chan arrived, s sentBody) {
	tooLarge := g.Plugins()[0].Counters.NotCalled[1].Load
	before := tooLarge()
	c := endDial(t, addr)
	in := bufio.NewReader(c)
	rejected := s.shown() == "" && s.onError == "reject"
	for range 2 {
		if rejected && before != tooLarge() {
			break // the connection ends with a body that is not at its end
		}
		status := s.send(t, c, in)
		if want := map[bool]int{false: 200, true: 503}[rejected]; status != want {
			t.Fatalf("answered %d, want %d", status, want)
		}
		if !rejected {
			s.wantArrived(t, nextArrived(t, got))
		}
	}
	if uncalled := tooLarge() - before; (uncalled > 0) != (s.shown() == "") {
		t.Errorf("%d times body-too-large", uncalled)
	}
}

// send sends it and returns the status of the answer.
func (s *sentBody) send(t *testing.T, c net.Conn, in *bufio.Reader) int {
	head := "POST /?q HTTP/1.1\r\nHost: w.example\r\n" + s.fields
	if !s.expect {
		go io.WriteString(c, head+"\r\n"+s.wire)
	} else {
		io.WriteString(c, head+"Expect: 100-continue\r\n\r\n")
		first, err := readRawHead(in)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(first, "HTTP/1.1 100 ") {
			return restOfAnswer(t, in, first)
		}
		go io.WriteString(c, s.wire)
	}
	head, err := readRawHead(in)
	if err != nil {
		t.Fatal(err)
	}
	return restOfAnswer(t, in, head)
}

// restOfAnswer reads the content behind a head.
func restOfAnswer(t *testing.T, in *bufio.Reader, head string) int {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(io.MultiReader(strings.NewReader(head), in)), nil)
	if err != nil {
		t.Fatal(err)
	}
	io.CopyN(io.Discard, res.Body, res.ContentLength)
	return res.StatusCode
}

func (s *sentBody) wantArrived(t *testing.T, a arrived) {
	t.Helper()
	if a.body != s.content || a.trailer != s.trailer() {
		t.Errorf("%d bytes and the trailer %q arrived, want %d and %q; alike %v", len(a.body), a.trailer, len(s.content), s.trailer(), a.body == s.content)
	}
	if !strings.Contains(a.head, s.fields) {
		t.Errorf("it was framed anew:\n%s", a.head)
	}
	if shown := fieldIn(a.head, "X-Shown"); shown != s.shown() {
		t.Errorf("the filter was shown %q, want %q", shown, s.shown())
	}
	if s.shown() != "" && fieldIn(a.head, "Expect") != "" {
		t.Error("the origin is asked whether it wants a body that is here")
	}
}

// Where there is no body none is shown, and a filter is called all the same.
func TestFilterIsShownThatThereIsNoBody(t *testing.T) {
	t.Parallel()
	o, got := bodyOrigin(t, endOK)
	addr, _ := start(t, bodyText(o, "body", "reject", "", ""), Options{})
	for _, tt := range []struct{ request, shown string }{
		{"GET /?q HTTP/1.1\r\nHost: w\r\n", "0 0"},
		{"HEAD /?q HTTP/1.1\r\nHost: w\r\n", "0 0"},
		{"POST /?q HTTP/1.1\r\nHost: w\r\nContent-Length: 0\r\n", "0 0"},
		{"GET /?q HTTP/1.1\r\nHost: w\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n", "0 0"},
	} {
		visitRaw(t, addr, tt.request+"\r\n")
		if shown := fieldIn(nextArrived(t, got).head, "X-Shown"); shown != tt.shown {
			t.Errorf("%q: shown %q, want %q", tt.request, shown, tt.shown)
		}
	}
	visitRaw(t, addr, "POST /?q HTTP/1.1\r\nHost: w\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	a := nextArrived(t, got)
	if shown, want := fieldIn(a.head, "X-Shown"), shownAs(6, 1<<64-1, ""); shown != want || fieldIn(a.head, "Transfer-Encoding") != "chunked" {
		t.Errorf("chunked and empty: shown %q, want %q, in\n%s", shown, want, a.head)
	}
}

// visitRaw sends a request and waits for the head of its answer.
func visitRaw(tb testing.TB, addr, raw string) (head string) {
	tb.Helper()
	c := endDial(tb, addr)
	defer c.Close()
	io.WriteString(c, raw)
	head, err := readRawHead(bufio.NewReader(c))
	if err != nil {
		tb.Fatal(err)
	}
	return head
}

// A request for another protocol, and a stream of events, have no end that could be
// waited for: they count as too large.
func TestFilterAndEndlessRequests(t *testing.T) {
	t.Parallel()
	websocket := "GET /?q HTTP/1.1\r\nHost: w\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n\r\n"
	events := "POST /?q HTTP/1.1\r\nHost: w\r\nContent-Type: text/event-stream\r\nContent-Length: 1\r\n\r\nx"
	for _, tt := range []struct {
		need, onError, request string
		status                 string
		shown                  string
	}{
		{"body", "skip", websocket, "200", ""},
		{"body", "reject", websocket, "503", ""},
		{"body-prefix", "reject", websocket, "200", shownAs(2, 1<<64-1, "")},
		{"body", "skip", events, "200", ""},
		{"body", "reject", events, "503", ""},
		{"body-prefix", "reject", events, "200", shownAs(2, 1<<64-1, "")},
	} {
		o, got := bodyOrigin(t, endOK)
		addr, _ := start(t, bodyText(o, tt.need, tt.onError, "", ""), Options{})
		if head := visitRaw(t, addr, tt.request); !strings.HasPrefix(head, "HTTP/1.1 "+tt.status) {
			t.Errorf("%s %s: %q, want %s", tt.need, tt.onError, head, tt.status)
		}
		if tt.status == "503" {
			continue
		}
		if shown := fieldIn(nextArrived(t, got).head, "X-Shown"); shown != tt.shown {
			t.Errorf("%s %s: shown %q, want %q", tt.need, tt.onError, shown, tt.shown)
		}
	}
}

// A body that is over limits.body_bytes is refused as ever, and before it is sent: also
// one that is over the plugin's own limit, which is no failure of the plugin then.
func TestFilterAndTooLargeBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ need, onError string }{
		{"body", "skip"}, {"body", "reject"}, {"body-prefix", "skip"}, {"body-prefix", "reject"},
	} {
		o, _ := bodyOrigin(t, endOK)
		addr, _ := start(t, bodyText(o, tt.need, tt.onError, "", "limits: { body_bytes: 1000B }"), Options{})
		for _, request := range []string{
			"Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n",
			"Content-Length: 100000\r\n\r\n" + content(100),
			"Transfer-Encoding: chunked\r\n\r\n3e9\r\nx",
		} {
			if head := visitRaw(t, addr, "POST / HTTP/1.1\r\nHost: w\r\n"+request); !strings.HasPrefix(head, "HTTP/1.1 413") {
				t.Errorf("%v, %q: %q", tt, request, head)
			}
		}
	}
}

// However the network cuts requests, what is shown and what arrives is the same.
func TestHeldBodiesHoweverTheyAreCut(t *testing.T) {
	t.Parallel()
	const limit = 50
	for _, need := range []string{"body", "body-prefix"} {
		o, got := bodyOrigin(t, endOK)
		text := strings.Replace(bodyText(o, need, "skip", "", ""), strconv.Itoa(bodyLimit)+"B", strconv.Itoa(limit)+"B", 1)
		addr, _ := start(t, text, Options{})
		rapid.Check(t, func(r *rapid.T) {
			body := content(rapid.IntRange(1, 2*limit).Draw(r, "length"))
			f := frames[rapid.SampledFrom([]string{"length", "chunked"}).Draw(r, "frame")](body)
			raw := "POST /?q HTTP/1.1\r\nHost: w.example\r\n" + f.fields + "\r\n" + f.wire
			c := endDial(t, addr)
			defer c.Close()
			for len(raw) > 0 {
				n := min(len(raw), rapid.IntRange(1, 60).Draw(r, "piece"))
				io.WriteString(c, raw[:n])
				raw = raw[n:]
			}
			if status, _, err := endAnswer(bufio.NewReader(c)); status != 200 || err != nil {
				r.Fatalf("%d, %v", status, err)
			}
			a := nextArrived(t, got)
			shown := strings.Fields(fieldIn(a.head, "X-Shown"))
			if a.body != body || len(shown) != 0 && shown[2] != strconv.Itoa(min(limit, len(body))) || len(shown) == 0 && (need != "body" || len(body) <= limit) {
				r.Fatalf("%d bytes arrived of %d, shown %v", len(a.body), len(body), shown)
			}
		})
	}
}

// A router chooses by the body, and what it was shown goes on.
func TestRouterIsShownBodies(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	for _, need := range []string{"body", "body-prefix"} {
		addr, _ := start(t, routerText(hs, bodyGuest, fmt.Sprintf(", needs: [%s, origins], limits: { body: 10B }, on_error: reject", need), ""), hs.options())
		for _, tt := range []struct {
			body   string
			origin string // "": refused
		}{{"0", "a"}, {"1 and", "b"}, {"2345678901", "c"}, {"12345678901", map[string]string{"body-prefix": "b"}[need]}} {
			for frame, as := range frames {
				f := as(tt.body)
				head := visitRaw(t, addr, "POST / HTTP/1.1\r\nHost: a.example\r\n"+f.fields+"\r\n"+f.wire)
				if got := fieldIn(head, "X-Origin"); got != tt.origin {
					t.Errorf("%s, %s, %q went to %q, want %q", need, frame, tt.body, got, tt.origin)
				}
			}
		}
	}
}

// Two plugins with limits of their own are each shown what is theirs of the same body.
func TestPluginsWithSeveralLimits(t *testing.T) {
	t.Parallel()
	o, got := bodyOrigin(t, endOK)
	text := bodyText(o, "body-prefix", "reject", "", "")
	text = strings.Replace(text, "plugins: {", fmt.Sprintf("plugins: { more: { kind: filter, module: %q, needs: [query, body-prefix], limits: { body: 1MiB, fuel: 32000000 }, on_error: reject },", guestFile(bodyGuest)), 1)
	for _, order := range []string{"[{ plugin: edit }, { plugin: more }]", "[{ plugin: more }, { plugin: edit }]"} {
		addr, _ := start(t, strings.Replace(text, "[{ plugin: edit }]", order, 1), Options{})
		s := sentBody{"body-prefix", "reject", frames["chunked"](content(300_000)), content(300_000), false}
		c := endDial(t, addr)
		if status := s.send(t, c, bufio.NewReader(c)); status != 200 {
			t.Fatalf("answered %d", status)
		}
		a := nextArrived(t, got)
		want := shownAs(6, 1<<64-1, s.content)
		if strings.HasSuffix(order, "edit }]") {
			want = s.shown()
		}
		if shown := fieldIn(a.head, "X-Shown"); shown != want || a.body != s.content {
			t.Errorf("%s: the last was shown %q, want %q; %d bytes arrived", order, shown, want, len(a.body))
		}
	}
}

// A filter is shown the body that one before it has set; the answer's the other way
// round.
func TestFiltersAreShownTheBodySetBefore(t *testing.T) {
	t.Parallel()
	o, got := bodyOrigin(t, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
	text := bodyText(o, "body", "reject", "", "")
	text = strings.Replace(text, "plugins: {", fmt.Sprintf("plugins: { other: { kind: filter, module: %q, needs: [query, body-prefix], on_error: reject },", guestFile(bodyGuest)), 1)
	addr, _ := start(t, strings.Replace(text, "[{ plugin: edit }]", "[{ plugin: edit }, { plugin: other }]", 1), Options{})
	a := getsAnswer(t, addr, "POST /?upper HTTP/1.1\r\nHost: w\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n")
	at := nextArrived(t, got)
	if shown := fieldIn(at.head, "X-Shown"); shown != shownAs(6, 2, "DE") || at.body != "DE" {
		t.Errorf("the second was shown %q of the request, %q arrived", shown, at.body)
	}
	if shown := fieldIn(a.head, "X-Shown"); shown != shownAs(6, 3, "ABC") || a.body != "ABC" {
		t.Errorf("the first was shown %q of the answer, %q came", shown, a.body)
	}
}

// meagre is a source of a body that is never all there.
type meagre struct{ left int }

func (m *meagre) Window() []byte { return make([]byte, min(m.left, 1000)) }
func (m *meagre) Advance(n int)  { m.left -= n }
func (m *meagre) Fill() error    { return io.ErrUnexpectedEOF }

// What is read ahead takes memory by what has come, not by what was said to come, and
// gives the pool's back.
func TestRoomGrowsWithWhatArrives(t *testing.T) {
	for _, came := range []int{0, 1000, sideBytes, sideBytes + 1, 100_000} {
		var r room
		var b wire.Body
		b.Reset(&meagre{left: came}, 1<<20)
		if err := r.hold(&b, 1<<20); err == nil || len(b.Held()) != came {
			t.Errorf("%d of %d bytes are held, %v", len(b.Held()), came, err)
		}
		if most := max(sideBytes, 2*came); cap(b.Held()) > most {
			t.Errorf("%d bytes take %d, want at most %d", came, cap(b.Held()), most)
		}
		if r.drop(); r.fixed != nil {
			t.Error("the piece of the pool was not given back")
		}
	}
}
