package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// drawPlan is what the origin does next: mostly something that can be stored.
func drawPlan(t *rapid.T) plan {
	return plan{
		status:   rapid.SampledFrom([]int{200, 200, 200, 200, 200, 200, 200, 204, 301, 404, 500, 503, 599}).Draw(t, "status"),
		drop:     one(t, 12, "drop"),
		cut:      one(t, 12, "cut"),
		chunked:  one(t, 3, "chunked"),
		holds:    one(t, 2, "holds"),
		ranges:   one(t, 2, "ranges"),
		same:     one(t, 2, "same"),
		steady:   one(t, 3, "steady"),
		control:  draws(t, "control", controls, 0, 2),
		expires:  rapid.SampledFrom([]string{"", "", "", "60", "5", "-5", "0", "soon"}).Draw(t, "expires"),
		date:     rapid.SampledFrom([]string{"0", "0", "0", "0", "", "-8", "4"}).Draw(t, "date"),
		age:      rapid.SampledFrom([]string{"", "", "", "", "1", "7", "50"}).Draw(t, "age"),
		tag:      rapid.SampledFrom([]string{"", `"`, `"`, `"`, `W/"`}).Draw(t, "tag"),
		modified: one(t, 3, "modified"),
		vary:     rapid.SampledFrom([]string{"", "", "", "", "Tier", "Tier", "*"}).Draw(t, "vary"),
		late:     rapid.SampledFrom([]time.Duration{0, 0, 0, 0, 2 * time.Second, 900 * time.Millisecond}).Draw(t, "late"),
		location: one(t, 2, "location"),
		size:     rapid.IntRange(0, 40).Draw(t, "size"),
	}
}

var controls = []string{
	"max-age=5", "max-age=60", "max-age=60", "max-age=60", "max-age=60", "max-age=600", "max-age=600", "max-age=0", "s-maxage=30", "no-store", "private", "no-cache",
	"must-revalidate", "proxy-revalidate", "public", "stale-while-revalidate=20", "stale-if-error=30", "immutable",
}

// draws is some members of a list, joined. "x" stands for none: a field that is there is
// one that replaces another.
func draws(t *rapid.T, label string, list []string, least, most int) string {
	if some := rapid.SliceOfNDistinct(rapid.SampledFrom(list), least, most, name).Draw(t, label); len(some) > 0 {
		return strings.Join(some, ", ")
	}
	return "x"
}

func name(directive string) string {
	name, _, _ := strings.Cut(directive, "=")
	return name
}

// one is true once in n times.
func one(t *rapid.T, n int, label string) bool { return rapid.IntRange(0, n-1).Draw(t, label) == n-1 }

// question is what a client asks: mostly something simple.
func (m *modelled) question(t *rapid.T, o *teller) *question {
	q := &question{path: m.path(t), header: make(http.Header)}
	q.method = rapid.SampledFrom([]string{"GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS"}).Draw(t, "method")
	if tier := rapid.SampledFrom([]string{"", "", "gold", "gold", "iron", "a,b", "a, b"}).Draw(t, "tier"); tier != "" {
		q.header.Set("Tier", tier)
	}
	if one(t, 10, "authorization") {
		q.header.Set("Authorization", "Basic YTpi")
	}
	if one(t, 6, "wants") {
		q.header.Set("Cache-Control", draws(t, "control", wants, 1, 2))
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 7:
		o.conditions(t, q)
	case 8, 9:
		o.range_(t, q)
	}
	q.control = directives(q.header.Get("Cache-Control"))
	return q
}

var wants = []string{"no-cache", "no-store", "max-age=4", "max-age=40", "min-fresh=10", "max-stale", "max-stale=5", "only-if-cached", "stale-if-error=10"}

// conditions are about something that was told, or about nothing.
func (o *teller) conditions(t *rapid.T, q *question) {
	rep := o.some(t)
	switch kind := rapid.IntRange(0, 4).Draw(t, "condition"); {
	case kind == 0:
		q.header.Set("If-None-Match", "*")
	case kind == 1 && !rep.modified.IsZero():
		q.header.Set("If-Modified-Since", stamp(rep.modified))
	case kind == 2:
		q.header.Set("If-Match", `"x"`)
	case kind == 3:
		q.header.Set("If-Modified-Since", stamp(o.began.Add(time.Duration(rapid.IntRange(-100, 100).Draw(t, "since"))*time.Second)))
	case rep.tag != "":
		q.header.Set("If-None-Match", `"other", `+rep.tag)
	}
}

func (o *teller) range_(t *rapid.T, q *question) {
	first := rapid.IntRange(0, 30).Draw(t, "first")
	switch rapid.IntRange(0, 5).Draw(t, "form") {
	case 0, 1:
		q.header.Set("Range", fmt.Sprintf("bytes=0-%d", first))
	case 2:
		q.header.Set("Range", fmt.Sprintf("bytes=%d-", first))
	case 3:
		q.header.Set("Range", fmt.Sprintf("bytes=-%d", first))
	case 4:
		q.header.Set("Range", fmt.Sprintf("bytes=%d-%d", first, first+rapid.IntRange(0, 20).Draw(t, "more")))
	case 5:
		q.header.Set("Range", fmt.Sprintf("bytes=0-%d,%d-%d", first%5, first+7, first+9))
	}
	if rep := o.some(t); rep.tag != "" && one(t, 3, "if") {
		q.header.Set("If-Range", rep.tag)
	}
}

// some is one of the latest representations, or one that is empty.
func (o *teller) some(t *rapid.T) *representation {
	n := len(o.told) - 1 - rapid.IntRange(0, 3).Draw(t, "which")
	if n < 0 || o.told[n].rep == nil {
		return new(representation)
	}
	return o.told[n].rep
}
