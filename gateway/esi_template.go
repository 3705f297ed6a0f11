package gateway

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"slices"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/coding"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/surrogate"
	"weirkeep/gateway/wire"
)

// isTemplate reports whether the answer is one, and a page is to be made of it (E1, E2). One that
// is for a surrogate closer to the client is passed on (H4).
func (x *Exchange) isTemplate() bool {
	s := x.site.esi
	if s == nil || !x.cached.on {
		return false
	}
	status, content, fields := x.trip.Status.Code, "", x.trip.Answer.Fields
	if e := x.cached.entry; e != nil {
		status, content, fields = e.Stored().Status, e.Stored().Content, e.Stored().Fields
	} else {
		content = cache.ContentOf(fields, s.device)
	}
	return slices.Contains(s.statuses, status) && s.takes(content, fields) && !x.defersESI()
}

// takes reports whether an answer is a template by what its head says.
func (s *siteESI) takes(content string, fields []wire.Field) bool {
	return (s.byType || needsESI(content)) && s.takesType(fields)
}

// needsESI reports whether a body needs what ESI is, and nothing that we cannot do (H3).
func needsESI(content string) bool {
	if content == "" || content == surrogate.ESI {
		return content != ""
	}
	c := surrogate.Control{Content: []byte(content)}
	return c.Needs(surrogate.ESI) && !c.Beyond(surrogate.ESI)
}

// takesType reports whether the media type is one of templates.
func (s *siteESI) takesType(fields []wire.Field) bool {
	kind := mediaType(fields)
	return slices.ContainsFunc(s.types, func(t string) bool { return wire.EqualFold(kind, t) })
}

// mediaType is what Content-Type says, without parameters; nil: there is none.
func mediaType(fields []wire.Field) []byte {
	for i := range fields {
		if f := &fields[i]; wire.EqualFold(f.Name, "content-type") {
			kind, _, _ := bytes.Cut(f.Value, semicolon)
			return wire.TrimBlanks(kind)
		}
	}
	return nil
}

// cutsTemplate reports whether the origin's answer is of a template, and is not all of it: a part
// that the client has asked for, or the word that what it has still holds. It has a page,
// of which neither says anything: the origin is asked for the whole (E2, C4).
func (x *Exchange) cutsTemplate() bool {
	s, t := x.site.esi, x.trip
	if s == nil || !x.cached.on || x.cached.asking != askAsIs {
		return false
	}
	switch t.Status.Code {
	case 206:
		return s.takes(cache.ContentOf(t.Answer.Fields, s.device), t.Answer.Fields) && !x.defersESI()
	case 304:
		return needsESI(cache.ContentOf(t.Answer.Fields, s.device)) && !x.defersESI()
	}
	return false
}

// templateError means that a template cannot be read, though all of it came.
type templateError struct{ error }

var (
	errTemplateCoding = errors.New("its Content-Encoding is none of gzip, br and zstd")
	errTemplateSliced = errors.New("it was stored in slices before it was a template; purge it")
)

// programOf is the program of a stored template: the one that was kept of an earlier reading (E5),
// or a new one, which is kept. It waits until all of the template is here.
func (g *Gateway) programOf(w store.Waiter, e *store.Entry, s *siteESI, url func() string) (*esi.Program, error) {
	if p := programIn(e); p != nil {
		return p, nil
	}
	if e.Stored().Sliced() {
		return nil, &templateError{errTemplateSliced}
	}
	src := &storedSource{reader: e.Body().Reader(0, -1), waiter: w}
	defer src.reader.Close()
	p, err := g.readTemplate(src, e.Stored().Fields, e.Stored().Length, s, url)
	if err == nil {
		g.keepProgram(e, p)
	}
	return p, err
}

// templateSource is what a template is read from.
type templateSource interface {
	io.Reader

	// fault is why it broke off; nil: it did not.
	fault() error
}

// readTemplate makes a program of a template as it comes, in the coding that its fields say. The
// length is that of what comes, if that is known. Errors are the source's, and *templateError.
func (g *Gateway) readTemplate(src templateSource, fields []wire.Field, length int64, s *siteESI, url func() string) (*esi.Program, error) {
	as, ok := cache.CodingOf(fields)
	if !ok {
		return nil, &templateError{errTemplateCoding}
	}
	p := esi.Parser{Limits: s.limits}
	if as == cache.Identity {
		p.Length = length
	}
	err := decodeTo(&p, src, as)
	switch {
	case src.fault() != nil:
		return nil, src.fault()
	case err != nil:
		return nil, &templateError{err}
	}
	program, problems := p.Close()
	s.metrics.Templates.Inc()
	if problems.Total() > 0 {
		g.tellProblems(&problems, s, url())
	}
	if orders := program.Invalidations(); s.obeys && len(orders) > 0 {
		g.obey(orders, url())
	}
	return program, nil
}

// decodeTo writes what comes in a coding, without it.
func decodeTo(dst io.Writer, src io.Reader, as cache.Coding) error {
	body, err := coding.NewReader(as, src)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(dst, body)
	return err
}

// tellProblems counts the problems in a template, and logs them (S7): of one template a second, for
// those that are not stored are read for each request.
func (g *Gateway) tellProblems(ps *esi.Problems, s *siteESI, url string) {
	for kind, n := range ps.Counts {
		s.metrics.Problems[kind].Add(uint64(n))
	}
	if now := time.Now().Unix(); s.told.Swap(now) == now {
		return
	}
	for i := range ps.List {
		p := &ps.List[i]
		g.log.Warn("problem in an ESI template", slog.String("url", url), slog.Int64("offset", p.Offset),
			slog.String("element", p.Element), slog.String("kind", p.Kind.String()), slog.String("what", p.Detail))
	}
	if left := ps.Total() - len(ps.List); left > 0 {
		g.log.Warn("more problems in an ESI template", slog.String("url", url), slog.Int("number", left))
	}
}

// storedSource reads a stored body.
type storedSource struct {
	reader store.Reader
	waiter store.Waiter
	rest   []byte
	err    error
}

func (r *storedSource) fault() error { return faultOf(r.err) }

// Read implements io.Reader.
func (r *storedSource) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.err == nil {
		r.rest, r.err = r.reader.Next(r.waiter)
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// WriteTo implements io.WriterTo: what is here is passed on without a copy.
func (r *storedSource) WriteTo(w io.Writer) (n int64, err error) {
	for {
		if len(r.rest) == 0 && r.err == nil {
			r.rest, r.err = r.reader.Next(r.waiter)
		}
		if len(r.rest) == 0 {
			return n, faultOf(r.err)
		}
		written, err := w.Write(r.rest)
		if n += int64(written); err != nil {
			return n, err
		}
		r.rest = nil
	}
}

// arrivingSource reads the body of an answer as it comes.
type arrivingSource struct {
	body *wire.Body
	err  error
}

func (r *arrivingSource) fault() error { return faultOf(r.err) }

// Read implements io.Reader.
func (r *arrivingSource) Read(p []byte) (int, error) {
	view, err := r.body.Next()
	if err != nil {
		r.err = err
		return 0, err
	}
	n := copy(p, view)
	r.body.Consume(n)
	return n, nil
}

// faultOf is an error that is more than the end.
func faultOf(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
