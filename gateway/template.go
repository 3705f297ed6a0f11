package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weirkeep/gateway/route"
)

// template is the location of a redirect, in which {name} stands for a part of
// the request. The parts were checked and have no byte that could end a field.
type template []templatePiece

// templatePiece is a text, or a part of the request.
type templatePiece struct {
	text string
	part func(dst []byte, r *route.Request) []byte // appends it; nil: text
	lone bool                                      // the query alone follows a "?": without one, neither stands there
}

// templateParts are the parts that a location may name: variables of rules, and the
// host with its port.
var templateParts = map[string]func(dst []byte, r *route.Request) []byte{
	"authority":    appendAuthority,
	"host":         appendHost,
	"path":         func(dst []byte, r *route.Request) []byte { return append(dst, r.Path...) },
	"raw_path":     func(dst []byte, r *route.Request) []byte { return append(dst, r.RawPath...) },
	"query_string": func(dst []byte, r *route.Request) []byte { return append(dst, r.Query...) },
	"url":          func(dst []byte, r *route.Request) []byte { return append(dst, r.URL...) },
}

// appendHost appends the host as URLs have it: an IPv6 address stands in brackets.
func appendHost(dst []byte, r *route.Request) []byte {
	if bytes.IndexByte(r.Host, ':') < 0 {
		return append(dst, r.Host...)
	}
	return append(append(append(dst, '['), r.Host...), ']')
}

// appendAuthority appends the host, and the port if the client wrote one.
func appendAuthority(dst []byte, r *route.Request) []byte {
	dst = appendHost(dst, r)
	if r.Port == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, ':'), int64(r.Port), 10)
}

// pathParts begin with a slash: they may follow a host.
var pathParts = []string{"path", "raw_path", "url"}

// parseTemplate reads a location. What a client sends must not choose the host
// that it is sent to, other than by {host} or {authority}.
func parseTemplate(text string) (*template, error) {
	var t template
	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			t = append(t, templatePiece{text: before})
		}
		if !found {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		part := templateParts[name]
		if !closed || part == nil {
			return nil, fmt.Errorf("%q is no part of a request: there is {%s}", "{"+name+"}", strings.Join(sortedKeys(templateParts), "}, {"))
		}
		lone := name == "query_string" && strings.HasSuffix(before, "?") && (next == "" || next[0] == '#')
		t = append(t, templatePiece{name, part, lone})
		rest = next
	}
	if err := t.check(text); err != nil {
		return nil, err
	}
	return &t, nil
}

// check refuses locations that may lead to any host: those that do not say where
// they lead before a part of the request is put in.
func (t template) check(text string) error {
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' }) {
		return errors.New("it has a byte that no URL has: write it as %XX")
	}
	_, authority, absolute := strings.Cut(text, "://")
	switch {
	case absolute && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")):
		return t.checkAuthority(authority)
	case len(text) > 0 && text[0] == '/' && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/{"):
		return nil
	}
	return errors.New(`it must begin with http://, https:// or "/", and the "/" with something of its own behind it`)
}

// checkAuthority reads what follows the scheme: a host, {host} or {authority}, up to
// a path. Behind {authority} there may be a port already.
func (t template) checkAuthority(authority string) error {
	end := strings.IndexAny(authority, "/?#")
	if end < 0 {
		end = len(authority)
	}
	for _, name := range pathParts {
		if i := strings.Index(authority, "{"+name+"}"); i >= 0 {
			end = min(end, i)
		}
	}
	host := authority[:end]
	own, _ := strings.CutSuffix(host, "{authority}")
	if own == host {
		own = strings.Replace(host, "{host}", "", 1)
	}
	if host == "" || strings.ContainsAny(own, "{}@") {
		return errors.New("after the scheme must come a host, {host} or {authority}, and then a path")
	}
	return nil
}

// append appends the location for a request.
func (t *template) append(dst []byte, r *route.Request) []byte {
	for i := range *t {
		switch p := &(*t)[i]; {
		case p.part == nil:
			dst = append(dst, p.text...)
		case p.lone && len(r.Query) == 0:
			dst = dst[:len(dst)-1]
		default:
			dst = p.part(dst, r)
		}
	}
	return dst
}
