package gateway

import (
	"fmt"
	"strings"
	"time"

	"weirkeep/gateway/cache/store"
)

// StoredObject is one stored answer, for people.
type StoredObject struct {
	Site    string `json:"site"`
	Scheme  string `json:"scheme"`            // by which it was asked for
	Target  string `json:"target"`            // path and query, as they are keyed
	Variant string `json:"variant,omitempty"` // what the decision says that tells answers apart
	Parts   string `json:"parts,omitempty"`   // what configuration adds to the key
	Vary    string `json:"vary,omitempty"`    // fields that it was chosen by, with their values

	Status      int       `json:"status"`
	ContentType string    `json:"content_type,omitempty"`
	ETag        string    `json:"etag,omitempty"`
	Part        string    `json:"part,omitempty"`   // of the representation; empty: it is all of it
	Slices      string    `json:"slices,omitempty"` // of its body that are in memory; empty: it is stored in one piece
	Length      int64     `json:"length"`           // of the body; -1: not known yet
	Bytes       int64     `json:"bytes"`            // that it takes of the memory; on the disk alone: that its body has there
	Place       string    `json:"place"`            // memory, disk, or both
	State       string    `json:"state"`            // fresh, stale, or filling
	Age         int64     `json:"age"`              // seconds
	TTL         int64     `json:"ttl"`              // seconds for which it is still fresh; less than 0: since when it is stale
	Received    time.Time `json:"received"`
	Hits        int64     `json:"hits"`
	Tags        []string  `json:"tags,omitempty"`
	Groups      []string  `json:"groups,omitempty"` // of Cache-Groups

	Codings []StoredCoding `json:"codings,omitempty"` // that it may be sent in, the one rather used first

	Fields [][2]string `json:"fields,omitempty"` // of its header; only where one is asked for
}

// StoredCoding is a coding that a stored answer may be sent in.
type StoredCoding struct {
	Coding string `json:"coding"`
	State  string `json:"state"`            // kept, unasked, encoding or useless: it does not get shorter, or found no room
	Length int64  `json:"length,omitempty"` // of the body in it, while it is kept
}

// codingsOfEntry are those that an entry may be sent in.
func codingsOfEntry(e *store.Entry) (list []StoredCoding) {
	for _, as := range e.Stored().Codings {
		c := StoredCoding{Coding: as.String(), State: "encoding"}
		switch coded := e.Coded(as); {
		case coded != nil:
			c.State, c.Length = "kept", int64(len(coded.Body()))
		case e.Untried(as):
			c.State = "unasked"
		case e.Useless(as):
			c.State = "useless"
		}
		list = append(list, c)
	}
	return list
}

// describe is what is known of an entry.
func (g *Gateway) describe(e *store.Entry, now time.Time) StoredObject {
	k, s := e.Key(), e.Stored()
	o := StoredObject{
		Place: g.placeOf(e),
		Site:  k.Site, Scheme: schemeOf(k.Secure), Target: string(k.Target), Variant: k.Variant, Parts: shownParts(k.Parts),
		Status: s.Status, ETag: string(s.ETag), Length: s.Length, Bytes: e.Bytes(), State: "stale",
		Age: int64(s.AgeAt(now) / time.Second), TTL: wholeSeconds(s.TTLAt(now)), Received: s.Fresh.Received, Hits: e.Hits(), Tags: s.OwnTags(), Groups: s.Groups(),
		Codings: codingsOfEntry(e),
	}
	var vary []string
	for i, name := range s.Vary.Names {
		vary = append(vary, fmt.Sprintf("%s: %s", name, s.Vary.Values[i]))
	}
	o.Vary = strings.Join(vary, "; ")
	if p := s.Part; p.Size != 0 {
		o.Part = fmt.Sprintf("bytes %d-%d/%d", p.First, p.First+s.Length-1, p.Size)
	}
	if n, all := e.Body().Size(); !all {
		o.State = "filling"
	} else if o.Length = n; s.TTLAt(now) > 0 && !s.Fresh.Validate {
		o.State = "fresh"
	}
	for _, f := range s.Fields {
		if strings.EqualFold(string(f.Name), "content-type") {
			o.ContentType = string(f.Value)
		}
	}
	return o
}

// placeOf is where an entry is.
func (g *Gateway) placeOf(e *store.Entry) string {
	switch {
	case e.IsApart():
		return "disk"
	case g.tier.Has(e):
		return "both"
	}
	return "memory"
}

// inFull is describe with the fields.
func (g *Gateway) inFull(f *folded, now time.Time) StoredObject {
	o := g.describeFolded(f, now)
	for _, field := range f.Stored().Fields {
		o.Fields = append(o.Fields, [2]string{string(field.Name), string(field.Value)})
	}
	return o
}

func schemeOf(secure bool) string {
	if secure {
		return "https"
	}
	return "http"
}

// wholeSeconds rounds up, as Cache-Status does: an answer is fresh while it is more than 0.
func wholeSeconds(d time.Duration) int64 {
	n := int64(d / time.Second)
	if d%time.Second > 0 {
		n++
	}
	return n
}

// shownParts is what configuration adds to a key, on one line. The id of a session is
// nobody's to see.
func shownParts(parts []byte) string {
	var shown []string
	for line := range strings.Lines(string(parts)) {
		line = strings.TrimSuffix(line, "\n")
		switch value, of := strings.CutPrefix(line, " "); {
		case of && len(shown) > 0:
			shown[len(shown)-1] += "=" + value
		case strings.HasPrefix(line, "session "):
			shown = append(shown, "session")
		default:
			shown = append(shown, line)
		}
	}
	return strings.Join(shown, "; ")
}
