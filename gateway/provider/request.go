package provider

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"weirkeep/gateway/wire"
)

// Request is what a provider is asked for, by GET.
type Request struct {
	Secure    bool   // by https
	Authority string // host, perhaps with a port
	Target    string // path and query, sent as they are, or in a spelling that means the same

	// Fields are sent, but those whose Class is Hop, Framing, Host or Expect. Nothing is
	// added to them but Host.
	Fields []wire.Field
}

// String is the URL as it is written.
func (r *Request) String() string { return r.scheme() + "://" + r.Authority + r.Target }

func (r *Request) scheme() string {
	if r.Secure {
		return "https"
	}
	return "http"
}

// build makes a request of it, or says why that URL is not asked.
func (r *Request) build(ctx context.Context) (*http.Request, *Refusal) {
	authority, refusal := r.authority()
	if refusal != nil {
		return nil, refusal
	}
	var t wire.Target
	if !strings.HasPrefix(r.Target, "/") || t.Parse([]byte(r.Target)) != nil {
		return nil, &Refusal{"target", strconv.Quote(r.Target) + " is no path and query that a request may have"}
	}
	req := &http.Request{Method: "GET", URL: urlOf(&t), Header: r.header()}
	req.URL.Scheme, req.URL.Host = r.scheme(), authority
	return req.WithContext(ctx), nil
}

// urlOf is a target as net/http takes it. Opaque is written as it is; but what begins with
// "//" it would take for an authority, so then the path is written in its canonical form.
func urlOf(t *wire.Target) *url.URL {
	if !bytes.HasPrefix(t.Raw, []byte("//")) {
		return &url.URL{Opaque: string(t.Raw)}
	}
	u := &url.URL{RawPath: string(t.Path), RawQuery: string(t.Query), ForceQuery: t.Query != nil}
	u.Path, _ = url.PathUnescape(u.RawPath)
	return u
}

// header is what is sent beside Host.
func (r *Request) header() http.Header {
	h := make(http.Header)
	for _, f := range r.Fields {
		switch f.Class {
		case wire.Hop, wire.Framing, wire.Host, wire.Expect:
		default:
			h.Add(string(f.Name), string(f.Value))
		}
	}
	if h["User-Agent"] == nil {
		h["User-Agent"] = []string{""} // or net/http would make one up
	}
	return h
}

// authority is host and port as they are dialled and said in Host.
func (r *Request) authority() (string, *Refusal) {
	var a wire.Authority
	if a.Parse([]byte(r.Authority)) != nil {
		return "", &Refusal{"authority", strconv.Quote(r.Authority) + " is no host with an optional port; a user has no place in it"}
	}
	host := string(a.Host)
	if isNumber(host) {
		if _, err := netip.ParseAddr(host); err != nil {
			return "", &Refusal{"spelling", host + " is a number to some; write an address as 192.0.2.1 or [2001:db8::1]"}
		}
	}
	if a.Port != 0 {
		return net.JoinHostPort(host, strconv.Itoa(a.Port)), nil
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host, nil
}

// isNumber reports whether some would read a host as an IPv4 address: its last label is a
// decimal, octal or hexadecimal number. No domain at the top has such a name.
func isNumber(host string) bool {
	if strings.Contains(host, ":") {
		return false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
