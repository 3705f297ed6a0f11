package invalidation

import (
	"bytes"
	"encoding/xml"
	"strconv"
)

// Status is what became of an object.
type Status string

// The statuses.
const (
	Success      Status = "SUCCESS"
	NotFound     Status = "URI NOT FOUND"
	NotCacheable Status = "URI NOT CACHEABLE" // its site has no cache
)

// Result is what became of one object.
type Result struct {
	Status Status
	Count  int // of what was invalidated
}

// Listing is what a preview has found.
type Listing struct {
	Status Status
	Total  int
	URLs   []string // those that are listed
}

// Answer renders the answer to an invalidation: a result for each object, in order.
func (m *Message) Answer(results []Result) []byte {
	w := begin("INVALIDATIONRESULT")
	w.open("INVALIDATIONRESULT", Pair{"VERSION", Version})
	for i, o := range m.Objects {
		r := results[i]
		w.open("OBJECTRESULT")
		w.selector(&o.Selector)
		w.empty("RESULT", Pair{"ID", strconv.Itoa(i + 1)}, Pair{"STATUS", string(r.Status)}, Pair{"NUMINV", strconv.Itoa(r.Count)})
		if o.Info != "" {
			w.empty("INFO", Pair{"VALUE", o.Info})
		}
		w.end("OBJECTRESULT")
	}
	w.end("INVALIDATIONRESULT")
	return w.b.Bytes()
}

// AnswerPreview renders the answer to a preview.
func (m *Message) AnswerPreview(l Listing) []byte {
	w := begin("INVALIDATIONPREVIEWRESULT")
	w.open("INVALIDATIONPREVIEWRESULT", Pair{"VERSION", Version}, Pair{"STATUS", string(l.Status)}, Pair{"STARTNUM", strconv.Itoa(m.Start)},
		Pair{"NUMURLS", strconv.Itoa(len(l.URLs))}, Pair{"TOTALNUMURLS", strconv.Itoa(l.Total)})
	w.selector(&m.Objects[0].Selector)
	for _, u := range l.URLs {
		w.empty("SELECTEDURL", Pair{"VALUE", u})
	}
	w.end("INVALIDATIONPREVIEWRESULT")
	return w.b.Bytes()
}

// writer writes elements, a line for each.
type writer struct{ b bytes.Buffer }

func begin(root string) *writer {
	w := &writer{}
	w.b.WriteString(xml.Header + "<!DOCTYPE " + root + " SYSTEM \"internal:///WCSinvalidation.dtd\">\n")
	return w
}

func (w *writer) open(name string, attributes ...Pair)  { w.tag(name, ">", attributes) }
func (w *writer) empty(name string, attributes ...Pair) { w.tag(name, "/>", attributes) }
func (w *writer) end(name string)                       { w.b.WriteString("</" + name + ">\n") }

func (w *writer) tag(name, end string, attributes []Pair) {
	w.b.WriteString("<" + name)
	for _, a := range attributes {
		w.b.WriteString(" " + a.Name + "=\"")
		xml.EscapeText(&w.b, []byte(a.Value)) // to a buffer, which cannot fail
		w.b.WriteByte('"')
	}
	w.b.WriteString(end + "\n")
}

// selector writes a selector as it was understood.
func (w *writer) selector(s *Selector) {
	host := ""
	if s.Host != "" {
		host = "http://" + s.Host
	}
	if s.Basic {
		w.empty("BASICSELECTOR", Pair{"URI", host + s.URI})
		return
	}
	exp := ""
	if s.Exp != nil {
		exp = s.Exp.String()
	}
	w.open("ADVANCEDSELECTOR", Pair{"URIPREFIX", s.Prefix}, Pair{"URIEXP", exp}, Pair{"HOST", s.Host}, Pair{"METHOD", s.Method}, Pair{"BODYEXP", s.Body})
	for _, c := range s.Cookies {
		w.empty("COOKIE", Pair{"NAME", c.Name}, Pair{"VALUE", c.Value})
	}
	for _, h := range s.Headers {
		w.empty("HEADER", Pair{"NAME", h.Name}, Pair{"VALUE", h.Value})
	}
	for _, o := range s.Others {
		w.empty("OTHER", Pair{"NAME", o.Name}, Pair{"TYPE", o.kind}, Pair{"VALUE", o.Value})
	}
	w.end("ADVANCEDSELECTOR")
}
