package gateway

import (
	"weirkeep/gateway/balance"
	"weirkeep/gateway/wire"
)

// keyIn is the key of the exchange by which the group's balancer goes: 0 where that
// goes by none, or the request has none.
func (x *Exchange) keyIn(g *group) uint64 {
	if g.by == nil {
		return 0
	}
	switch g.by.What {
	case "session":
		return balance.KeyOf(x.decision.ID)
	case "header":
		return balance.KeyOf(x.field(g.by.Name))
	case "cookie":
		value, _ := wire.Cookie(x.Head.Fields, g.by.Name)
		return balance.KeyOf(value)
	}
	address := x.clientIP.As16()
	return balance.KeyOf(address[:])
}

// field is the value of the first field of a name, in lower case; nil: there is none.
func (x *Exchange) field(name string) []byte {
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; wire.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return nil
}
