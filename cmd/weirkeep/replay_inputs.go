package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
	"weirkeep/gateway/session"
	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// ruleReads are the inputs that each rule of a configuration reads, by the rule's
// name: "header:x-user", "cookie:beta".
type ruleReads struct {
	inputs   map[string][]string
	computed map[string]bool // rules that read headers by a computed name
}

// readsOf finds out what the rules of a configuration that compiles read.
func readsOf(cfg *config.Config) ruleReads {
	r := ruleReads{inputs: make(map[string][]string), computed: make(map[string]bool)}
	language := languageOf(cfg, rules.OfRequest)
	r.add(language, cfg.Rules)
	for _, s := range cfg.Sites {
		r.add(language, s.Rules)
	}
	return r
}

// languageOf is the language of a scope in a configuration that compiles, with clusters
// in the order of their names.
func languageOf(cfg *config.Config, scope rules.Scope) *rules.Language {
	o := rules.Options{
		Scope: scope,
		Lists: make(map[string]*rules.List),
		Cell:  cfg.Node.Cell, NodeName: cfg.Node.Name, Zone: cfg.Hosts[cfg.Node.Host].Zone,
	}
	for name, entries := range cfg.Lists {
		o.Lists[name], _ = rules.NewList(entries) // it compiles
	}
	for _, name := range sortedNames(cfg.Clusters) {
		cell, short := cfg.CellOf(name)
		o.Clusters = append(o.Clusters, cell+"/"+short)
	}
	o.Matchers = cfg.PluginsOf("matcher")
	return rules.New(o)
}

func (r *ruleReads) add(language *rules.Language, list []config.Rule) {
	for i := range list {
		if list[i].When == "" {
			continue
		}
		program, errs := language.Compile(list[i].Name, string(list[i].When))
		if len(errs) > 0 {
			continue // it compiles
		}
		reads, name := program.Reads(), list[i].Name
		for _, h := range reads.Headers {
			r.inputs[name] = append(r.inputs[name], "header:"+strings.ToLower(h))
		}
		for _, c := range reads.Cookies {
			r.inputs[name] = append(r.inputs[name], "cookie:"+c)
		}
		r.computed[name] = reads.All
	}
}

// recordedBy are the inputs that a gateway with the configuration records of every
// request that has them.
func recordedBy(cfg *config.Config) map[string]bool {
	all := make(map[string]bool)
	for _, name := range cfg.AccessLog.Inputs {
		kind, name, _ := strings.Cut(name, ":")
		if kind == "header" {
			name = strings.ToLower(name)
		}
		all[kind+":"+name] = true
	}
	for _, inputs := range readsOf(cfg).inputs {
		for _, name := range inputs {
			all[name] = true
		}
	}
	for _, s := range cfg.Sessions {
		all["cookie:"+s.Cookie] = true
	}
	delete(all, "header:cookie") // it is recorded by its cookies
	return all
}

// forReplay changes a configuration so that what binds its sessions is the log: of
// an id that stands there as a hash nothing can be read.
func forReplay(cfg *config.Config) {
	for name, s := range cfg.Sessions {
		s.Binding = "learned"
		cfg.Sessions[name] = s
	}
	unstick(cfg.Rules)
	for _, s := range cfg.Sites {
		unstick(s.Rules)
	}
}

// unstick takes away what only sessions with a cookie of the gateway have.
func unstick(list []config.Rule) {
	for i := range list {
		if list[i].Permit != nil {
			list[i].Permit.Sticky = false
		}
	}
}

// definitionsOf are the sessions of a configuration, in order.
func definitionsOf(cfg *config.Config) (all []session.Definition) {
	for _, name := range sortedNames(cfg.Sessions) {
		s := cfg.Sessions[name]
		all = append(all, session.Definition{Name: name, Cookie: s.Cookie, URLParam: s.URLParam})
	}
	return all
}

// sessionIDs are what the sessions take for the id of a request.
func sessionIDs(all []session.Definition, r *logRecord) (ids []string) {
	var fields []wire.Field
	for _, f := range r.fields(nil) {
		fields = append(fields, wire.Field{Name: []byte(f[0]), Value: []byte(f[1])})
	}
	path, query, _ := strings.Cut(string(r.Target), "?")
	for i := range all {
		if id, _ := all[i].Find(fields, []byte(path), []byte(query)); id != nil {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// tie gives a record's session the id that the log does not hold, and says to which
// origin it is bound.
func tie(all []session.Definition, cfg *config.Config, r *logRecord) (bound map[string]string) {
	home := r.Bound
	if home == "" && r.Session == "bound" {
		home = originIn(r, cfg)
	}
	ids := sessionIDs(all, r)
	if len(ids) == 0 && (home != "" || r.Session == "unknown" || r.Session == "elsewhere") {
		inputs := maps.Clone(r.Inputs)
		if inputs == nil {
			inputs = make(map[string]latin1)
		}
		for _, d := range all {
			if d.Cookie != "" {
				inputs["cookie:"+d.Cookie] = unknownInput
			}
		}
		r.Inputs, ids = inputs, []string{unknownInput}
	}
	bound = make(map[string]string)
	for _, id := range ids {
		if home != "" {
			bound[id] = home
		}
	}
	return bound
}

// notLogged are parts of a request that no log holds, by how rules write them.
var notLogged = []struct {
	word, what string
	tls        bool // only a request by TLS has it
}{
	{"client.cert", "the client's certificate", true},
	{"tls.", "how TLS was agreed on", true},
	{"request.size", "the length that the request declared", false},
	{"client.port", "the client's port", false},
	{"cluster(", "how the clusters were at the time", false},
}

// lacks says what a rule reads that the log never has of such a request; empty:
// nothing.
func (r *ruleReads) lacks(rule *gateway.ExplainedRule, rec *logRecord) string {
	if r.computed[rule.Name] {
		return "a header field of a computed name"
	}
	if slices.Contains(r.inputs[rule.Name], "header:cookie") {
		return "the field Cookie as a whole"
	}
	for _, n := range notLogged {
		if strings.Contains(rule.When, n.word) && (rec.TLS || !n.tls) {
			return n.what
		}
	}
	sealed := slices.ContainsFunc(sortedNames(rec.Inputs), func(name string) bool {
		return strings.HasPrefix(name, "cookie:") && hashForm.MatchString(string(rec.Inputs[name]))
	})
	if sealed && (strings.Contains(rule.When, "session.primary") || strings.Contains(rule.When, "session.secondary")) {
		return "what the session id says, and the log has its hash"
	}
	return ""
}

// inputText is an input in words: header x-user, cookie beta.
func inputText(name string) string {
	kind, key, _ := strings.Cut(name, ":")
	return fmt.Sprintf("%s %s", kind, key)
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
