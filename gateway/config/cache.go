package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/unit"
)

// Cache says what is stored of origins' answers, and for how long (RFC 9111). A site
// has one too: what that says outranks the top level key by key, and its rules come
// before the top level's.
type Cache struct {
	Enabled   bool       `yaml:"enabled" default:"false"`                              // whether answers are stored at all; default false
	Profile   string     `yaml:"profile" default:"default" enum:"default|conformance"` // default | conformance: the defaults below are what RFC 9111 allows, instead of what is usual
	Memory    unit.Size  `yaml:"memory" default:"256MiB" range:"1MiB.."`               // how much is kept in memory, heads and all; default 256MiB; top level only
	MaxObject unit.Size  `yaml:"max_object" default:"8MiB" range:"1KiB..1GiB"`         // longer answers are not stored; default 8MiB; top level only
	Disk      *CacheDisk `yaml:"disk"`                                                 // where more is kept than in memory, also over restarts; default: nowhere; top level only

	TTL       map[string]unit.Duration `yaml:"ttl" keys:"ttl"` // how long answers are fresh that say nothing of it, by status, "404", or default for those that RFC 9110 15.1 lists; unreachable: how long a request is answered like the last one for the same that could reach no origin, at most 1m; default: not at all
	Heuristic Heuristic                `yaml:"heuristic"`      // the same, guessed from Last-Modified
	Key       CacheKey                 `yaml:"key"`            // what tells stored answers apart
	Vary      CacheVary                `yaml:"vary"`           // how the fields are compared that an answer was chosen by
	Ranges    CacheRanges              `yaml:"ranges"`         // long answers, in slices
	Partial   Partial                  `yaml:"partial"`        // parts of answers
	Stale     Stale                    `yaml:"stale"`          // when an answer may be used that has expired
	Collapse  Collapse                 `yaml:"collapse"`       // many requests for the same, one fetch

	SetCookie        string    `yaml:"set_cookie" default:"bypass" conformance:"store" enum:"store|strip|bypass"`    // answers with Set-Cookie are: bypass (default): not stored | strip: stored without it | store: stored with it
	ClientDirectives string    `yaml:"client_directives" default:"ignore" conformance:"honour" enum:"ignore|honour"` // whether clients may ask for fresh answers: ignore (default) | honour; only-if-cached is honoured in any case
	Targeted         []string  `yaml:"targeted" default:"Weirkeep-Cache-Control|CDN-Cache-Control" check:"token"`    // fields that outrank Cache-Control (RFC 9213), the first that is there; Surrogate-Control outranks them; default [Weirkeep-Cache-Control, CDN-Cache-Control]
	Tags             CacheTags `yaml:"tags"`                                                                         // names by which answers are purged
	StatusHeader     *bool     `yaml:"status_header" default:"true"`                                                 // whether answers say in Cache-Status what the cache did (RFC 9211); default true; never nil after Load
	PostLocation     bool      `yaml:"post_location" default:"false" conformance:"true"`                             // whether an answer to POST is stored for the URL that its Content-Location names, if that is the request's; default false

	Compress []string `yaml:"compress" enum:"gzip|br|zstd" foreign:"coding"` // content codings that a stored answer is kept and sent in beside the one that came, if that is none, for clients that take them; the first is rather used where a client likes several alike; default: none

	Rules []CacheRule `yaml:"rules" files:"append"` // the first that matches decides; nothing merges
}

// CacheDisk is a folder that stored answers are kept in.
type CacheDisk struct {
	Path string    `yaml:"path" required:"true" check:"path"`   // of this gateway alone; made if it is not there; made absolute; required
	Size unit.Size `yaml:"size" default:"10GiB" range:"8MiB.."` // of all its files together; default 10GiB
}

// Heuristic guesses how long an answer is fresh that says only when it was modified.
type Heuristic struct {
	Fraction Share         `yaml:"fraction" default:"0" conformance:"0.1"` // of the time since Last-Modified; default 0: no guess
	Max      unit.Duration `yaml:"max" default:"24h" range:"0s..365d"`     // the longest; default 24h
}

// CacheKey tells stored answers apart, beyond site, scheme, path and what the decision says.
type CacheKey struct {
	Query        string   `yaml:"query" default:"all" enum:"all|none"` // all (default): the query belongs to it | none: it does not
	OnlyParams   []string `yaml:"only_params" check:"param"`           // names of parameters that belong to it, or their beginning and *; default: all
	IgnoreParams []string `yaml:"ignore_params" check:"param"`         // names of parameters that do not, or their beginning and *
	SortParams   bool     `yaml:"sort_params" default:"false"`         // whether the order of parameters does not matter; default false
	Headers      []string `yaml:"headers" check:"token"`               // names of fields that belong to it
	Cookies      []string `yaml:"cookies" check:"token"`               // names of cookies that belong to it
}

