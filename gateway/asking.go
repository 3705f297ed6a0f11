package gateway

import (
	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
)

// asking is what the origin is asked for in the client's place.
type asking uint8

const (
	askAsIs  asking = iota // what the client asks for
	askWhole               // the whole answer: the client's conditions are left out
	askStale               // whether what is stored still holds
	askRest                // the part that is missing of what is stored
	askSlice               // a slice of what is stored in slices
)

// askAbout is how an origin is asked about what is stored. Where filters make that of a body they
// need the body; and what they make of two parts is not what they would make of the whole.
func (x *Exchange) askAbout(how asking) asking {
	if s := &x.site.toStore; s.bodies || how == askRest && len(s.all) > 0 {
		return x.askAnew()
	}
	return how
}

// askAnew is what an origin is asked where nothing is stored that could be used: what
// the client asks, where that is for a part, or with conditions that only the origin can
// judge; else the whole.
func (x *Exchange) askAnew() asking {
	r := &x.cached.request
	if r.Range != nil && !x.site.toStore.bodies || r.Method == cache.Head || r.ForOrigin() {
		return askAsIs
	}
	return askWhole
}

// withholds reports whether a field of the request is left out of what the origin is
// asked: where the cache asks in the client's place, and what would spoil the answer for
// others. A range of what filters have made is none of what they make it of.
func (x *Exchange) withholds(f *wire.Field) bool {
	c := &x.cached
	if x.site != nil && x.site.toStore.bodies && cache.AsksForRange(f.Name) {
		return true
	}
	if !c.on {
		return false
	}
	return c.asking != askAsIs && cache.IsReplaced(f.Name) || c.asked && cache.OverridesMethod(f.Name)
}

var rangeName = []byte("Range")

// appendAsking appends the conditions that the cache has of its own.
func (x *Exchange) appendAsking(dst []byte) []byte {
	c := &x.cached
	switch c.fields = c.fields[:0]; c.asking {
	case askStale:
		c.fields = c.stale.Stored().AppendConditions(c.fields)
	case askRest:
		c.fields = c.stale.Stored().AppendRest(c.fields)
	case askSlice:
		c.fields = append(c.fields, wire.Field{Name: rangeName, Value: c.request.Range})
	}
	for i := range c.fields {
		dst = wire.AppendField(dst, c.fields[i].Name, c.fields[i].Value)
	}
	return dst
}
