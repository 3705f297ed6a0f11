package gateway

import (
	"bytes"
	"fmt"
	"net/netip"
	"strconv"

	"weirkeep/abi"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// pluginWork is what an exchange needs to call plugins: views, and the memory that
// they and the answers are made of. It stays with a pooled exchange.
type pluginWork struct {
	view     abi.View
	headers  []abi.Field
	cookies  []abi.Field
	origins  []abi.Origin
	client   []byte
	bound    []byte
	list     []uint16 // what the router has listed
	ops      []abi.Op
	kept     []byte // what ops refer to, and the head of an answer whose body was read ahead
	request  room   // of the request's body
	answer   room   // of the answer's
	exchange *Exchange
}

// work is the exchange's, made when it first calls a plugin.
func (x *Exchange) work() *pluginWork {
	if x.plug == nil {
		x.plug = &pluginWork{exchange: x}
	}
	return x.plug
}

// show fills in the view of the request that a plugin is granted. What it refers to is
// good for as long as the exchange's bytes are.
func (w *pluginWork) show(n *plugins.Needs) *abi.View {
	x, v := w.exchange, &w.view
	*v = abi.View{
		Args: v.Args[:0],

		RequestID: x.number, Now: uint64(x.Now.UnixNano()), Method: methodID(x.Method), Version: abi.HTTP10 + uint8(x.Minor),
		Attempts: uint16(min(x.attempts, 1<<16-1)), Granted: n.Granted, Port: x.port(), BodyLength: bodyLength(x.Head.Length),
		Headers: w.headers[:0], Cookies: w.cookies[:0], Origins: w.origins[:0],
	}
	v.Flags = w.flags()
	w.showTarget(n)
	w.showPlace(n)
	w.showFields(n)
	return v
}

func (w *pluginWork) flags() (f uint16) {
	x := w.exchange
	if x.Secure {
		f |= abi.FlagHTTPS
	}
	if x.hasBody() {
		f |= abi.FlagBody
	}
	if x.attempts > 0 {
		f |= abi.FlagAttempted
	}
	if x.Head.Upgrade != nil {
		f |= abi.FlagUpgrade
	}
	return f
}

// hasBody reports whether the request's head says that a body follows.
func (x *Exchange) hasBody() bool { return x.Head.Length == wire.Chunked || x.Head.Length > 0 }

// showTarget fills in what the request asks for, and who asks.
func (w *pluginWork) showTarget(n *plugins.Needs) {
	x, v := w.exchange, &w.view
	if n.Shows(plugins.NeedMethod) {
		v.MethodText = x.Method
	}
	if n.Shows(plugins.NeedScheme) {
		v.Scheme = schemes[x.Secure]
	}
	if n.Shows(plugins.NeedHost) {
		v.Host = x.Authority.Host
	}
	if n.Shows(plugins.NeedPath) {
		v.Path = x.Target.Path
	}
	if n.Shows(plugins.NeedQuery) {
		v.Query = x.Target.Query
	}
	if n.Shows(plugins.NeedTarget) {
		v.Target = x.Target.Raw
	}
	if n.Shows(plugins.NeedClient) {
		w.client = x.clientIP.WithZone("").AppendTo(w.client[:0])
		v.Client = w.client
	}
}

var schemes = map[bool][]byte{false: []byte("http"), true: []byte("https")}

// showPlace fills in where the request has been mapped, and its session.
func (w *pluginWork) showPlace(n *plugins.Needs) {
	x, v := w.exchange, &w.view
	if n.Shows(plugins.NeedSession) {
		v.Session = x.decision.ID
		if x.decision.Bound != "" {
			w.bound = append(w.bound[:0], x.decision.Bound...)
			v.OriginName = w.bound
		}
	}
	if n.Shows(plugins.NeedSite) && x.mapping != nil {
		m := x.mapping
		v.Mapping, v.Site = m.shown, m.site.shown
		if x.group != nil {
			v.Cluster = x.group.lead.path // of a router's call
		}
		if i := x.decision.Application; i >= 0 {
			v.Application = x.snap.applications[i]
		}
	}
}

// showFields fills in header fields and cookies.
func (w *pluginWork) showFields(n *plugins.Needs) {
	x, v := w.exchange, &w.view
	if n.Shows(plugins.NeedHeader | plugins.NeedHeaders) {
		for i := range x.Head.Fields {
			if f := &x.Head.Fields[i]; x.passes(f) && n.ShowsField(f.Name) {
				v.Headers = append(v.Headers, abi.Field{Name: f.Name, Value: f.Value})
			}
		}
		w.headers = v.Headers
	}
	if n.Shows(plugins.NeedCookie) {
		w.showCookies(n)
	}
}

func (w *pluginWork) showCookies(n *plugins.Needs) {
	v := &w.view
	for i := range w.exchange.Head.Fields {
		f := &w.exchange.Head.Fields[i]
		if !wire.EqualFold(f.Name, "cookie") {
			continue
		}
		for rest := f.Value; len(rest) > 0; {
			var pair []byte
			pair, rest, _ = bytes.Cut(rest, semicolon)
			name, value, ok := bytes.Cut(pair, equals)
			if name = wire.TrimBlanks(name); ok && n.ShowsCookie(name) {
				v.Cookies = append(v.Cookies, abi.Field{Name: name, Value: wire.TrimBlanks(value)})
			}
		}
	}
	w.cookies = v.Cookies
}

// bodyLength is a declared length as views have it.
func bodyLength(n int64) uint64 {
	switch {
	case n == wire.Chunked, n == wire.UntilClose:
		return abi.LengthUnknown
	case n < 0:
		return 0
	}
	return uint64(n)
}

// methodID is the number of a method that has one.
func methodID(m []byte) uint8 {
	switch string(m) {
	case "GET":
		return abi.MethodGET
	case "HEAD":
		return abi.MethodHEAD
	case "POST":
		return abi.MethodPOST
	case "PUT":
		return abi.MethodPUT
	case "DELETE":
		return abi.MethodDELETE
	case "OPTIONS":
		return abi.MethodOPTIONS
	case "PATCH":
		return abi.MethodPATCH
	}
	return abi.MethodOther
}

// Property implements plugins.Properties.
func (w *pluginWork) Property(name string) (string, bool) {
	x := w.exchange
	switch name {
	case "request.id":
		return hexOf(x.number), true
	case "tls.version", "tls.sni", "client.cert.subject", "client.cert.fingerprint":
		return x.tlsProperty(name)
	case "rule":
		if x.rule != nil {
			return x.rule.name, true
		}
	case "client.port":
		return portText(x.client())
	case "session.primary":
		return x.snap.nameOf(x.decision.Primary)
	case "session.secondary":
		return x.snap.nameOf(x.decision.Secondary)
	}
	return "", false
}

// port is the authority's, else the scheme's.
func (x *Exchange) port() uint16 {
	switch {
	case x.Authority.Port != 0:
		return uint16(x.Authority.Port)
	case x.Secure:
		return 443
	}
	return 80
}

// tlsProperty is what is known of the client's TLS.
func (x *Exchange) tlsProperty(name string) (string, bool) {
	if x.TLS == nil {
		return "", false
	}
	switch cert := x.TLS.Cert; {
	case name == "tls.version":
		return x.TLS.Version, true
	case name == "tls.sni":
		return x.TLS.SNI, true
	case cert == nil:
		return "", false
	case name == "client.cert.subject":
		return cert.Subject, true
	default:
		return cert.Fingerprint, true
	}
}

// portText is a port that is known.
func portText(a netip.AddrPort) (string, bool) {
	return strconv.Itoa(int(a.Port())), a.Port() != 0
}

// hexOf is a number as 16 hexadecimal digits.
func hexOf(n uint64) string { return fmt.Sprintf("%016x", n) }

// nameOf is the name of the origin of an identity.
func (s *snapshot) nameOf(identity int) (string, bool) {
	for _, cl := range s.clusters {
		for _, m := range cl.members {
			if m.identity == identity {
				return m.name, true
			}
		}
	}
	return "", false
}
