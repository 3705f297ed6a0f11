package gateway

import (
	"weirkeep/gateway/wire"
)

// check is the wire check: a request that can be read in one way only goes on,
// with its parts taken from the bytes that will be passed on.
func (g *Gateway) check(x *Exchange) Reason {
	var err error
	if !x.read {
		err = x.parse(&x.snap.heads)
	}
	x.nameRequest(g)
	if err != nil {
		x.unframed = true
		if err == wire.ErrTarget && string(x.Method) == "CONNECT" {
			return MethodNotAllowed // its target has a form of its own, which is not looked at
		}
		return x.because(err, reasonOfHead(err))
	}
	x.Body.Limit, x.Body.Underscores = x.snap.bodyBytes, x.snap.heads.Underscores
	x.Body.Reset(x.Source, x.Head.Length)
	x.identify()
	switch string(x.Method) {
	case "CONNECT", "TRACE":
		return MethodNotAllowed
	}
	if x.Doubt != nil && (x.Minor == 0 || len(x.Head.Host) > 0) {
		x.unframed = true
		return x.because(x.Doubt, BadRequest)
	}
	if x.Head.HasVia && x.passedHere() {
		return x.because(errLoop, Loop)
	}
	if x.snap.device != "" && x.inCircle() {
		return x.because(errCircle, Loop)
	}
	return Served
}

func (x *Exchange) parse(heads *wire.Rules) (err error) {
	if err = x.parseLine(); err != nil {
		return err
	}
	if err = x.Head.ParseRequest(x.Block, x.Minor, heads); err != nil {
		return err
	}
	if err = x.Target.Parse(x.Line); err != nil {
		return err
	}
	return x.parseAuthority()
}

// parseLine reads the request line in the order of its bytes, so that the fault
// which came first is named; but for a target that the door has let through: it
// comes last.
func (x *Exchange) parseLine() (err error) {
	x.Minor = -1 // none that we know
	if err = wire.CheckMethod(x.Method); err != nil {
		return err
	}
	if x.Minor, err = wire.ParseVersion(x.Protocol); err != nil {
		x.Minor = -1
		return err
	}
	if x.Doubt != nil && string(x.Method) != "CONNECT" {
		return x.Target.Parse(x.Line)
	}
	return nil
}

// parseAuthority takes the host from the target if it stands there, else from
// Host (RFC 9112 3.2.2, X-05). An HTTP/1.0 request may have none. A target that
// says http may come by TLS: its client need not know of the TLS in between.
func (x *Exchange) parseAuthority() error {
	raw := x.Head.Host
	if x.Target.Absolute {
		raw = x.Target.Authority
		if string(x.Target.Scheme) == "https" && !x.Secure {
			return wire.ErrScheme
		}
	}
	if len(raw) == 0 {
		return nil
	}
	return x.Authority.Parse(raw)
}
