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
	"weirkeep/plugins"
	"weirkeep/rules"
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
	sessions map[string]*sessionPolicy
	names    rules.Options // what expressions may name
	rules    []route.Rule
	known    map[string]int // identity of an origin, by scheme and address
	plugins  map[string]*plugins.Plugin
	keys     map[string]string // of plugins on the shelf, by their names
	made     map[string]string // what makes of them what they make, by their names
	problems config.Problems
}

// compile returns the snapshot of cfg. It is of use only if no problem is an
// error.
func compile(cfg *config.Config, uses *uses, set *metrics.Set, dates *dateCache) (*snapshot, config.Problems) {
	c := &compiler{
		cfg: cfg, uses: uses, set: set,
		snap:     &snapshot{dates: dates, log: uses.r.log, trusted: new(bart.Lite)},
		clusters: make(map[string]*cluster),
		sessions: make(map[string]*sessionPolicy),
		known:    make(map[string]int),
	}
	c.node()
	c.limits()
	c.allPlugins()
	c.allMatchers()
	c.allClusters()
	c.expressionNames()
	c.retryConditions()
	c.allSessions()
	c.allSites()
	c.allFilters()
	c.allMappings()
	c.allRules()
	c.allCaches()
	c.allESI()
	c.table()
	c.allRouters()
	c.allCollectors()
	c.outlets()
	c.inputs()
	c.snap.users.Store(1)
	return c.snap, distinct(c.problems)
}

// distinct leaves out what was found more than once: a caching rule of the top level is
// compiled for each site.
func distinct(all config.Problems) config.Problems {
	seen := make(map[config.Problem]bool)
	return slices.DeleteFunc(all, func(p config.Problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
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
	c.snap.heads = wire.Rules{
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
			shown:    []byte(name),
			request:  compileEdits(cfg.Headers.Request),
			response: compileEdits(cfg.Headers.Response),
		})
		s := &c.snap.sites[len(c.snap.sites)-1]
		c.pages(s, "sites."+name+".pages", cfg.Pages)
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
func (c *compiler) pages(s *site, path string, files map[string]string) {
	s.pages, s.statuses = make(map[Reason]page), make(map[int]page)
	for _, name := range sortedKeys(files) {
		body, err := config.ReadFile(files[name])
		if err != nil {
			c.fail(path+"."+name, "E220", "%s.%s: %v", path, name, err)
			continue
		}
		if name == "fragment" {
			s.fragment = body
			continue
		}
		p := page{body: body, kind: pageKind(files[name])}
		if status, err := strconv.Atoi(name); err == nil {
			s.statuses[status] = p
		}
		for r := range reasons {
			row := &reasonTable[r]
			_, taken := s.pages[r]
			if name == strconv.Itoa(row.status) || name == row.page && !taken {
				s.pages[r] = p
			}
		}
	}
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

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