// CacheVary says how fields are compared.
type CacheVary struct {
	Normalise []string `yaml:"normalise" default:"accept-encoding" conformance:"accept-encoding|accept-language" enum:"accept-encoding|accept-language"` // whose values that mean the same are one; default [accept-encoding]
}

// Partial is about answers with Content-Range.
type Partial struct {
	LenientLength bool `yaml:"lenient_length" default:"false" conformance:"true"` // whether a part is kept whose length is not what it says; default false
}

// Stale says when an answer may be used that has expired. What forbids it (such as
// must-revalidate) always holds.
type Stale struct {
	WhileRevalidate unit.Duration `yaml:"while_revalidate" default:"0s" range:"0s..365d"` // so long while it is asked for anew, where the answer says nothing of it; default 0s
	IfError         unit.Duration `yaml:"if_error" default:"0s" range:"0s..365d"`         // so long instead of an error, where the answer says nothing of it; default 0s
	Disconnected    *bool         `yaml:"disconnected" default:"true"`                    // whether at all when no origin can be reached; default true; never nil after Load
}

// Collapse is about requests for what is being fetched.
type Collapse struct {
	Wait unit.Duration `yaml:"wait" default:"5s" range:"0s..1h"` // so long they wait before they ask themselves; default 5s; 0s: they do not wait
}

// CacheTags are names by which stored answers are purged.
type CacheTags struct {
	From []string `yaml:"from" default:"Surrogate-Key|Cache-Tag" check:"token"` // fields of answers that list them; default [Surrogate-Key, Cache-Tag]
}

// CacheRule is a condition on a request and its answer, and what is done with those
// answers that it is true of.
type CacheRule struct {
	Name     string         `yaml:"name" required:"true" check:"name"`                       // in explanations; required
	When     Expression     `yaml:"when"`                                                    // condition, in the language of RULES.md, which may also name status, content_type and response_header(); default: always
	Pass     bool           `yaml:"pass" default:"false"`                                    // neither stored nor answered from the store
	TTL      *unit.Duration `yaml:"ttl" range:"0s..365d"`                                    // fresh for so long, whatever the answer says; default: what the answer says
	Vary     []string       `yaml:"vary" check:"token"`                                      // fields of the request that it was chosen by, beyond those in Vary
	Tags     []string       `yaml:"tags" check:"token"`                                      // names by which it is purged, beyond those in the answer
	Key      RuleKey        `yaml:"key"`                                                     // what tells these answers apart, beyond the cache's key; its when may not name what the answer says
	Compress *[]string      `yaml:"compress" enum:"gzip|br|zstd" foreign:"coding"`           // as the cache's, in its place; []: none; default: the cache's
	Session  string         `yaml:"session" default:"shared" enum:"shared|without|with|own"` // of requests with a session: shared (default): that they have one does not matter | without: only those without one are stored and answered | with: only those with one | own: each session has its own

	// Path is where it was written.
	Path string `yaml:"-"`
}

// RuleKey is what tells the answers of a caching rule apart.
type RuleKey struct {
	Headers []string `yaml:"headers" check:"token"` // names of fields of the request
	Cookies []string `yaml:"cookies" check:"token"` // names of its cookies
}

// nodeWide are the keys of a cache that a site cannot have.
var nodeWide = []string{"memory", "max_object", "disk"}

// settleCaches fills in what the files do not say of caches: a site's from the top
// level's, and both by their profiles.
func (l *loader) settleCaches() {
	l.settleCache(&l.cfg.Cache, "cache", nil)
	used := l.cfg.Cache.Enabled
	for _, name := range sortedKeys(l.cfg.Sites) {
		s, path := l.cfg.Sites[name], join("sites", name)+".cache"
		for _, key := range nodeWide {
			if at := join(path, key); l.written(at) {
				l.fail(at, "E207", at+" is about the whole gateway", "write it under cache, at the top level")
			}
		}
		l.settleCache(&s.Cache, path, &l.cfg.Cache)
		l.cfg.Sites[name] = s
		used = used || s.Cache.Enabled
	}
	if !used && l.written("cache") && !l.written("cache.enabled") && !l.anyBad("cache") {
		l.warn("cache", "W380", "cache has no effect: no cache is enabled; write enabled: true")
	}
	l.lintKeys()
}

// lintKeys looks for what is said of queries that belong to no key.
func (l *loader) lintKeys() {
	none := l.cfg.Cache.Key.Query == "none"
	for _, name := range sortedKeys(l.cfg.Sites) {
		if l.cfg.Sites[name].Cache.Key.Query == "none" {
			l.lintQuery(join("sites", name) + ".cache.key")
			continue
		}
		none = false // it has the rest from the top level
	}
	if none {
		l.lintQuery("cache.key")
	}
}

// lintQuery looks at a key whose query is none.
func (l *loader) lintQuery(path string) {
	for _, key := range []string{"only_params", "ignore_params", "sort_params"} {
		if at := join(path, key); l.written(at) && !l.anyBad(path) {
			l.warn(at, "W385", at+" has no effect: query is none, so that no parameter belongs to the key; for those to be heeded, write query: all")
		}
	}
}

