package conformance

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A model is what RFC 9111 lets a shared cache do, told naively: the list of all answers
// that an origin ever gave, from which each question is answered from scratch. It never
// says what must be stored, only what may be used.
type model struct {
	told    []*telling
	before  int            // so many there were when the question came that is judged
	invalid map[string]int // path: answers up to this number were invalidated, or purged
	expired map[string]int // path: answers up to this number were purged softly
}

// A telling is one request that came to the origin, and its answer.
type telling struct {
	n              int
	method, path   string
	asked          http.Header
	sent, received time.Time

	status      int // 0: the connection was closed without an answer
	header      http.Header
	control     map[string]string // its Cache-Control, with what the representation says where it says nothing
	rep         *representation   // that it is about; nil: none
	first, last int               // bytes of it that came, of 206
	cut         bool              // fewer came than it said
}

// A representation is a status and a body, and the fields that all answers about it share.
type representation struct {
	n        int
	path     string
	status   int
	body     string
	tag      string    // "": none
	modified time.Time // zero: no Last-Modified
	vary     string
	control  string // of all answers about it, which 304 leaves out; "": each has its own
	expires  bool   // all answers about it have Expires
}

// strong is the tag by which parts may be put together.
func (p *representation) strong() bool { return strings.HasPrefix(p.tag, `"`) }

// about is all answers about a representation before one.
func (m *model) about(t *telling) (all []*telling) {
	for _, e := range m.told[1:t.n] {
		if e.rep == t.rep && e.status != 0 {
			all = append(all, e)
		}
	}
	return all
}

// storable reports whether nothing forbids to store an answer (RFC 9111, 3): a 304, or an
// answer to HEAD, is an update of what could be stored before.
func (m *model) storable(t *telling) bool {
	if t.rep == nil || t.cut || m.forbidden(t) {
		return false
	}
	if t.status == 304 || t.method == "HEAD" {
		return slices.ContainsFunc(m.about(t), func(e *telling) bool {
			return e.method != "HEAD" && e.status != 304 && m.storable(e)
		})
	}
	_, stated := m.stated(t)
	switch {
	case t.method == "POST":
		return t.status == 200 && stated && t.header.Get("Content-Location") == t.path
	case t.method != "GET":
		return false
	}
	return stated || t.has("public") || guessable(t.status)
}

// forbidden reports whether the answer or its request forbid to store it.
func (m *model) forbidden(t *telling) bool {
	_, secret := t.asked["Authorization"]
	return t.has("no-store") || t.has("private") || t.rep.vary == "*" || has(t.asked, "no-store") ||
		secret && !t.has("public") && !t.has("must-revalidate") && !t.has("s-maxage")
}

func (t *telling) has(directive string) bool { _, ok := t.control[directive]; return ok }

// seconds is a directive's value, and whether it is there.
func seconds(control map[string]string, directive string) (time.Duration, bool) {
	value, ok := control[directive]
	n, _ := strconv.Atoi(value)
	return time.Duration(n) * time.Second, ok
}

// guessable are the statuses of which RFC 9110 lets a lifetime be guessed.
func guessable(status int) bool {
	return slices.Contains([]int{200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501}, status)
}

// date is when the answer says that it was made.
func (t *telling) date() time.Time {
	if date, err := http.ParseTime(t.header.Get("Date")); err == nil {
		return date
	}
	return t.received.Truncate(time.Second)
}

// stated is the lifetime that the answer says it has (4.2.1).
func (m *model) stated(t *telling) (time.Duration, bool) {
	for _, directive := range []string{"s-maxage", "max-age"} {
		if d, ok := seconds(t.control, directive); ok {
			return d, true
		}
	}
	if _, ok := t.header["Expires"]; !ok {
		return 0, false
	}
	expires, err := http.ParseTime(t.header.Get("Expires"))
	if err != nil {
		return 0, true
	}
	return max(expires.Sub(t.date()), 0), true
}

// lifetime is how long it is fresh at most: a tenth of the time since it was modified, if it
// says nothing, and may be guessed of.
func (m *model) lifetime(t *telling) time.Duration {
	d, ok := m.stated(t)
	if ok || t.rep.modified.IsZero() || !guessable(t.rep.status) && !t.has("public") {
		return d
	}
	return min(max(t.date().Sub(t.rep.modified), 0)/10, 24*time.Hour)
}

