package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/esi"
	"weirkeep/gateway/unit"
)

// ESI says which answers are templates, and how pages are made of them. A site has one too:
// what that says outranks the top level key by key. Where no cache is enabled nothing is a
// template.
type ESI struct {
	Mode     string   `yaml:"mode" default:"surrogate" enum:"off|surrogate|content-types" foreign:"esi-mode"`              // which answers are templates: surrogate (default): those that say Surrogate-Control: content="ESI/1.0" | content-types: all that have one of the types below | off: none
	Types    []string `yaml:"types" default:"text/html|application/xhtml+xml|text/xml|application/xml" check:"media-type"` // media types of templates; others are passed on as they are; default [text/html, application/xhtml+xml, text/xml, application/xml]
	Statuses []int    `yaml:"statuses" default:"200" range:"200..599"`                                                     // of templates; not 204, 205, 206 and 304; default [200]
	Defer    bool     `yaml:"defer" default:"false"`                                                                       // whether one of trusted_proxies that says in Surrogate-Capability that it can do ESI/1.0 gets templates as they are; default false

	MaxDepth        int           `yaml:"max_depth" default:"5" range:"0..32"`            // of fragments in fragments, default 5; 0: none is fetched
	MaxIncludes     int           `yaml:"max_includes" default:"100" range:"0..10000"`    // fragments that a page may ask for, default 100
	Concurrent      int           `yaml:"concurrent" default:"8" range:"1..1000"`         // fragments of a page that are waited for at once, default 8
	MaxTemplate     unit.Size     `yaml:"max_template" default:"4MiB" range:"1KiB..1GiB"` // longest template, default 4MiB
	MaxAttribute    unit.Size     `yaml:"max_attribute" default:"8KiB" range:"64B..1MiB"` // longest attribute of a tag, default 8KiB
	MaxFragment     unit.Size     `yaml:"max_fragment" default:"2MiB" range:"1B..1GiB"`   // longest fragment, default 2MiB
	MaxPage         unit.Size     `yaml:"max_page" default:"32MiB" range:"1B..16GiB"`     // longest page, default 32MiB
	MaxValues       unit.Size     `yaml:"max_values" default:"1MiB" range:"0B..1GiB"`     // most that variables add to a page, default 1MiB
	Hold            unit.Size     `yaml:"hold" default:"64KiB" range:"0B..64MiB"`         // so much of a fragment is here before any of it is sent, so that one that breaks off is not sent at all; default 64KiB
	FragmentTimeout unit.Duration `yaml:"fragment_timeout" default:"5s" range:"1ms..1h"`  // for the head of a fragment and as much of it as hold says, default 5s
	Timeout         unit.Duration `yaml:"timeout" default:"15s" range:"1ms..1h"`          // for all fragments of a page, default 15s

	OnError   string `yaml:"on_error" default:"fail" enum:"fail|empty|default-fragment" foreign:"esi-error"` // when a fragment fails and the markup has no cure: fail (default): so does the page, with 502, or broken off if it has begun | empty: nothing stands in its place | default-fragment: the site's pages.fragment does
	FirstByte string `yaml:"first_byte" default:"early" enum:"early|hold" foreign:"first-byte"`              // when a page begins to be sent: early (default): as soon as its beginning is here | hold: when no fragment can fail any more
	ClientTTL string `yaml:"client_ttl" default:"none" enum:"none|min|template" foreign:"client-ttl"`        // how long clients may keep a page: none (default): they ask each time | min: as long as the part of it that expires first | template: as long as the template says

	UnmappedProviders string       `yaml:"unmapped_providers" default:"dns" enum:"dns|deny" foreign:"unmapped"` // fragments of hosts that no site has: dns (default): fetched, from public addresses at ports 80 and 443 only | deny: none
	DetectInjection   *bool        `yaml:"detect_injection" default:"true"`                                     // whether requests that hold markup get no page; default true; never nil after Load
	Variables         ESIVariables `yaml:"variables"`                                                           // what pages may see of requests
}

// ESIVariables say what pages may see of requests, and how it is written into them.
type ESIVariables struct {
	Cookies       []string `yaml:"cookies" default:"*" check:"cookie-pattern"`                      // names of cookies that pages may see, with * for any characters; default ["*"]
	HiddenCookies []string `yaml:"hidden_cookies" default:"@hidden-cookies" check:"cookie-pattern"` // names of those that they never see, in any case of letters; default: what sessions and secrets are usually called
	Headers       []string `yaml:"headers" check:"token"`                                           // names of fields that they may see; default: none; never Cookie and Authorization
	Escape        *bool    `yaml:"escape" default:"true"`                                           // whether values are escaped for HTML where they stand in a page; default true; never nil after Load
}

