package conformance

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A question is what a client asks.
type question struct {
	method, path string
	header       http.Header
	control      map[string]string
}

// A reply is what it got for it.
type reply struct {
	status int
	header http.Header
	body   string
	err    error // it is cut

	began, ended time.Time // by the gateway's clock
}

// judge says what is wrong with a reply. The origin was asked for it, perhaps behind the
// client's back, what asked tells.
func (m *model) judge(q *question, asked []*telling, r *reply) error {
	if r.header == nil {
		return m.judgeNone(asked, r)
	}
	n, err := strconv.Atoi(r.header.Get("X-Gen"))
	switch {
	case r.status == 416:
		return m.judgeNothingInRange(q, r)
	case err != nil:
		return judgeRefusal(q, asked, r)
	case n >= len(m.told):
		return errors.New("the origin never told that")
	}
	t := m.told[n]
	if t.path != q.path {
		return errors.New("it is the answer to another URL")
	}
	if slices.Contains(asked, t) {
		err = m.judgeNew(t, q, r)
	} else {
		err = m.judgeOld(t, q, asked, r)
	}
	return errors.Join(err, judgeAge(t, q, slices.Contains(asked, t), r), m.judgeContent(t, q, r))
}

// judgeNone looks at no answer at all: a cut head, or a gateway that gave up.
func (m *model) judgeNone(asked []*telling, r *reply) error {
	return fmt.Errorf("no answer: %w", r.err)
}

// judgeRefusal looks at an answer of the gateway's own.
func judgeRefusal(q *question, asked []*telling, r *reply) error {
	_, only := q.control["only-if-cached"]
	switch {
	case r.status == 504 && only && len(asked) == 0:
		return nil
	case r.status >= 502 && slices.ContainsFunc(asked, func(t *telling) bool { return t.status == 0 }):
		return nil
	}
	return errors.New("the gateway's own answer, for no reason")
}

// judgeNothingInRange looks at a 416, which says no more than how long the whole is.
func (m *model) judgeNothingInRange(q *question, r *reply) error {
	size, err := strconv.Atoi(strings.TrimPrefix(r.header.Get("Content-Range"), "bytes */"))
	fits := slices.ContainsFunc(m.told, func(t *telling) bool {
		return t.rep != nil && t.path == q.path && len(t.rep.body) == size && t.rep.tag == r.header.Get("ETag")
	})
	if err != nil || !fits || q.header["Range"] == nil || r.body != "" {
		return errors.New("a 416 that fits nothing")
	}
	if first, _, ok := oneRange(q.header.Get("Range")); ok && first < size {
		return errors.New("there is something in that range")
	}
	return nil
}

// judgeNew looks at what the origin has told just now.
func (m *model) judgeNew(t *telling, q *question, r *reply) error {
	switch {
	case t.status != 304 || r.status == 304 && q.conditional():
		return nil
	case !m.held(t):
		return errors.New("the origin said that nothing has changed, but not of anything that is stored")
	}
	return nil
}

// held reports whether what a 304 is about could be stored.
func (m *model) held(t *telling) bool {
	return slices.ContainsFunc(m.about(t), func(e *telling) bool {
		return e.status != 304 && e.n > m.invalid[e.path] && m.storable(e)
	})
}

func (q *question) conditional() bool {
	return q.header["If-None-Match"] != nil || q.header["If-Modified-Since"] != nil
}

// judgeOld looks at what was told before.
func (m *model) judgeOld(t *telling, q *question, asked []*telling, r *reply) error {
	fails := -1
	for _, a := range asked {
		if a.status == 0 || a.status >= 500 {
			fails = a.status
		}
	}
	if q.method != "GET" && q.method != "HEAD" {
		return errors.New("only the origin may answer that")
	}
	if !m.usable(t, q, r.began, fails) {
		return fmt.Errorf("answer %d must not be used any more: it is %v old, and was fresh for %v", t.n, t.age(r.began), m.lifetime(t))
	}
	return nil
}

