package gateway

import (
	"errors"
	"fmt"
	"strings"

	"weirkeep/gateway/route"
)

// template is the location of a redirect, in which {name} stands for a part of
// the request. The parts were checked and have no byte that could end a field.
type template []templatePiece

// templatePiece is a text, or a part of the request.
type templatePiece struct {
	text string
	part func(r *route.Request) []byte // nil: text
}

// templateParts are the parts that a location may name: variables of rules.
var templateParts = map[string]func(r *route.Request) []byte{
	"host":         func(r *route.Request) []byte { return r.Host },
	"path":         func(r *route.Request) []byte { return r.Path },
	"raw_path":     func(r *route.Request) []byte { return r.RawPath },
	"query_string": func(r *route.Request) []byte { return r.Query },
	"url":          func(r *route.Request) []byte { return r.URL },
}

// pathParts begin with a slash: they may follow a host.
var pathParts = []string{"path", "raw_path", "url"}

// parseTemplate reads a location. What a client sends must not choose the host
// that it is sent to, other than by {host}.
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
		t = append(t, templatePiece{name, part})
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

// checkAuthority reads what follows the scheme: a host, or {host}, up to a path.
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
	if host == "" || strings.ContainsAny(strings.Replace(host, "{host}", "", 1), "{}@") {
		return errors.New("after the scheme must come a host, or {host}, and then a path")
	}
	return nil
}

// append appends the location for a request.
func (t *template) append(dst []byte, r *route.Request) []byte {
	for _, p := range *t {
		if p.part == nil {
			dst = append(dst, p.text...)
		} else {
			dst = append(dst, p.part(r)...)
		}
	}
	return dst
}
