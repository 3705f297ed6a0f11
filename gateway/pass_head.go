package gateway

import (
	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
)

// passHead passes an answer to HEAD on with what GET would say of codings (RFC 9110, 9.3.2): a
// cache behind this one may hold either against what it has.
func (g *Gateway) passHead(x *Exchange) Reason {
	reason := g.filterToStore(x)
	if reason == Served && x.offersCodings(g) {
		x.trip.Answer.Fields = append(x.trip.Answer.Fields, variesByCoding)
	}
	return reason
}

var variesByCoding = wire.Field{Name: varyName, Value: []byte("Accept-Encoding")}

// offersCodings reports whether the answer to HEAD is one to a GET that would be stored, and
// sent in codings, and does not say so itself.
func (x *Exchange) offersCodings(g *Gateway) bool {
	a := x.answerToKeep(g)
	a.Length = x.trip.Answer.Length
	say, p := x.override(&a), &x.site.cache.policy
	if x.cached.raw || len(p.Codings)+len(say.Codings) == 0 {
		return false
	}
	get := x.cached.request
	get.Method = cache.Get
	s, why := p.Store(&get, &a, say)
	return why == 0 && s.AddsVary() && s.Length <= x.snap.stored.MaxObject && x.inSlices(s) == nil
}
