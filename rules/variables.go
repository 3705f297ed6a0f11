package rules

// A Variable is one that expressions can name.
type Variable struct {
	Name, Type, About string
}

// variable is how a variable is read when it is not patched away.
type variable struct {
	name  string
	zero  any
	read  func(f *frame) any
	parts []Variable // it has, or itself
}

// variables is every variable there is.
var variables = []variable{
	{"method", "", func(f *frame) any { return string(f.request.Method) }, []Variable{{"method", "string", "method, as received: GET"}}},
	{"scheme", "", func(f *frame) any { return f.request.Scheme }, []Variable{{"scheme", "string", "http or https: how the request arrived"}}},
	{"host", "", func(f *frame) any { return string(f.request.Host) }, []Variable{{"host", "string", "host asked for: lower case, no port"}}},
	{"port", 0, func(f *frame) any { return f.request.port() }, []Variable{{"port", "int", "port asked for"}}},
	{"path", "", func(f *frame) any { return string(f.request.Path) }, []Variable{{"path", "string", "canonical path, which mappings and cache use, too: //, ;x and %2F stay"}}},
	{"raw_path", "", func(f *frame) any { return string(f.request.RawPath) }, []Variable{{"raw_path", "string", "path as received"}}},
	{"query_string", "", func(f *frame) any { return string(f.request.Query) }, []Variable{{"query_string", "string", "what follows the ?, as received"}}},
	{"url", "", func(f *frame) any { return string(f.request.URL) }, []Variable{{"url", "string", "path and query as received"}}},
	{"client", clientType{}, func(f *frame) any { return clientOf(f.request) }, []Variable{
		{"client.ip", "ip", "who sent it, after trusted proxies"},
		{"client.port", "int", "of the client's socket; 0 behind a proxy"},
		{"client.cert.subject", "string", "of its certificate, empty without one"},
		{"client.cert.issuer", "string", "the same"},
		{"client.cert.fingerprint", "string", "SHA-256, lower-case hexadecimal digits"},
		{"client.cert.san", "[]string", "subject alternative names"},
	}},
	{"peer", peerType{}, func(f *frame) any { return peerType{f.request.Peer.Addr()} }, []Variable{{"peer.ip", "ip", "the socket's other end"}}},
	{"tls", tlsType{}, func(f *frame) any { return tlsOf(f.request) }, []Variable{
		{"tls.version", "string", "1.2, 1.3; empty: plain"},
		{"tls.sni", "string", "name that the client asked for by TLS"},
	}},
	{"http", httpType{}, func(f *frame) any { return httpType{f.request.HTTP} }, []Variable{{"http.version", "string", "1.0, 1.1"}}},
	{"site", "", func(f *frame) any { return f.request.Site }, []Variable{{"site", "string", "name of the site"}}},
	{"cell", "", func(f *frame) any { return f.language.options.Cell }, []Variable{{"cell", "string", "cell of this gateway"}}},
	{"node", nodeType{}, func(f *frame) any { return nodeType{f.language.options.NodeName, f.language.options.Zone} }, []Variable{
		{"node.name", "string", "name of this gateway"},
		{"node.zone", "string", "zone of its host"},
	}},
	{sessionName, sessionType{}, func(f *frame) any { return sessionOf(f.request) }, []Variable{
		{"session.id", "string", "id of the request's session, by the site's session definition"},
		{"session.primary", "string", "what it says of its origin"},
		{"session.secondary", "string", "what it says of the origin with its replica"},
		{"session.new", "bool", "the request has no session id"},
	}},
	{"now", timeType{}, func(f *frame) any { return timeOf(f.request.Now.UTC()) }, []Variable{
		{"now.hour", "int", "time of the request in UTC: 0..23; other zones: tz()"},
		{"now.minute", "int", "0..59"},
		{"now.weekday", "int", "1 Monday .. 7 Sunday"},
		{"now.unix", "int", "seconds since 1970"},
	}},
	{"request", requestType{}, func(f *frame) any { return requestType{string(f.request.ID), int(f.request.Size)} }, []Variable{
		{"request.id", "string", "request id"},
		{"request.size", "int", "bytes of the body that are declared; -1: none are"},
	}},
}

// Variables are the variables that expressions can name, with their fields.
func Variables() (all []Variable) {
	for _, v := range variables {
		all = append(all, v.parts...)
	}
	return all
}

// sessionName is the variable whose value is secret: a log has only its hash.
const sessionName = "session"

func variableNamed(name string) *variable {
	for i := range variables {
		if variables[i].name == name {
			return &variables[i]
		}
	}
	return nil
}

func clientOf(r *Request) clientType {
	return clientType{IP: r.Client.Addr(), Port: int(r.Client.Port()), Cert: certOf(r)}
}

func certOf(r *Request) certType {
	if r.TLS == nil || r.TLS.Cert == nil {
		return certType{}
	}
	c := r.TLS.Cert
	return certType{c.Subject, c.Issuer, c.Fingerprint, c.SAN}
}

func tlsOf(r *Request) tlsType {
	if r.TLS == nil {
		return tlsType{}
	}
	return tlsType{r.TLS.Version, r.TLS.SNI}
}

func sessionOf(r *Request) sessionType {
	s := &r.Session
	return sessionType{string(s.ID), string(s.Primary), string(s.Secondary), s.New}
}