// Options is how pages are made, as package esi says it, but for what stands in the place of
// fragments that fail.
func (e *ESI) Options() esi.Options {
	return esi.Options{
		Depth: e.MaxDepth, Includes: e.MaxIncludes, Concurrent: e.Concurrent,
		Fragment: int64(e.MaxFragment), Page: int64(e.MaxPage), Values: int64(e.MaxValues), Hold: int(e.Hold),
		FragmentTimeout: time.Duration(e.FragmentTimeout), Timeout: time.Duration(e.Timeout),
		OnError: onErrors[e.OnError], FirstByte: firstBytes[e.FirstByte], Verbatim: !*e.Variables.Escape,
	}
}

var (
	onErrors   = map[string]esi.OnError{"fail": esi.Fail, "empty": esi.Empty, "default-fragment": esi.UseFallback}
	firstBytes = map[string]esi.FirstByte{"early": esi.Early, "hold": esi.Held}
)

// Limits is what templates may be, as package esi says it.
func (e *ESI) Limits() esi.Limits {
	return esi.Limits{Template: int64(e.MaxTemplate), Attribute: int(e.MaxAttribute)}
}

// Shown is what pages may see, as package esi says it.
func (e *ESI) Shown() esi.Shown {
	v := &e.Variables
	return esi.Shown{Cookies: append([]string{}, v.Cookies...), Hidden: v.HiddenCookies, Fields: v.Headers}
}

// Assembles reports whether answers of the site may be templates.
func (s *Site) Assembles() bool { return s.Cache.Enabled && s.ESI.Mode != "off" }

// IsProvider reports whether the site is for fragments alone.
func (s *Site) IsProvider() bool { return s.Kind == "esi-provider" }

// settleESI fills in what sites do not say of ESI, from the top level, and looks at both.
func (l *loader) settleESI() {
	top := &l.cfg.ESI
	l.checkStatuses(top, "esi.statuses")
	for _, name := range sortedKeys(l.cfg.Sites) {
		s, path := l.cfg.Sites[name], join("sites", name)+".esi"
		settle := settling{loader: l, alike: true}
		settle.fields(reflect.ValueOf(&s.ESI).Elem(), reflect.ValueOf(top).Elem(), path, "esi")
		l.checkStatuses(&s.ESI, path+".statuses")
		l.cfg.Sites[name] = s
	}
}

// contentless are statuses of answers that have no content of their own.
var contentless = []int{204, 205, 206, 304}

// checkStatuses refuses statuses of answers that cannot be templates.
func (l *loader) checkStatuses(e *ESI, path string) {
	for i, status := range e.Statuses {
		if at := index(path, i); slices.Contains(contentless, status) && l.written(at) && !l.bad[at] {
			l.fail(at, "E110", fmt.Sprintf("%s is %d: such an answer has no content that could be a template", at, status), "take it away")
		}
	}
}

// checkProviders looks at sites that are for fragments alone (M-SITE-02).
func (l *loader) checkProviders() {
	for _, name := range sortedKeys(l.cfg.Sites) {
		s := l.cfg.Sites[name]
		if at := join("sites", name) + ".trust_invalidate"; s.TrustInvalidate && !s.IsProvider() && !l.bad[join("sites", name)+".kind"] {
			l.fail(at, "E207", at+" is true, and the site is public: invalidations are taken from fragments of an esi-provider alone", "write kind: esi-provider, or take trust_invalidate away")
		}
	}
	if s := l.cfg.Sites[l.cfg.DefaultSite]; s.IsProvider() {
		l.fail("default_site", "E207", "default_site is "+l.shown("default_site", l.cfg.DefaultSite)+", whose kind is esi-provider: clients may not ask for it", "name a public site, or take default_site away")
	}
}

// grammarMediaType is a media type without parameters.
func grammarMediaType(s string) string {
	kind, sub, ok := strings.Cut(s, "/")
	if !ok || !isToken(kind) || !isToken(sub) || strings.Contains(s, "*") {
		return "must be a media type without parameters, for example text/html"
	}
	return ""
}

func grammarCookiePattern(s string) string {
	if len(s) > 255 || !isToken(s) {
		return "must be the name of a cookie, in which * is any characters"
	}
	return ""
}
