package gateway

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gaissmai/bart"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/route"
	"weirkeep/gateway/wire"
)

// compiler turns a Config into a snapshot. It collects every problem instead of
// stopping at the first. What it needs of things that outlive snapshots it
// takes from a registry, which a mere check throws away.
type compiler struct {
	cfg      *config.Config
	uses     *uses
	set      *metrics.Set
	snap     *snapshot
	clusters map[string]*cluster
	groups   map[string]*group
	sessions map[string]*sessionPolicy
	problems config.Problems
}

// compile returns the snapshot of cfg. It is of use only if no problem is an
// error.
func compile(cfg *config.Config, uses *uses, set *metrics.Set, dates *dateCache) (*snapshot, config.Problems) {
	c := &compiler{
		cfg: cfg, uses: uses, set: set,
		snap:     &snapshot{dates: dates, trusted: new(bart.Lite)},
		clusters: make(map[string]*cluster),
		groups:   make(map[string]*group),
		sessions: make(map[string]*sessionPolicy),
	}
	c.node()
	c.limits()
	c.allClusters()
	c.allSessions()
	c.allSites()
	c.allMappings()
	c.table()
	c.snap.users.Store(1)
	return c.snap, c.problems
}

func (c *compiler) fail(path, code, format string, args ...any) {
	c.problems = append(c.problems, c.cfg.At(path, config.Error, code, fmt.Sprintf(format, args...), ""))
}

func (c *compiler) warn(path, code, message, hint string) {
	c.problems = append(c.problems, c.cfg.At(path, config.Warning, code, message, hint))
}

func (c *compiler) node() {
	for minor := range c.snap.via {
		c.snap.via[minor] = []byte("1." + strconv.Itoa(minor) + " " + c.cfg.Node.Name)
	}
	for _, prefix := range c.cfg.TrustedProxies {
		c.snap.trusted.Insert(prefix)
	}
	for _, l := range c.cfg.Listeners {
		if l.TLS != nil && c.snap.httpsPort == 0 {
			c.snap.httpsPort = portOf(l.Address)
		}
	}
}

func portOf(address string) int {
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	return n
}

func (c *compiler) limits() {
	l, t := &c.cfg.Limits, &c.cfg.Timeouts
	c.snap.rules = wire.Rules{
		NameBytes:   l.HeaderNameBytes,
		Count:       l.HeaderCount,
		Underscores: underscores[l.UnderscoreNames],
	}
	c.snap.bodyBytes, c.snap.headerBytes = int64(l.BodyBytes), int64(l.HeaderBytes)
	c.snap.times = times{
		head:        time.Duration(t.Head),
		bodyIdle:    time.Duration(t.BodyIdle),
		keepAlive:   time.Duration(t.KeepAlive),
		minBodyRate: int64(t.MinBodyRate),
	}
}

var underscores = map[string]wire.Underscore{"drop": wire.Drop, "refuse": wire.Refuse, "pass": wire.Pass}

func (c *compiler) allSites() {
	for _, name := range sortedKeys(c.cfg.Sites) {
		cfg := c.cfg.Sites[name]
		c.snap.sites = append(c.snap.sites, site{
			name:     name,
			request:  compileEdits(cfg.Headers.Request),
			response: compileEdits(cfg.Headers.Response),
			pages:    c.pages("sites."+name+".pages", cfg.Pages),
		})
	}
}

func compileEdits(cfg config.HeaderEdit) edits {
	var e edits
	for _, name := range cfg.Remove {
		e.remove = append(e.remove, []byte(strings.ToLower(name)))
	}
	for _, name := range sortedKeys(cfg.Set) {
		e.remove = append(e.remove, []byte(strings.ToLower(name)))
		e.set = append(e.set, wire.Field{Name: []byte(name), Value: []byte(cfg.Set[name])})
	}
	return e
}

// pages reads a site's pages and files each under every reason it is for: a
// page for a status wins over one for a name.
func (c *compiler) pages(path string, files map[string]string) map[Reason]page {
	pages := make(map[Reason]page)
	for _, name := range sortedKeys(files) {
		body, err := config.ReadFile(files[name])
		if err != nil {
			c.fail(path+"."+name, "E220", "%s.%s: %v", path, name, err)
			continue
		}
		p := page{body: body, kind: pageKind(files[name])}
		for r := range reasons {
			row := &reasonTable[r]
			_, taken := pages[r]
			if name == strconv.Itoa(row.status) || name == row.page && !taken {
				pages[r] = p
			}
		}
	}
	return pages
}

func pageKind(file string) []byte {
	switch {
	case strings.HasSuffix(file, ".html"), strings.HasSuffix(file, ".htm"):
		return []byte("text/html; charset=utf-8")
	case strings.HasSuffix(file, ".json"):
		return []byte("application/json")
	}
	return plainText
}

func (c *compiler) siteIndex(name string) int {
	return slices.IndexFunc(c.snap.sites, func(s site) bool { return s.name == name })
}

// table compiles what route.Decide decides by, and warns of what it can never
// decide for (M-MAP-03).
func (c *compiler) table() {
	o := route.Options{DefaultSite: c.siteIndex(c.cfg.DefaultSite)}
	for i := range c.snap.sites {
		cfg := c.cfg.Sites[c.snap.sites[i].name]
		o.Sites = append(o.Sites, route.Site{Name: c.snap.sites[i].name, Hosts: cfg.Hosts, PathPrefix: cfg.PathPrefix})
	}
	for i, cfg := range c.cfg.Mappings {
		m := route.Mapping{Site: c.siteIndex(cfg.Site), Prefix: cfg.Prefix, StripPrefix: cfg.StripPrefix, Group: i}
		if p := c.snap.mappings[i].session; p != nil {
			m.Session = p.definition
		}
		o.Mappings = append(o.Mappings, m)
	}
	table, err := route.New(o)
	if err != nil {
		c.failRoute(err)
		return
	}
	c.snap.table = table
	for _, s := range table.Unreachable() {
		c.warnShadow(s)
	}
}

// warnShadow warns of a mapping that another takes everything from.
func (c *compiler) warnShadow(s route.Shadow) {
	path, by := fmt.Sprintf("mappings[%d]", s.Mapping), fmt.Sprintf("mappings[%d]", s.By)
	place := c.cfg.At(by, config.Warning, "W310", "", "")
	where := "line " + strconv.Itoa(place.Line)
	if place.File != c.cfg.At(path, config.Warning, "W310", "", "").File {
		where = place.File + ":" + strconv.Itoa(place.Line)
	}
	hint := "move it before " + by
	if m, first := c.cfg.Mappings[s.Mapping], c.cfg.Mappings[s.By]; m.Site == first.Site && m.Prefix == first.Prefix {
		hint = "take it away: " + by + " has the same site and prefix"
	}
	c.warn(path, "W310", fmt.Sprintf("%s can never match: %s (%s) takes every request it could", path, by, where), hint)
}

// failRoute gives each mistake that route has found its place: it begins with
// the path of the key.
func (c *compiler) failRoute(err error) {
	errs := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		errs = all.Unwrap()
	}
	for _, e := range errs {
		path, _, _ := strings.Cut(e.Error(), ": ")
		c.fail(path, "E230", "%v", e)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
