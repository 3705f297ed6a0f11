package rules

import (
	"math"
	"time"
)

// A Variable is one that expressions can name.
type Variable struct {
	Name, Type, About string
	Scope             Scope // from which on it can be named
}

// variable is how a variable is read when it is not patched away.
type variable struct {
	scope Scope
	name  string
	zero  any
	read  func(f *frame) any
	parts []named // what has a value: itself, or its fields
}

// named is a variable, or a field of one.
type named struct{ name, kind, about string }

// variables is every variable there is.
var variables = []variable{
	{OfRequest, "method", "", func(f *frame) any { return string(f.request.Method) }, []named{{"method", "string", "method, as received: GET"}}},
	{OfRequest, "scheme", "", func(f *frame) any { return f.request.Scheme }, []named{{"scheme", "string", "http or https: how the request arrived"}}},
	{OfRequest, "host", "", func(f *frame) any { return string(f.request.Host) }, []named{{"host", "string", "host asked for: lower case, no port"}}},
	{OfRequest, "port", 0, func(f *frame) any { return f.request.port() }, []named{{"port", "int", "port asked for"}}},
	{OfRequest, "path", "", func(f *frame) any { return string(f.request.Path) }, []named{{"path", "string", "canonical path, which mappings and cache use, too: //, ;x and %2F stay"}}},
	{OfRequest, "raw_path", "", func(f *frame) any { return string(f.request.RawPath) }, []named{{"raw_path", "string", "path as received"}}},
	{OfRequest, "query_string", "", func(f *frame) any { return string(f.request.Query) }, []named{{"query_string", "string", "what follows the ?, as received"}}},
	{OfRequest, "url", "", func(f *frame) any { return string(f.request.URL) }, []named{{"url", "string", "path and query as received"}}},
	{OfRequest, "client", clientType{}, func(f *frame) any { return clientOf(f.request) }, []named{
		{"client.ip", "ip", "who sent it, after trusted proxies"},
		{"client.port", "int", "of the client's socket; 0 behind a proxy"},
		{"client.cert.subject", "string", "of its certificate, empty without one"},
		{"client.cert.issuer", "string", "the same"},
		{"client.cert.fingerprint", "string", "SHA-256, lower-case hexadecimal digits"},
		{"client.cert.san", "[]string", "subject alternative names"},
	}},
	{OfRequest, "peer", peerType{}, func(f *frame) any { return peerType{f.request.Peer.Addr()} }, []named{{"peer.ip", "ip", "the socket's other end"}}},
	{OfRequest, "tls", tlsType{}, func(f *frame) any { return tlsOf(f.request) }, []named{
		{"tls.version", "string", "1.2, 1.3; empty: plain"},
		{"tls.sni", "string", "name that the client asked for by TLS"},
	}},
	{OfRequest, "http", httpType{}, func(f *frame) any { return httpType{f.request.HTTP} }, []named{{"http.version", "string", "1.0, 1.1"}}},
	{OfRequest, "site", "", func(f *frame) any { return f.request.Site }, []named{{"site", "string", "name of the site"}}},
	{OfRequest, "cell", "", func(f *frame) any { return f.language.options.Cell }, []named{{"cell", "string", "cell of this gateway"}}},
	{OfRequest, "node", nodeType{}, func(f *frame) any { return nodeType{f.language.options.NodeName, f.language.options.Zone} }, []named{
		{"node.name", "string", "name of this gateway"},
		{"node.zone", "string", "zone of its host"},
	}},
	{OfRequest, sessionName, sessionType{}, func(f *frame) any { return sessionOf(f.request) }, []named{
		{"session.id", "string", "id of the request's session, by the site's session definition"},
		{"session.primary", "string", "what it says of its origin"},
		{"session.secondary", "string", "what it says of the origin with its replica"},
		{"session.new", "bool", "the request has no session id"},
	}},
	{OfRequest, "now", timeType{}, func(f *frame) any { return timeOf(f.request.Now.UTC()) }, []named{
		{"now.hour", "int", "time of the request in UTC: 0..23; other zones: tz()"},
		{"now.minute", "int", "0..59"},
		{"now.weekday", "int", "1 Monday .. 7 Sunday"},
		{"now.unix", "int", "seconds since 1970"},
	}},
	{OfRequest, "request", requestType{}, func(f *frame) any { return requestType{string(f.request.ID), int(f.request.Size)} }, []named{
		{"request.id", "string", "request id"},
		{"request.size", "int", "bytes of the body that are declared; -1: none are"},
	}},
	{OfAnswer, "status", 0, func(f *frame) any { return f.request.Response.Status }, []named{{"status", "int", "status of the answer"}}},
	{OfAnswer, "content_type", "", func(f *frame) any { return string(f.contentType()) }, []named{{"content_type", "string", "media type of the answer in lower case, without parameters: text/html"}}},
	{OfRetry, "attempts", 0, func(f *frame) any { return f.request.Response.Attempts }, []named{{"attempts", "int", "attempts made so far for the request, that with this answer included"}}},
	{OfStored, "age", 0, func(f *frame) any { return seconds(f.request.Stored.Age) }, []named{{"age", "int", "seconds since the origin made the answer, or validated it"}}},
	{OfStored, "ttl", 0, func(f *frame) any { return seconds(f.request.Stored.TTL) }, []named{{"ttl", "int", "seconds for which it is still fresh; less than 0: since when it is stale"}}},
	{OfStored, "size", 0, func(f *frame) any { return int(f.request.Stored.Size) }, []named{{"size", "int", "bytes that it takes of the memory"}}},
	{OfStored, "hits", 0, func(f *frame) any { return int(f.request.Stored.Hits) }, []named{{"hits", "int", "how often it was found since it was stored"}}},
	{OfStored, "tags", []string(nil), func(f *frame) any { return f.request.Stored.Tags }, []named{{"tags", "[]string", "its tags: \"news\" in tags"}}},
	{OfStored, "variant", "", func(f *frame) any { return f.request.Stored.Variant }, []named{{"variant", "string", "what the decision says that tells stored answers apart: application, edition and the like"}}},
}

// seconds are the whole seconds of a duration.
func seconds(d time.Duration) int { return int(math.Floor(d.Seconds())) }

// Variables are the variables that expressions of a scope can name, with their fields.
func Variables(in Scope) (all []Variable) {
	for _, v := range variables {
		if !in.holds(v.name, v.scope) {
			continue
		}
		for _, p := range v.parts {
			all = append(all, Variable{p.name, p.kind, p.about, v.scope})
		}
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