// settleCache fills in one cache. top is nil for the top level's.
func (l *loader) settleCache(c *Cache, path string, top *Cache) {
	profile := c.Profile
	if top != nil && !l.written(path+".profile") {
		profile = top.Profile
	}
	s := settling{loader: l, conformance: profile == "conformance"}
	from := reflect.Value{}
	if top != nil {
		from, s.alike = reflect.ValueOf(top).Elem(), profile == top.Profile
	}
	s.fields(reflect.ValueOf(c).Elem(), from, path, "cache")
	c.Profile = profile
	l.checkTTL(c, path)
	l.checkCodings(c.Compress, path+".compress")
	l.settleSlices(c, join(path, "ranges.slice"))
	l.checkCacheRules(c.Rules, path+".rules")
}

// settling fills in one cache.
type settling struct {
	*loader
	conformance bool // its profile
	alike       bool // the top level has the same
}

// fields settles those of a struct; from is the same struct of the top level, or not
// valid.
func (s *settling) fields(v, from reflect.Value, path, above string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if key := keyOf(field); key != "" && key != "rules" {
			var top reflect.Value
			if from.IsValid() {
				top = from.Field(i)
			}
			s.field(v.Field(i), top, field.Tag, join(path, key), join(above, key))
		}
	}
}

// field settles one: what is written holds, then what the top level has written, then
// what the profile says.
func (s *settling) field(v, top reflect.Value, tag reflect.StructTag, path, above string) {
	standard, has := tag.Lookup("conformance")
	switch {
	case v.Kind() == reflect.Struct:
		s.fields(v, top, path, above)
	case v.Kind() == reflect.Map:
		if top.IsValid() && top.Len() > 0 {
			mergeMap(v, top)
		}
	case s.written(path):
	case top.IsValid() && (s.alike || s.written(above)):
		v.Set(top)
	case has && s.conformance:
		v.SetZero()
		setStandard(v, standard)
	}
}

// mergeMap adds entries of the top level's map that v does not have.
func mergeMap(v, top reflect.Value) {
	merged := reflect.MakeMap(v.Type())
	for _, m := range []reflect.Value{top, v} {
		for _, key := range m.MapKeys() {
			merged.SetMapIndex(key, m.MapIndex(key))
		}
	}
	v.Set(merged)
}

// checkCacheRules looks at a list of caching rules.
func (l *loader) checkCacheRules(list []CacheRule, path string) {
	named := map[string]string{}
	for i := range list {
		r := &list[i]
		r.Path = index(path, i)
		if first, taken := named[r.Name]; taken && r.Name != "" && !l.bad[r.Path+".name"] {
			l.twice(r.Path+".name", first, "rule name "+quote(r.Name))
		}
		named[r.Name] = r.Path + ".name"
		if at := r.Path + ".when"; strings.TrimSpace(string(r.When)) == "" && l.written(at) && !l.bad[at] {
			l.fail(at, "E112", at+" is empty", "to match every answer, take the key away")
		}
		if r.Compress != nil {
			l.checkCodings(*r.Compress, join(r.Path, "compress"))
		}
		for _, key := range []string{"ttl", "vary", "tags", "key", "compress", "session"} {
			if at := join(r.Path, key); r.Pass && l.written(at) {
				l.fail(at, "E207", fmt.Sprintf("%s has pass, so nothing is stored for %s", r.Path, key), "take one of them away")
			}
		}
	}
}

// Unreachable is the key of ttl that is about no answer.
const Unreachable = "unreachable"

// longestUnreachable bounds it: an origin that is back should not be waited for.
const longestUnreachable = unit.Duration(time.Minute)

// checkTTL looks at what has no bound by its type.
func (l *loader) checkTTL(c *Cache, path string) {
	at := path + ".ttl." + Unreachable
	if d, has := c.TTL[Unreachable]; has && d > longestUnreachable && l.written(at) {
		l.fail(at, "E110", fmt.Sprintf("%s is %v, must be %v at most", at, d, longestUnreachable), "origins that come back should be asked soon")
	}
}

// checkCodings refuses a coding that is listed twice: it would be of no use.
func (l *loader) checkCodings(list []string, path string) {
	for i, name := range list {
		if prior := slices.Index(list, name); prior < i && l.written(index(path, i)) && !l.bad[index(path, i)] {
			l.twice(index(path, i), index(path, prior), "coding "+name)
		}
	}
}

// grammarTTL is for which answers a lifetime is: a status, or default; or for none.
func grammarTTL(s string) string {
	n, ok := wholeNumber(s)
	if s == "default" || s == Unreachable || ok && lowestStatus <= n && n <= highestStatus && len(s) == 3 {
		return ""
	}
	return `must be default, unreachable, or a status from 200 to 599, in quotes: "404"`
}
