package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/route"
	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// StoredSelection selects stored answers.
type StoredSelection struct {
	Match string // words: site:NAME, tag:TAG, group:GROUP, path:GLOB, or full URLs
	Where string // an expression on what is stored, which must be true, too; empty: none
	All   bool   // without a word it selects all there is; a purge refuses it beside words
}

// ErrNoCache means that no site of the configuration has a cache.
var ErrNoCache = errors.New("no site has a cache: cache.enabled is false")

// selector compiles a selection.
func (s *snapshot) selector(g *Gateway, q StoredSelection) (*store.Selector, error) {
	if s.stored.Memory == 0 {
		return nil, ErrNoCache
	}
	sel, err := store.ParseSelector(canonicalWords(q.Match), q.All, s.resolver(g))
	if err != nil {
		return nil, err
	}
	if q.Where != "" {
		sel.Where, err = s.where(q.Where, g.now(time.Now()))
	}
	return sel, err
}

// canonicalWords are the words of a selector with paths as they are stored.
func canonicalWords(match string) string {
	words := strings.Fields(match)
	for i, w := range words {
		if path, ok := strings.CutPrefix(w, "path:"); ok {
			words[i] = "path:" + canonicalGlob(path)
		}
	}
	return strings.Join(words, " ")
}

// resolver finds the site and the path of a URL, as they are stored.
func (s *snapshot) resolver(g *Gateway) store.Resolve {
	return func(url string) (site, path string, err error) {
		x, err := s.requestFor(g, url, nil)
		if err != nil {
			return "", "", err
		}
		return x.site.name, string(x.site.cache.key.targetOf(x.Target.Raw)), nil
	}
}

// canonicalGlob is a glob as paths are stored, if it can be read as a target.
func canonicalGlob(glob string) string {
	var t wire.Target
	if t.Parse([]byte(glob)) != nil {
		return glob
	}
	path := string(t.Path)
	if t.Query != nil {
		path += "?" + string(t.Query)
	}
	return path
}

// requestFor is an exchange without a client that asks for a URL of a site that has a cache.
func (s *snapshot) requestFor(g *Gateway, url string, fields []string) (*Exchange, error) {
	x, err := s.requestAt(g, url, fields)
	if err == nil && x.site.cache == nil {
		err = fmt.Errorf("it is of site %s, which has no cache (cache.enabled is false there)", x.site.name)
	}
	return x, err
}

// siteOfURL is the site that a URL is of.
func (s *snapshot) siteOfURL(g *Gateway, url string) (*site, error) {
	x, err := s.requestAt(g, url, nil)
	if err != nil {
		return nil, err
	}
	return x.site, nil
}

// requestAt is an exchange without a client that asks for a URL, decided as far as its site.
func (s *snapshot) requestAt(g *Gateway, url string, fields []string) (*Exchange, error) {
	head, secure, err := headFor(url, fields)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	x := g.newClientless(now, g.now(now))
	x.snap, x.Secure = s, secure
	x.reset()
	if !x.readHead(head) {
		return nil, errNoHead
	}
	if reason := checkSized(g, x, len(head)); reason != Served {
		return nil, fmt.Errorf("such a request is refused (%v): %s", reason, cmp.Or(x.causeText(), reasonTable[reason].text))
	}
	x.fillAsk()
	d := route.Decide(s.table, &x.ask, x, x.Now, nil)
	if d.Site < 0 {
		return nil, fmt.Errorf("no site has the host %q", x.Authority.Raw)
	}
	x.site = &s.sites[d.Site]
	return x, nil
}

// headFor is the head of a request for a URL.
func headFor(url string, fields []string) (head []byte, secure bool, err error) {
	scheme, rest, ok := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return nil, false, errors.New("write a full URL, like https://shop.example/a")
	}
	rest, _, _ = strings.Cut(rest, "#")
	host, target := rest, "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		if host, target = rest[:i], rest[i:]; target[0] == '?' {
			target = "/" + target
		}
	}
	if host == "" || strings.ContainsAny(url, " \r\n\t\x00") {
		return nil, false, errors.New("it has no host, or blanks: write a full URL, like https://shop.example/a")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\n", target, host)
	for _, f := range fields {
		name, value, ok := strings.Cut(f, ":")
		if !ok || !wire.IsToken([]byte(name)) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, false, fmt.Errorf("%q is no header field: write 'Name: value'", f)
		}
		fmt.Fprintf(&b, "%s: %s\r\n", name, strings.TrimSpace(value))
	}
	b.WriteString("\r\n")
	return b.Bytes(), scheme == "https", nil
}

// where compiles an expression on what is stored.
func (s *snapshot) where(text string, now time.Time) (func(*store.Entry) bool, error) {
	names := s.names
	names.Scope = rules.OfStored
	program, errs := rules.New(names).Compile("where", text)
	if len(errs) > 0 {
		return nil, mistakesOf(text, errs)
	}
	return func(e *store.Entry) bool {
		met, err := program.Match(storedRequest(e, now))
		return met && err == nil
	}, nil
}

// mistakesOf says what is wrong with an expression, with the place of each mistake.
func mistakesOf(text string, mistakes []*rules.Error) error {
	var errs []error
	for _, m := range mistakes {
		errs = append(errs, fmt.Errorf("where %s: column %d: %w", text, m.Column, m))
	}
	return errors.Join(errs...)
}

// storedRequest is what expressions on a stored answer look at.
func storedRequest(e *store.Entry, now time.Time) *rules.Request {
	k, s := e.Key(), e.Stored()
	path, query, has := bytes.Cut(k.Target, question)
	if !has {
		query = nil
	}
	return &rules.Request{
		Scheme: schemeOf(k.Secure), Site: k.Site, Path: path, RawPath: path, Query: query, URL: k.Target, Now: now,
		Response: rules.Response{Status: s.Status, Fields: s.Fields},
		Stored:   rules.Stored{Age: s.AgeAt(now), TTL: s.TTLAt(now), Size: e.Bytes(), Hits: e.Hits(), Tags: s.OwnTags(), Variant: k.Variant},
	}
}

// siteNames are the sites that have a cache.
func (s *snapshot) siteNames() (names []string) {
	for i := range s.sites {
		if s.sites[i].cache != nil {
			names = append(names, s.sites[i].name)
		}
	}
	slices.Sort(names)
	return names
}
