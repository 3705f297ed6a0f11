package gateway

import (
	"weirkeep/gateway/route"
)

// decide asks route.Decide what happens to the request.
func (g *Gateway) decide(x *Exchange) Reason {
	if x.Redirect {
		return x.redirect()
	}
	r := route.Request{
		Method: x.Method,
		Scheme: x.scheme(),
		Host:   x.Authority.Host,
		Port:   x.Authority.Port,
		Path:   x.Target.Path,
		Query:  x.Target.Query,
		Fields: x.Head.Fields,
	}
	x.decision = route.Decide(x.snap.table, &r, x.snap, x.Now, nil)
	d := &x.decision
	if d.Site >= 0 {
		x.site = &x.snap.sites[d.Site]
	}
	switch d.Reason {
	case route.NoSite:
		return NoSite
	case route.NoMapping:
		return NoMapping
	}
	x.mapping = &x.snap.mappings[d.Mapping]
	x.session = x.mapping.session
	if x.session != nil && d.ID == nil {
		x.session.metrics.None.Inc()
	}
	return Served
}

// redirect sends the client to the same URL with https, if it named a host.
func (x *Exchange) redirect() Reason {
	if len(x.Authority.Raw) == 0 {
		return BadHost
	}
	return RedirectedToHTTPS
}

// scheme is how the request came: what a trusted proxy says of the client's
// connection is for origins, not for choosing a site.
func (x *Exchange) scheme() string {
	if x.Secure {
		return "https"
	}
	return "http"
}
