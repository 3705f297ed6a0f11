package gateway

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
)

func (g *Gateway) loose(y *Exchange) *store.Entry {
	t := y.trip
	var all []byte
	for {
		p, err := t.Body.Next()
		if err != nil {
			break
		}
		all = append(all, p...)
		t.Body.Consume(len(p))
	}
	s := &cache.Stored{Status: t.Status.Code, Length: int64(len(all)), Content: cache.ContentOf(t.Answer.Fields, "")}
	for _, f := range t.Answer.Fields {
		f.Name, f.Value = bytes.Clone(f.Name), bytes.Clone(f.Value)
		s.Fields = append(s.Fields, f)
	}
	fill := g.cache.Loose(&store.Key{}, s)
	fill.Write(all)
	fill.Done()
	g.dropAnswer(y)
	return fill.Entry()
}

func (g *Gateway) programOf(w store.Waiter, e *store.Entry, s *siteESI) (*esi.Program, error) {
	if p, ok := e.Made().(*esi.Program); ok {
		return p, nil
	}
	c, _ := codingOf(e.Stored().Fields)
	r := e.Body().Reader(0, -1)
	defer r.Close()
	var src io.Reader = plainReader{&r, w}
	if c != 0 {
		d, err := newDecoder(c, src)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		src = d
	}
	all, err := io.ReadAll(src)
	if err != nil {
		return nil, err
	}
	parser := esi.Parser{Limits: s.limits}
	parser.Write(all)
	p, _ := parser.Close()
	g.cache.KeepMade(e, p, int64(p.Size()))
	return p, nil
}

func newDecoder(c cache.Coding, src io.Reader) (io.ReadCloser, error) {
	if c == cache.Gzip {
		return gzip.NewReader(src)
	}
	d, err := zstd.NewReader(src)
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

type plainReader struct {
	r *store.Reader
	w store.Waiter
}

func (p plainReader) Read(b []byte) (int, error) {
	v, err := p.r.Next(p.w)
	return copy(b, v), err
}
