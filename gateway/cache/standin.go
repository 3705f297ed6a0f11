package cache

import "weirkeep/gateway/wire"

func (r *Request) Prefers(list []Coding) Coding {
	var f preferences
	for i := range r.Fields {
		if wire.EqualFold(r.Fields[i].Name, acceptEncoding) && !f.read(r.Fields[i].Value) {
			return Identity
		}
	}
	return f.best(list)
}
func CodingOf(fields []wire.Field) (Coding, bool) {
	for i := range fields {
		if wire.EqualFold(fields[i].Name, "content-encoding") {
			for c := Gzip; c < Codings; c++ {
				if wire.EqualFold(fields[i].Value, c.String()) {
					return c, true
				}
			}
			return Identity, false
		}
	}
	return Identity, true
}
