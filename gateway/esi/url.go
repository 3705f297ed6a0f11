package esi

import (
	"strconv"
	"strings"

	"weirkeep/gateway/wire"
)

// URL is an absolute http or https URL in the form in which two are compared: the host in
// lower case, without the port that is the scheme's own, the target as it is sent.
type URL struct {
	Secure    bool
	Authority string
	Target    string // path and query
}

// String is the URL as it is written.
func (u URL) String() string {
	if u.Secure {
		return "https://" + u.Authority + u.Target
	}
	return "http://" + u.Authority + u.Target
}

// SameOrigin reports whether two URLs have scheme, host and port in common.
func (u URL) SameOrigin(v URL) bool { return u.Secure == v.Secure && u.Authority == v.Authority }

// URLOf makes a URL of parts that were checked, as package wire has them: a host in lower case without
// brackets, and no port as 0. No host means that the client has named none.
func URLOf(secure bool, host []byte, port int, target []byte) URL {
	u := URL{Secure: secure, Target: string(target)}
	if len(host) > 0 {
		u.Authority = authorityOf(secure, string(host), port)
	}
	return u
}

// validTarget reports whether a target is one that a client could ask for.
func validTarget(target string) bool {
	var t wire.Target
	return strings.HasPrefix(target, "/") && t.Parse([]byte(target)) == nil
}

// normalAuthority is an authority in the form in which two are compared.
func normalAuthority(secure bool, authority string) (string, bool) {
	var a wire.Authority
	if a.Parse([]byte(authority)) != nil {
		return "", false
	}
	return authorityOf(secure, string(a.Host), a.Port), true
}

// authorityOf is the form in which two are compared.
func authorityOf(secure bool, name string, port int) string {
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if port == 0 || port == 80 && !secure || port == 443 && secure {
		return name
	}
	return name + ":" + strconv.Itoa(port)
}

// reference is a URL as it stands in markup, perhaps relative, in its parts.
type reference struct {
	scheme    string // in lower case; empty: the base's
	authority string // if there is one
	absolute  bool   // there is an authority
	path      string
	query     string // with its "?"
	begins    int    // where the path begins
}

// cutReference cuts a reference into its parts. A fragment goes: it is the client's.
func cutReference(s string) (r reference, ok bool) {
	whole := s
	s, _, _ = strings.Cut(s, "#")
	if i := strings.IndexAny(s, ":/?"); i >= 0 && s[i] == ':' {
		r.scheme = strings.ToLower(s[:i])
		s = s[i+1:]
		if r.scheme != "http" && r.scheme != "https" || !strings.HasPrefix(s, "//") {
			return r, false
		}
	}
	if strings.HasPrefix(s, "//") {
		r.absolute = true
		s = s[2:]
		end := strings.IndexAny(s, "/?")
		if end < 0 {
			end = len(s)
		}
		r.authority, s = s[:end], s[end:]
		r.begins = strings.Index(whole, "//") + 2 + end
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		s, r.query = s[:i], s[i:]
	}
	r.path = s
	return r, true
}

// Resolve returns what a reference in a document means (RFC 3986, 5.2). It is not ok if
// that is no http or https URL, or one that no request may have.
func (u URL) Resolve(ref string) (URL, bool) {
	r, ok := cutReference(ref)
	if !ok || ref == "" {
		return URL{}, false
	}
	if r.scheme != "" {
		u.Secure = r.scheme == "https"
	}
	base, _, _ := strings.Cut(u.Target, "?")
	path := r.path
	switch {
	case r.absolute:
		u.Authority, ok = normalAuthority(u.Secure, r.authority)
		path = "/" + strings.TrimPrefix(path, "/")
	case path == "" && r.query == "": // it was a fragment alone
		return URL{}, false
	case path == "":
		path = base
	case path[0] != '/':
		path = base[:strings.LastIndexByte(base, '/')+1] + path
	}
	u.Target = removeDots(path) + r.query
	return u, ok && validTarget(u.Target)
}

// removeDots resolves the segments "." and ".." of a path (RFC 3986, 5.2.4). Those that are
// written with escapes stay, and are refused later.
func removeDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	segments := strings.Split(path[1:], "/")
	kept := segments[:0]
	for i, s := range segments {
		last := i == len(segments)-1
		if s == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if s != "." && s != ".." {
			kept = append(kept, s)
		} else if last {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// valid reports whether a reference without variables can be resolved at all.
func valid(ref string) bool {
	_, ok := URL{Authority: "a", Target: "/"}.Resolve(ref)
	return ok
}

// queryOf is what follows the "?" of a URL.
func queryOf(u URL) []byte {
	_, query, _ := strings.Cut(u.Target, "?")
	return []byte(query)
}