// age is how old it is (4.2.3).
func (t *telling) age(now time.Time) time.Duration {
	said, _ := strconv.Atoi(t.header.Get("Age"))
	corrected := time.Duration(said)*time.Second + t.received.Sub(t.sent)
	apparent := t.received.Sub(t.date()).Truncate(time.Second)
	return max(corrected, apparent, 0) + now.Sub(t.received)
}

// usable reports whether the store may answer q with it, without the origin having said
// anything about it since; fails is what the origin said instead, if it was asked: the
// status of an error, or 0 for nothing, else -1.
func (m *model) usable(t *telling, q *question, now time.Time, fails int) bool {
	switch {
	case !m.storable(t), t.path != q.path, !t.fits(q), t.n <= m.invalid[t.path], m.replaced(t, q):
		return false
	case t.has("no-cache"), q.header["If-Match"] != nil, has(q.header, "no-cache"):
		return false
	}
	return m.fresh(t, q, now) || m.usableStale(t, q, now, fails)
}

// fits reports whether q has what the answer varies by (4.1).
func (t *telling) fits(q *question) bool {
	if t.rep.vary == "" {
		return true
	}
	return normal(t.asked.Values(t.rep.vary)) == normal(q.header.Values(t.rep.vary))
}

// normal joins lines, and "-" stands for none.
func normal(lines []string) string {
	if lines == nil {
		return "-"
	}
	return "+" + strings.ReplaceAll(strings.Join(lines, ","), " ", "")
}

// replaced reports whether the last that was told is a later answer to the same, which must
// have been stored in its place, or beside it with a later Date (4, 4.1).
func (m *model) replaced(t *telling, q *question) bool {
	e := m.told[m.before-1]
	if e.n <= t.n || e.status != 200 || e.path != t.path || e.method != "GET" {
		return false
	}
	d, stated := m.stated(e)
	return stated && d > e.age(e.received) && !e.has("no-cache") && e.fits(q) && m.storable(e) && e.date().After(t.date())
}

// fresh reports whether it is, as the client wants it.
func (m *model) fresh(t *telling, q *question, now time.Time) bool {
	age, left := t.age(now), m.lifetime(t)-t.age(now)
	if d, ok := seconds(q.control, "max-age"); ok && age > d {
		return false
	}
	if d, ok := seconds(q.control, "min-fresh"); ok && left < d {
		return false
	}
	return left > 0 && t.n > m.expired[t.path]
}

// usableStale reports whether it may be used though it is stale (4.2.4; RFC 5861).
func (m *model) usableStale(t *telling, q *question, now time.Time, fails int) bool {
	past := t.age(now) - m.lifetime(t)
	if t.has("must-revalidate") || t.has("proxy-revalidate") || t.has("s-maxage") {
		return false
	}
	window, said := seconds(t.control, "stale-if-error")
	wanted, asked := seconds(q.control, "stale-if-error")
	if fails == 0 || fails > 0 && (said || asked) && past <= max(window, wanted) {
		return true
	}
	if d, ok := seconds(q.control, "max-age"); ok && t.age(now) > d {
		return false
	}
	if q.control["min-fresh"] != "" {
		return false
	}
	window, said = seconds(t.control, "stale-while-revalidate")
	if said && past < window {
		return true
	}
	stale, ok := q.control["max-stale"]
	d, _ := seconds(q.control, "max-stale")
	return ok && (stale == "" || past <= d)
}

// directives reads a Cache-Control.
func directives(value string) map[string]string {
	all := make(map[string]string)
	for member := range strings.SplitSeq(value, ", ") {
		if name, value, _ := strings.Cut(member, "="); name != "" {
			all[name] = value
		}
	}
	return all
}

func has(h http.Header, directive string) bool {
	_, ok := directives(h.Get("Cache-Control"))[directive]
	return ok
}

// unchanged reports whether the client's conditions are met by what it has already (RFC
// 9110, 13.2.2).
func (t *telling) unchanged(q *question) bool {
	if lines := q.header["If-None-Match"]; lines != nil {
		for tag := range strings.SplitSeq(lines[0], ", ") {
			if tag == "*" || t.rep.tag != "" && strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(t.rep.tag, "W/") {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(q.header.Get("If-Modified-Since"))
	changed := t.rep.modified
	if changed.IsZero() {
		changed = t.date().Truncate(time.Second)
	}
	return err == nil && !changed.After(since)
}