// judgeAge compares the age with what it is. What passes through keeps its own.
func judgeAge(t *telling, q *question, now bool, r *reply) error {
	lines := r.header["Age"]
	if now && (len(lines) == 0 && t.age(r.ended) < 2*time.Second || r.header.Get("Age") == t.header.Get("Age")) {
		return nil
	}
	if len(lines) != 1 {
		return fmt.Errorf("Age is %q", lines)
	}
	age, _ := strconv.Atoi(lines[0])
	if d := time.Duration(age) * time.Second; d < t.age(r.began)-time.Second || d > t.age(r.ended) {
		return fmt.Errorf("Age is %d, and the answer is %v old", age, t.age(r.ended))
	}
	return nil
}

// judgeContent compares status and body, bytes for bytes.
func (m *model) judgeContent(t *telling, q *question, r *reply) error {
	switch {
	case r.status == 304:
		return judgeUnchanged(t, q)
	case t.rep == nil:
		return equal("the status", fmt.Sprint(r.status), fmt.Sprint(t.status))
	case r.header.Get("X-Rep") != fmt.Sprint(t.rep.n):
		return fmt.Errorf("fields of answer %d, and those of representation %s", t.n, r.header.Get("X-Rep"))
	case r.status == 206:
		return judgeRanges(t.rep, q, r)
	case r.status != t.rep.status:
		return fmt.Errorf("the status is %d, want %d", r.status, t.rep.status)
	case q.method == "HEAD":
		return equal("the body", r.body, "")
	case r.err != nil:
		return judgeCut(t, r)
	case t.cut:
		return errors.New("what was cut looks whole")
	case t.status == 206 && t.last-t.first+1 < len(t.rep.body) && !t.rep.strong():
		return errors.New("parts are put together without a strong tag")
	}
	return equal("the body", r.body, t.rep.body)
}

func judgeUnchanged(t *telling, q *question) error {
	if t.status == 304 {
		return nil // the origin says so; it is what it likes to say
	}
	if !q.conditional() || t.rep == nil || !t.unchanged(q) {
		return errors.New("304 to a client that does not have it")
	}
	return nil
}

// judgeCut looks at an answer that broke off: it was cut by the origin, and what came is the
// beginning.
func judgeCut(t *telling, r *reply) error {
	if !t.cut || !strings.HasPrefix(t.rep.body, r.body) {
		return fmt.Errorf("it is cut: %w", r.err)
	}
	return nil
}

// judgeRanges looks at a 206.
func judgeRanges(rep *representation, q *question, r *reply) error {
	if q.header["Range"] == nil {
		return errors.New("206, and no range was asked for")
	}
	if r.err != nil {
		return nil // as the ones that are cut, it is seen
	}
	kind, params, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	if kind != "multipart/byteranges" {
		return judgeRange(rep, q.header.Get("Range"), r.header.Get("Content-Range"), r.body)
	}
	parts := multipart.NewReader(strings.NewReader(r.body), params["boundary"])
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if err == io.EOF && n > 1 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("part %d: %w", n, err)
		}
		body, _ := io.ReadAll(part)
		if err := judgeRange(rep, "", part.Header.Get("Content-Range"), string(body)); err != nil {
			return err
		}
	}
}

// judgeRange compares one range with what it is of, and with what was asked for, if that is one.
func judgeRange(rep *representation, asked, is, body string) error {
	var first, last, size int
	if n, _ := fmt.Sscanf(is, "bytes %d-%d/%d", &first, &last, &size); n != 3 || size != len(rep.body) || last >= size || first > last {
		return fmt.Errorf("Content-Range is %q of %d bytes", is, len(rep.body))
	}
	from, to, one := oneRange(asked)
	if one && (first != from || last != min(to, size-1)) {
		return fmt.Errorf("%s was asked for, and %s came", asked, is)
	}
	if n, _ := fmt.Sscanf(asked, "bytes=-%d", &to); n == 1 && !strings.Contains(asked, ",") && (first != max(size-to, 0) || last != size-1) {
		return fmt.Errorf("%s was asked for, and %s came", asked, is)
	}
	return equal("the range", body, rep.body[first:last+1])
}
