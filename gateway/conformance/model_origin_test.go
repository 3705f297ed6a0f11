package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A plan is what the origin does with all that it is asked in one step.
type plan struct {
	status   int
	drop     bool // it closes without an answer
	cut      bool // it closes in the middle of the body
	chunked  bool
	holds    bool // what is asked about still holds: 304
	ranges   bool // it cuts ranges
	same     bool // HEAD and ranges are of what it has told last
	steady   bool // 304 says nothing of Cache-Control
	control  string
	expires  string // "": none; else seconds from now, or a word that is no number
	date     string // the same; "": none
	age      string
	tag      string // "": none, "W/" or `"`
	modified bool
	vary     string
	late     time.Duration
	location bool // Content-Location is what was asked for
	size     int
}

// A teller is an origin that does what the plan says, and keeps the model.
type teller struct {
	tick func(time.Duration) time.Time

	began time.Time

	mu   sync.Mutex
	plan plan
	model
}

// dial connects to it.
func (o *teller) dial(context.Context, string, string) (net.Conn, error) {
	theirs, ours := net.Pipe()
	go func() {
		defer ours.Close()
		r, err := http.ReadRequest(bufio.NewReader(ours))
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		io.WriteString(ours, o.answer(r))
	}()
	return theirs, nil
}

// answer is the whole of an answer, as bytes.
func (o *teller) answer(r *http.Request) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.plan
	t := &telling{n: len(o.told), method: r.Method, path: r.URL.Path, asked: r.Header, header: make(http.Header)}
	t.sent = o.tick(0)
	t.received = o.tick(p.late)
	o.told = append(o.told, t)
	if p.drop {
		return ""
	}
	o.choose(t, &p)
	o.fields(t, &p)
	if t.method != "GET" && t.method != "HEAD" && t.method != "OPTIONS" && t.status < 400 {
		o.invalid[t.path] = t.n - 1
	}
	return o.text(t, &p)
}

// choose sets status and representation.
func (o *teller) choose(t *telling, p *plan) {
	t.status = p.status
	known, old := o.named(t), o.latest(t.path)
	first, last, ranged := oneRange(t.asked.Get("Range"))
	switch {
	case t.method != "GET" && t.method != "HEAD" && !(t.method == "POST" && p.location):
		return
	case known != nil && p.holds:
		t.status, t.rep = 304, known
		return
	case t.method == "HEAD" && p.same && old != nil:
		t.rep = old
		t.status = t.rep.status
		return
	}
	t.rep = o.create(t, p)
	if t.method != "GET" || !ranged || !p.ranges || t.status != 200 {
		return
	}
	if p.same && old != nil && old.strong() && old.status == 200 && mayCut(t, old) {
		t.rep = old
	}
	if last = min(last, len(t.rep.body)-1); first <= last && mayCut(t, t.rep) {
		t.status, t.first, t.last = 206, first, last
	}
}

// mayCut reports whether If-Range lets a range be cut.
func mayCut(t *telling, p *representation) bool {
	value := t.asked.Get("If-Range")
	return value == "" || p.strong() && value == p.tag
}

// oneRange reads "bytes=1-2" and "bytes=1-".
func oneRange(value string) (first, last int, ok bool) {
	if strings.Contains(value, ",") || strings.HasPrefix(value, "bytes=-") {
		return 0, 0, false
	}
	if n, _ := fmt.Sscanf(value, "bytes=%d-%d", &first, &last); n == 2 {
		return first, last, first <= last
	}
	n, _ := fmt.Sscanf(value, "bytes=%d-", &first)
	return first, 1 << 20, n == 1
}

// named is what the conditions of a request are about.
func (o *teller) named(t *telling) *representation {
	for _, e := range o.told {
		switch {
		case e.rep == nil || e.path != t.path:
		case t.asked["If-None-Match"] != nil:
			if e.rep.tag != "" && strings.Contains(t.asked.Get("If-None-Match"), e.rep.tag) {
				return e.rep
			}
		case !e.rep.modified.IsZero() && stamp(e.rep.modified) == t.asked.Get("If-Modified-Since"):
			return e.rep
		}
	}
	return nil
}

// latest is what a GET was told last.
func (o *teller) latest(path string) (p *representation) {
	for _, e := range o.told {
		if e.path == path && e.method == "GET" && e.rep != nil {
			p = e.rep
		}
	}
	return p
}

// create makes a representation that nobody knows yet.
func (o *teller) create(t *telling, p *plan) *representation {
	rep := &representation{n: t.n, path: t.path, status: p.status, vary: p.vary, expires: p.expires != ""}
	if p.status != 204 {
		for i := range p.size {
			rep.body += string('a' + rune((t.n*7+i*(3+t.n%11)+i*i)%26))
		}
	}
	if p.tag != "" {
		rep.tag = strings.TrimSuffix(p.tag, `"`) + fmt.Sprintf(`"%d."`, t.n)
	}
	if p.modified {
		rep.modified = o.began.Add(-time.Hour + time.Duration(t.n)*time.Second) // no two have the same
	}
	if p.steady {
		rep.control = p.control
	}
	return rep
}

func stamp(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// fields sets the head.
func (o *teller) fields(t *telling, p *plan) {
	control := p.control
	if t.rep != nil && t.rep.control != "" {
		control = t.rep.control
	}
	t.control = directives(control)
	if t.status != 304 || t.rep.control == "" {
		t.header.Set("Cache-Control", control)
	}
	t.header.Set("X-Gen", fmt.Sprint(t.n))
	o.times(t, p)
	if t.method == "POST" && p.location {
		t.header.Set("Content-Location", t.path)
	}
	if t.rep == nil {
		return
	}
	if t.status != 304 {
		t.header.Set("X-Rep", fmt.Sprint(t.rep.n))
	}
	for name, value := range map[string]string{"ETag": t.rep.tag, "Vary": t.rep.vary} {
		if value != "" {
			t.header.Set(name, value)
		}
	}
	if !t.rep.modified.IsZero() {
		t.header.Set("Last-Modified", stamp(t.rep.modified))
	}
	if t.status == 206 {
		t.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", t.first, t.last, len(t.rep.body)))
	}
}

func (o *teller) times(t *telling, p *plan) {
	moment := func(name, value string) {
		if d, err := time.ParseDuration(value + "s"); err == nil {
			value = stamp(t.received.Add(d))
		}
		t.header.Set(name, value)
	}
	if p.date != "" {
		moment("Date", p.date)
	}
	if t.rep != nil && t.rep.expires {
		moment("Expires", p.expires)
	}
	if p.age != "" {
		t.header.Set("Age", p.age)
	}
}

// text is the answer, framed.
func (o *teller) text(t *telling, p *plan) string {
	body := ""
	switch {
	case t.status == 206:
		body = t.rep.body[t.first : t.last+1]
	case t.rep != nil:
		body = t.rep.body
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d Told\r\n", t.status)
	t.header.Write(&b)
	bare := t.status == 204 || t.status == 304
	chunked := p.chunked && !bare
	switch {
	case chunked:
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
	case bare:
		b.WriteString("\r\n")
	default:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	}
	if bare || t.method == "HEAD" {
		return b.String()
	}
	sent := body
	if t.cut = p.cut && len(body) > 1; t.cut {
		sent = body[:len(body)/2]
	}
	if chunked && sent != "" {
		sent = fmt.Sprintf("%x\r\n%s\r\n", len(sent), sent)
	}
	if chunked && !t.cut {
		sent += "0\r\n\r\n"
	}
	return b.String() + sent
}
