package gateway

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/config"
	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// allCaches compiles the caches of the sites that have one.
func (c *compiler) allCaches() {
	names := c.names
	early := rules.New(names)
	names.Scope = rules.OfAnswer
	late := rules.New(names)
	for i := range c.snap.sites {
		s := &c.snap.sites[i]
		cfg := c.cfg.Sites[s.name]
		if !cfg.Cache.Enabled {
			continue
		}
		s.cache = c.cache(&cfg, s.name)
		for _, list := range [][]config.CacheRule{cfg.Cache.Rules, c.cfg.Cache.Rules} {
			for j := range list {
				c.cacheRule(s.cache, &list[j], early, late)
			}
		}
		c.snap.disk = c.cfg.Cache.Disk
		c.snap.stored = store.Options{Memory: int64(c.cfg.Cache.Memory), MaxObject: int64(c.cfg.Cache.MaxObject)}
	}
}

// cache compiles what is said of one, but its rules.
func (c *compiler) cache(cfg *config.Site, site string) *siteCache {
	k := &cfg.Cache
	return &siteCache{
		policy: cachePolicy(k, &c.cfg.Node),
		key: keyPolicy{
			hosts:   slices.ContainsFunc(cfg.Hosts, func(h string) bool { return strings.Contains(h, "*") }),
			ports:   portsOf(cfg.Hosts, c.cfg.Listeners),
			query:   k.Key.Query == "all",
			only:    k.Key.OnlyParams,
			ignored: k.Key.IgnoreParams, sorted: k.Key.SortParams,
			headers: lowered(k.Key.Headers), cookies: k.Key.Cookies,
		},
		slice:   int64(k.Ranges.Slice),
		above:   int64(k.Ranges.Above),
		wait:    time.Duration(k.Collapse.Wait),
		failing: time.Duration(k.TTL[config.Unreachable]),
		shown:   *k.StatusHeader,
		name:    c.cfg.Node.Name,
		metrics: c.set.Cache(site),
	}
}

// portsOf are the ports that clients may be expected to write: those that hosts of a site are
// written with, and those that are listened on.
func portsOf(hosts []string, listeners []config.Listener) (ports []int) {
	for i := range listeners {
		if _, text, err := net.SplitHostPort(listeners[i].Address); err == nil {
			port, _ := strconv.Atoi(text)
			ports = append(ports, port)
		}
	}
	for _, host := range hosts {
		var a wire.Authority
		if a.Parse([]byte(host)) == nil && a.Port != 0 {
			ports = append(ports, a.Port)
		}
	}
	return ports
}

// cachePolicy is what package cache is told.
func cachePolicy(k *config.Cache, node *config.Node) cache.Policy {
	p := cache.Policy{
		Device: node.Name, Remote: node.Remote,
		Heuristic: float64(k.Heuristic.Fraction), HeuristicMax: time.Duration(k.Heuristic.Max),
		TTL:             make(map[int]time.Duration),
		WhileRevalidate: time.Duration(k.Stale.WhileRevalidate), IfError: time.Duration(k.Stale.IfError),
		Disconnected: *k.Stale.Disconnected,
		SetCookie:    setCookies[k.SetCookie],
		Honour:       k.ClientDirectives == "honour",
		Targeted:     lowered(k.Targeted),
		Encodings:    slices.Contains(k.Vary.Normalise, "accept-encoding"),
		Languages:    slices.Contains(k.Vary.Normalise, "accept-language"),
		Lenient:      k.Partial.LenientLength,
		PostLocation: k.PostLocation,
		Tags:         lowered(k.Tags.From),
		Codings:      codingsOf(k.Compress),
	}
	for status, ttl := range k.TTL {
		if status != config.Unreachable {
			code, _ := strconv.Atoi(status) // "default" is 0
			p.TTL[code] = time.Duration(ttl)
		}
	}
	return p
}

var setCookies = map[string]cache.SetCookie{"bypass": cache.BypassCookies, "strip": cache.StripCookies, "store": cache.StoreCookies}

var codings = map[string]cache.Coding{"gzip": cache.Gzip, "br": cache.Brotli, "zstd": cache.Zstd}

func codingsOf(names []string) (list []cache.Coding) {
	for _, name := range names {
		list = append(list, codings[name])
	}
	return list
}

func lowered(names []string) (all []string) {
	for _, name := range names {
		all = append(all, strings.ToLower(name))
	}
	return all
}

// cacheRule compiles one rule. Whether it needs the answer is what the languages say.
func (c *compiler) cacheRule(s *siteCache, cfg *config.CacheRule, early, late *rules.Language) {
	r := cacheRule{name: cfg.Name, session: sessionUses[cfg.Session], headers: lowered(cfg.Key.Headers), cookies: cfg.Key.Cookies}
	r.say.Pass, r.say.Vary, r.say.Tags = cfg.Pass, lowered(cfg.Vary), cfg.Tags
	if cfg.TTL != nil {
		r.say.TTL, r.say.HasTTL = time.Duration(*cfg.TTL), true
	}
	if cfg.Compress != nil {
		r.say.Codings, r.say.HasCodings = codingsOf(*cfg.Compress), true
	}
	asksAnswer := false
	if text := string(cfg.When); text != "" {
		path := cfg.Path + ".when"
		program, errs := early.Compile(cfg.Name, text)
		if len(errs) > 0 {
			program, errs = late.Compile(cfg.Name, text)
			asksAnswer = len(errs) == 0
		}
		c.mistakes(path, fmt.Sprintf("caching rule %q", cfg.Name), errs)
		r.late = asksAnswer
		r.when = &answerCondition{program: program, path: path, errors: &s.metrics.RuleErrors}
	}
	if !asksAnswer && s.early == len(s.rules) {
		s.early++
	} else {
		c.tooLate(s, cfg, asksAnswer)
	}
	s.rules = append(s.rules, r)
}

// tooLate refuses what has to be known before the store is asked, in a rule of which only the
// answer says whether it decides.
func (c *compiler) tooLate(s *siteCache, cfg *config.CacheRule, asksAnswer bool) {
	why, hint := "its when names what the answer says", "name nothing of the answer in its when"
	if !asksAnswer {
		why, hint = fmt.Sprintf("the caching rule %q stands before it, and asks what the answer says", s.rules[s.early].name), "write it before that rule"
	}
	for _, key := range []struct {
		name string
		said bool
	}{
		{"session", sessionUses[cfg.Session] != sessionShared},
		{"key", len(cfg.Key.Headers)+len(cfg.Key.Cookies) > 0},
	} {
		if path := cfg.Path + "." + key.name; key.said {
			message := fmt.Sprintf("%s must be known before the answer is: %s", path, why)
			c.problems = append(c.problems, c.cfg.At(path, config.Error, "E330", message, hint))
		}
	}
}

var sessionUses = map[string]sessionUse{"shared": sessionShared, "without": sessionWithout, "with": sessionWith, "own": sessionOwn}
