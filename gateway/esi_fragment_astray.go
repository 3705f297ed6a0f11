package gateway

import (
	"context"
	"errors"
	"io"
	"slices"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/provider"
	"weirkeep/gateway/wire"
)

// mostOfProvider is the longest that max_fragment of a site can be, in bytes: the site's own is looked at
// when the fragment comes.
const mostOfProvider = 1 << 30

// obtainAstray gets the answer of a host that no site has. It is no site's to be stored, and is
// here as a whole afterwards.
func (f *fragmentExchange) obtainAstray(ctx context.Context) esi.Failure {
	r := f.requestAstray()
	r.Fields = f.fieldsAstray()
	a, err := f.of.g.providers.Get(ctx, r)
	if refusal, ok := errors.AsType[*provider.Refusal](err); ok {
		f.told.why = refusal.Detail
	}
	if err != nil {
		return failureOfProvider(err)
	}
	defer a.Body.Close()
	most := f.of.page.site.esi.options.Fragment
	body, err := io.ReadAll(io.LimitReader(a.Body, most+1))
	if err != nil {
		return failureOfProvider(err)
	}
	if int64(len(body)) > most {
		return esi.BadBody
	}
	f.loose, f.x.cached.entry = true, f.of.g.wholeEntry(a.Status, a.Head.Fields, body)
	return esi.None
}

// requestAstray asks for the fragment, without a field.
func (f *fragmentExchange) requestAstray() *provider.Request {
	return &provider.Request{Secure: f.url.Secure, Authority: f.url.Authority, Target: f.url.Target}
}

// fieldsAstray are what goes to another origin, but for who asks, and that it has been here: what comes
// back is refused.
func (f *fragmentExchange) fieldsAstray() []wire.Field {
	fields := slices.DeleteFunc(f.x.Head.Fields, func(h wire.Field) bool { return h.Class == wire.Identity })
	f.x.Head.Fields = append(fields,
		wire.Field{Name: viaName, Value: f.x.snap.via[1], Class: wire.Via},
		wire.Field{Name: cdnLoopName, Value: []byte(f.x.snap.device)})
	return f.x.Head.Fields
}

var cdnLoopName = []byte("CDN-Loop")

// wholeEntry is an entry that is in no index, of an answer that is here.
func (g *Gateway) wholeEntry(status int, fields []wire.Field, body []byte) *store.Entry {
	fill := g.cache.Loose(&store.Key{}, &cache.Stored{Status: status, Fields: fields, Length: int64(len(body))})
	fill.Write(body)
	fill.Done()
	return fill.Entry()
}

// failureOfProvider is what the failure of a host that no site has is to the page.
func failureOfProvider(err error) esi.Failure {
	switch {
	case errors.Is(err, provider.ErrTarget):
		return esi.BadTarget
	case errors.Is(err, provider.ErrAnswer):
		return esi.BadAnswer
	case errors.Is(err, provider.ErrBody):
		return esi.BadBody
	case errors.Is(err, provider.ErrTimeout), errors.Is(err, context.Canceled):
		return esi.TimedOut
	}
	return esi.Unreachable
}
