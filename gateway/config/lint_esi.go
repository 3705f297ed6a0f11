package config

import (
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/esi"
)

// lintESI warns of ESI that does nothing, and of sites that answer nobody.
func (l *loader) lintESI() {
	stores, public := false, len(l.cfg.Sites) == 0
	for _, name := range sortedKeys(l.cfg.Sites) {
		s, path := l.cfg.Sites[name], join("sites", name)
		stores = stores || s.Cache.Enabled
		public = public || !s.IsProvider()
		l.lintSiteESI(&s, path)
		l.lintFragmentPage(&s, path)
		l.lintESIKeys(&s.ESI, path+".esi")
	}
	l.lintESIKeys(&l.cfg.ESI, "esi")
	if !stores && l.written("esi") && l.cfg.ESI.Mode != "off" && !l.anyBad("esi") && !l.anyBad("cache") {
		l.warn("esi", "W381", "esi has no effect: no cache is enabled; write enabled: true under cache")
	}
	if !public {
		l.warn("sites", "W384", "sites: each is an esi-provider, so no client is answered")
	}
}

// pageKeys are the keys of a site's ESI that are about pages, which go by what the site says
// that the client has asked for.
var pageKeys = []string{
	"on_error", "first_byte", "client_ttl", "defer", "detect_injection", "unmapped_providers", "variables",
	"max_depth", "max_includes", "concurrent", "max_fragment", "max_page", "max_values", "hold", "fragment_timeout", "timeout",
}

// lintSiteESI looks for what a site says and cannot do.
func (l *loader) lintSiteESI(s *Site, path string) {
	if at := path + ".esi"; !s.Cache.Enabled && s.ESI.Mode != "off" && l.written(at) && !l.anyBad(at) && !l.anyBad(path+".cache") {
		l.warn(at, "W381", at+" has no effect: the site stores nothing; write cache: { enabled: true } at the site")
	}
	if at := path + ".trust_invalidate"; s.TrustInvalidate && !s.Assembles() {
		l.warn(at, "W381", at+" has no effect: no answer of the site is read as a template; write cache: { enabled: true }, and no esi.mode: off")
	}
	for _, key := range pageKeys {
		if at := join(path+".esi", key); s.IsProvider() && l.written(at) {
			l.warn(at, "W383", at+" has no effect: the site is an esi-provider, and its fragments are part of pages of other sites")
		}
	}
}

// lintFragmentPage looks whether there is what is to stand in the place of a fragment.
func (l *loader) lintFragmentPage(s *Site, path string) {
	at, given := join(path+".pages", pageFragment), s.Pages[pageFragment] != ""
	used := s.Assembles() && !s.IsProvider() && s.ESI.OnError == "default-fragment"
	switch {
	case used && !given && !l.bad[at]:
		from := path + ".esi.on_error"
		if !l.written(from) {
			from = "esi.on_error"
		}
		l.warn(from, "W382", fmt.Sprintf("%s is default-fragment, and %s has no fragment: nothing stands where one has failed", from, path+".pages"))
	case given && !used:
		l.warn(at, "W382", at+" has no effect: it needs esi.on_error: default-fragment, at a public site whose cache is enabled")
	}
}

// lintESIKeys looks for keys that others leave nothing to do.
func (l *loader) lintESIKeys(e *ESI, path string) {
	has := func(key string) bool { return l.written(join(path, key)) }
	none := func(key, why string) { l.warn(join(path, key), "W383", join(path, key)+" has no effect: "+why) }
	if e.Defer && has("defer") && len(l.cfg.TrustedProxies) == 0 && !l.anyBad("trusted_proxies") {
		none("defer", "there are no trusted_proxies, and nobody else is believed")
	}
	if e.FragmentTimeout > e.Timeout && has("fragment_timeout") {
		none("fragment_timeout", fmt.Sprintf("timeout is %v, and ends all fetches of a page", e.Timeout))
	}
	if e.MaxFragment > e.MaxPage && has("max_fragment") {
		none("max_fragment", fmt.Sprintf("max_page is %v", e.MaxPage))
	}
	l.lintVariables(e, path+".variables")
}

// lintVariables looks for what is shown and hidden at once.
func (l *loader) lintVariables(e *ESI, path string) {
	for i, name := range e.Variables.Cookies {
		at := index(path+".cookies", i)
		if pattern := esi.Hidden(name, e.Variables.HiddenCookies); pattern != "" && !strings.Contains(name, "*") && l.written(at) {
			l.warn(at, "W383", fmt.Sprintf("%s has no effect: hidden_cookies has %s", at, quote(pattern)))
		}
	}
	for i, name := range e.Variables.Headers {
		if at := index(path+".headers", i); slices.Contains(esi.Credentials, strings.ToLower(name)) && l.written(at) {
			l.warn(at, "W383", at+" has no effect: pages never see "+l.shown(at, name))
		}
	}
}
