package gateway

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"weirkeep/gateway/wire"
)

// fillKey says what is asked for, as the store tells answers apart: the
// site in place of host and port, so that its aliases share, the scheme, what the
// decision says, the canonical target, and what the configuration adds.
func (x *Exchange) fillKey() {
	c, p := &x.cached, &x.site.cache.key
	c.key.Site, c.key.Secure = x.site.name, x.Secure
	c.key.Variant = x.snap.table.Variant(x.decision.Variant)
	c.text = append(c.text[:0], x.Target.Path...)
	if p.query && x.Target.Query != nil {
		c.text = p.appendQuery(c.text, x.Target.Query)
	}
	end := len(c.text)
	c.mark = x.site.toStore.mark
	c.text = x.appendParts(c.text, p)
	c.key.Target, c.key.Parts = c.text[:end:end], c.text[end:]
}

// appendQuery appends the part of a query that tells answers apart, with its "?".
func (p *keyPolicy) appendQuery(dst, query []byte) []byte {
	if len(p.only)+len(p.ignored) == 0 && !p.sorted {
		return append(append(dst, '?'), query...)
	}
	var room [32][]byte
	params := room[:0]
	for param := range bytes.SplitSeq(query, ampersand) {
		if name, _, _ := bytes.Cut(param, equals); p.counts(name) {
			params = append(params, param)
		}
	}
	if p.sorted {
		slices.SortStableFunc(params, bytes.Compare)
	}
	for i, param := range params {
		dst = append(append(dst, "?&"[min(i, 1)]), param...)
	}
	return dst
}

var ampersand = []byte("&")

// counts reports whether a parameter tells answers apart.
func (p *keyPolicy) counts(name []byte) bool {
	return (len(p.only) == 0 || isParam(name, p.only)) && !isParam(name, p.ignored)
}

// isParam reports whether a name is one of a list, or begins with what one there has before *.
func isParam(name []byte, list []string) bool {
	for _, one := range list {
		if begin, open := strings.CutSuffix(one, "*"); string(name) == one || open && len(name) >= len(begin) && string(name[:len(begin)]) == begin {
			return true
		}
	}
	return false
}

// appendParts appends what belongs to the key beside the target, one a line. Neither
// names nor values have line ends.
func (x *Exchange) appendParts(dst []byte, p *keyPolicy) []byte {
	dst = x.appendSpelling(x.hostPart(dst))
	dst = append(append(dst, x.cached.mark...), x.cached.choice...)
	dst = x.appendClaims(dst)
	dst = appendCookies(appendHeaders(dst, x.Head.Fields, p.headers), x.Head.Fields, p.cookies)
	r := x.cached.rule
	if r == nil {
		return dst
	}
	dst = appendCookies(appendHeaders(dst, x.Head.Fields, r.headers), x.Head.Fields, r.cookies)
	if r.session == sessionOwn {
		dst = append(append(append(dst, "session "...), x.decision.ID...), '\n')
	}
	return dst
}

// appendHeaders appends fields of a request, each of their lines; none is told from an empty one.
func appendHeaders(dst []byte, fields []wire.Field, names []string) []byte {
	for _, name := range names {
		dst = append(append(append(dst, "field "...), name...), '\n')
		for i := range fields {
			if f := &fields[i]; f.Class != wire.Hop && wire.EqualFold(f.Name, name) {
				dst = append(append(append(dst, ' '), f.Value...), '\n')
			}
		}
	}
	return dst
}

// appendCookies appends cookies of a request.
func appendCookies(dst []byte, fields []wire.Field, names []string) []byte {
	for _, name := range names {
		dst = append(append(append(dst, "cookie "...), name...), '\n')
		if value, found := wire.Cookie(fields, name); found {
			dst = append(append(append(dst, ' '), value...), '\n')
		}
	}
	return dst
}

// hostPart appends the host that was asked for, where that tells answers apart: it is the
// first of all parts.
func (x *Exchange) hostPart(dst []byte) []byte {
	if !x.site.cache.key.hosts {
		return dst
	}
	dst = append(append(append(dst, "host "...), x.Authority.Host...), ':')
	return append(strconv.AppendInt(dst, int64(x.Authority.Port), 10), '\n')
}

// appendSpelling appends how port, host and path were written, where that is not how they are
// compared. Origins are sent it as it was written, and make links, redirects and errors from
// it: who writes it otherwise must not make those everybody's. Clients hardly ever do.
func (x *Exchange) appendSpelling(dst []byte) []byte {
	p, a := &x.site.cache.key, &x.Authority
	if a.Port != 0 && !p.hosts && !slices.Contains(p.ports, a.Port) {
		dst = append(strconv.AppendInt(append(dst, "port "...), int64(a.Port), 10), '\n')
	}
	if len(a.Raw) > len(a.Host) && a.Raw[len(a.Host)] == '.' {
		dst = append(dst, "dot\n"...)
	}
	if path, _, _ := bytes.Cut(x.Target.Raw, question); !bytes.Equal(path, x.Target.Path) {
		dst = append(append(append(dst, "path "...), path...), '\n')
	}
	return dst
}

// appendClaims appends what a trusted proxy says of the host and the URL that its
// client asked for: origins make links, and whole pages, from it.
func (x *Exchange) appendClaims(dst []byte) []byte {
	if !x.trusted {
		return dst
	}
	for i := range x.Head.Fields {
		if f := &x.Head.Fields[i]; f.Class == wire.Identity && claimsURL(f.Name) {
			dst = append(append(append(append(dst, f.Name...), ' '), f.Value...), '\n')
		}
	}
	return dst
}

// claimsURL reports whether a field says which host or URL was asked for, or a part of it.
func claimsURL(name []byte) bool {
	for _, claim := range urlClaims {
		if wire.EqualFold(name, claim) {
			return true
		}
	}
	return false
}

// urlClaims are the names of the fields that do. The scheme of the key is that of our connection:
// what the proxy's client came by is in X-Forwarded-Proto.
var urlClaims = [...]string{
	"forwarded", "front-end-https", "x-envoy-original-path", "x-host", "x-http-host-override", "x-original-host", "x-original-url",
	"x-rewrite-url", "x-scheme", "x-script-name", "x-url-scheme",
	"x-forwarded-host", "x-forwarded-path", "x-forwarded-port", "x-forwarded-prefix", "x-forwarded-proto", "x-forwarded-protocol", "x-forwarded-scheme",
	"x-forwarded-server", "x-forwarded-ssl", "x-forwarded-uri",
}

// targetOf is the canonical target of a path and query, as fillKey has it; nil: it is not one
// that anything is stored under.
func (p *keyPolicy) targetOf(raw []byte) []byte {
	var t wire.Target
	if t.Parse(raw) != nil {
		return nil
	}
	target := bytes.Clone(t.Path)
	if p.query && t.Query != nil {
		target = p.appendQuery(target, t.Query)
	}
	return target
}
