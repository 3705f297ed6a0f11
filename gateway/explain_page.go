package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/wire"
)

// ExplainedPage is the page that is made of a template.
type ExplainedPage struct {
	Does      string              `json:"does"` // assembled, refused, deferred, or none: what is stored is no template, although it looks like one
	Why       string              `json:"why,omitempty"`
	Fragments []ExplainedFragment `json:"fragments,omitempty"` // that the request asks for; those of a fragment behind it
	More      int                 `json:"more,omitempty"`      // fragments that are not listed
}

// used reports whether the cache answers with what is stored.
func (c *ExplainedCache) used() bool { return c.Does == "fresh" || c.Does == "stale" }

// page says what is made of the stored answer, if that is a template, or looks like one.
// Nothing is fetched or counted.
func (e *explanation) page(g *Gateway) {
	x := e.x
	if x.within != nil {
		return
	}
	refused := x.site.esi != nil && x.site.esi.detects && x.holdsMarkup()
	if e.used == nil {
		if refused {
			e.Page = &ExplainedPage{Does: "refused", Why: "if the answer is a template: " + reasonTable[MarkupInjected].text}
		}
		return
	}
	s := e.used.Stored()
	why := x.whyNoPage(s.Status, s.Content, s.Fields)
	switch {
	case why == "" && refused:
		e.Page = &ExplainedPage{Does: "refused", Why: reasonTable[MarkupInjected].text}
	case why == "" && x.defersESI():
		e.Page = &ExplainedPage{Does: "deferred", Why: "the peer is a surrogate that has announced ESI/1.0, and esi.defer leaves the template to it"}
	case why == "":
		e.Page = &ExplainedPage{Does: "assembled", Why: x.whatOfTemplate()}
		e.fragments(g)
	case needsESI(s.Content) || holdsInclude(e.used):
		e.Page = &ExplainedPage{Does: "none", Why: why}
	}
}

// whatOfTemplate is what there is to say of the template that the page is made of.
func (x *Exchange) whatOfTemplate() string {
	switch {
	case string(x.Method) == "HEAD":
		return "without its fragments: HEAD asks for none"
	case x.site.readsAnswers():
		return "of what filters make of the template; here, as it is stored"
	}
	return "of the template as it is stored"
}

// whyNoPage is why an answer of the site is no template (E1, E2); empty: it is one.
func (x *Exchange) whyNoPage(status int, content string, fields []wire.Field) string {
	s := x.site.esi
	switch {
	case x.site.cache == nil:
		return fmt.Sprintf("site %s has no cache, and without one no page is made: cache.enabled is false there", x.site.name)
	case s == nil:
		return fmt.Sprintf("esi.mode is off for site %s", x.site.name)
	case !slices.Contains(s.statuses, status):
		return fmt.Sprintf("its status %d is none of esi.statuses", status)
	case !s.takesType(fields):
		return fmt.Sprintf("its media type %q is none of esi.types", mediaType(fields))
	case s.takes(content, fields):
		return ""
	case content == "":
		return `its origin does not say Surrogate-Control: content="ESI/1.0"`
	}
	return fmt.Sprintf("Surrogate-Control asks for content=%q, and ESI/1.0 alone is what is done here", content)
}

// pageOfAnswer says what would be made of an answer that was given.
func (e *explanation) pageOfAnswer() string {
	x, t := e.x, e.x.trip
	device := e.cfg.Node.Name
	content := cache.ContentOf(t.Answer.Fields, device)
	why := x.whyNoPage(t.Status.Code, content, t.Answer.Fields)
	switch {
	case why == "" && x.defersESI():
		return "deferred"
	case why == "":
		return "assembled"
	case content == "":
		return ""
	}
	return why
}

// holdsInclude reports whether a stored body, as far as it is in memory and in no coding, has markup
// of ours.
func holdsInclude(e *store.Entry) bool {
	return bytes.Contains(wholeOf(e), []byte("<esi:"))
}

// mostLooked is how long a body may be that an explanation looks into, in bytes.
const mostLooked = 4 << 20

// wholeOf is a stored body that is complete, wherever it is kept; nil: it is not, or is too long to be
// looked into.
func wholeOf(e *store.Entry) []byte {
	if n, all := e.Body().Size(); !all || n > mostLooked {
		return nil
	}
	src := &storedSource{reader: e.Body().Reader(0, -1), waiter: waitsFor{context.Background()}}
	defer src.reader.Close()
	body, err := io.ReadAll(src)
	if err != nil {
		return nil
	}
	return body
}

// programToExplain is the program of a stored template, as it was read, or is now, if its body is in
// memory. It says why there is none.
func programToExplain(e *store.Entry, s *siteESI) (*esi.Program, string) {
	if p := programIn(e); p != nil {
		return p, ""
	}
	body := wholeOf(e)
	if as, _ := cache.CodingOf(e.Stored().Fields); body == nil || as != cache.Identity {
		return nil, "it has not been read since it was stored, so that its fragments are not known"
	}
	p, _, err := esi.Parse(body, s.limits)
	if err != nil {
		return nil, "it cannot be read: " + err.Error()
	}
	return p, ""
}

// and joins sentences.
func and(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
