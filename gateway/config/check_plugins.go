package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/unit"
)

// onErrorWords are the words of on_error by kind; the first is the default of
// routers and collectors, and the others have none.
var onErrorWords = map[string][]string{
	"router":    {"default-balancer", "reject"},
	"collector": {"default", "keep", "down"},
	"filter":    {"skip", "reject"},
	"matcher":   {"match", "no-match"},
}

// Why a kind of plugin has not what others have.
const (
	repeatable = "what a matcher answers depends on the request and its params alone"
	unasked    = "a collector sees no request"
	choiceless = "only a router lists origins"
)

// kindKeys are the keys of plugins that a kind has not.
var kindKeys = []struct {
	key, reason string
	not         []string
}{
	{"needs", unasked, []string{"collector"}},
	{"tick", repeatable, []string{"matcher"}},
	{"kv", repeatable, []string{"matcher"}},
	{"http", repeatable, []string{"matcher"}},
	{"cache", choiceless, []string{"collector", "matcher", "filter"}},
	{"on_full", choiceless, []string{"collector", "matcher", "filter"}},
}

// checkPlugins looks at each plugin, then at who names it.
func (l *loader) checkPlugins() {
	for _, name := range l.inFileOrder("plugins", sortedKeys(l.cfg.Plugins)) {
		p, path := l.cfg.Plugins[name], join("plugins", name)
		l.checkPlugin(&p, path)
		l.cfg.Plugins[name] = p
	}
	for _, name := range l.clusterNames() {
		c, path := l.cfg.Clusters[name], join("clusters", name)
		l.referPlugin(path+".router", path, "router", c.Router)
		l.checkMetric(c.Metric, path+".metric")
	}
	for _, name := range l.inFileOrder("sites", sortedKeys(l.cfg.Sites)) {
		for i := range l.cfg.Sites[name].Filters {
			l.checkFilter(&l.cfg.Sites[name].Filters[i], index(join("sites", name)+".filters", i))
		}
	}
}

// checkPlugin looks at one plugin, and fills in what its kind decides.
func (l *loader) checkPlugin(p *Plugin, path string) {
	p.SHA256 = strings.ToLower(p.SHA256)
	l.checkTick(p.Tick, path+".tick")
	for i := range p.HTTP {
		p.HTTP[i] = l.outlet(p.HTTP[i], index(path+".http", i), path)
	}
	if p.Kind == "" || l.bad[path+".kind"] {
		return
	}
	for _, k := range kindKeys {
		if at := path + "." + k.key; l.written(at) && slices.Contains(k.not, p.Kind) {
			l.fail(at, "E501", fmt.Sprintf("%s is not for plugins of kind %s: %s", at, p.Kind, k.reason), "take it away")
		}
	}
	l.checkOnError(p, path+".on_error")
	l.checkNeeds(p, path+".needs")
	if p.Kind == "collector" {
		l.checkSource(p.Params, path+".params.source")
		l.checkStockName(path)
	}
}

// checkStockName refuses a plugin that nobody could name.
func (l *loader) checkStockName(path string) {
	for _, name := range StockCollectors {
		if path == join("plugins", name) {
			l.fail(path, "E201", fmt.Sprintf("%s: the name %s is taken by a collector that needs no plugin", path, name), "give the plugin another name")
		}
	}
}

// leastTick is the shortest time between two calls of gw_tick.
const leastTick = unit.Duration(100 * time.Millisecond)

// checkTick refuses ticks that would leave no time for anything else.
func (l *loader) checkTick(tick unit.Duration, path string) {
	if tick > 0 && tick < leastTick && !l.bad[path] {
		l.fail(path, "E110", fmt.Sprintf("%s is under %s, must be 0s or at least that", path, leastTick), "")
	}
}

// outlet is what a plugin may call in its one spelling.
func (l *loader) outlet(s, path, plugin string) string {
	if l.bad[path] {
		return s
	}
	if name, ok := strings.CutPrefix(s, "cluster:"); ok {
		l.refer(path, plugin, "cluster", l.clusterKey(name), l.clusterNames())
		return s
	}
	scheme, hostPort, _ := splitOrigin(s)
	return scheme + "://" + hostPort
}

// checkOnError refuses the words of other kinds, and fills in the default of
// those that have one.
func (l *loader) checkOnError(p *Plugin, path string) {
	words := onErrorWords[p.Kind]
	switch {
	case l.bad[path]:
	case p.OnError == "" && (p.Kind == "router" || p.Kind == "collector"):
		p.OnError = words[0]
	case p.OnError != "" && !slices.Contains(words, p.OnError):
		l.fail(path, "E501", fmt.Sprintf("%s is %s, must be %s for a plugin of kind %s", path, l.shown(path, p.OnError), choice(words), p.Kind), Suggest(p.OnError, words))
	}
}

// plainNeeds are what a plugin is shown that says nothing; a router sees origins, too.
var plainNeeds = []string{"method", "scheme", "host", "path", "query", "client"}

// checkNeeds looks at what a plugin wants to be shown, and fills in the default.
// What is written as empty is nothing, and not the default.
func (l *loader) checkNeeds(p *Plugin, path string) {
	switch {
	case p.Kind == "collector":
		return
	case l.written(path):
		p.Needs = append([]string{}, p.Needs...)
	case p.Kind == "router":
		p.Needs = append(slices.Clone(plainNeeds), "origins")
	default:
		p.Needs = slices.Clone(plainNeeds)
	}
	for i, need := range p.Needs {
		if at := index(path, i); !l.bad[at] {
			l.checkNeed(p.Kind, need, p.Needs[:i], at)
		}
	}
}

// checkNeed looks at one thing that a plugin wants to be shown, behind others.
func (l *loader) checkNeed(kind, need string, before []string, path string) {
	switch reason := needReason(kind, need); {
	case reason != "":
		l.fail(path, "E501", fmt.Sprintf("%s is %s, which a %s is not shown: %s", path, l.shown(path, need), kind, reason), "take it away")
	case slices.Contains(before, need):
		l.warn(path, "W328", path+" repeats "+l.shown(path, need))
	case showsBody(need) && slices.ContainsFunc(before, showsBody):
		l.fail(path, "E207", parent(path)+" has body and body-prefix", "body is for all of it or no call, body-prefix for how it begins: take one of them away")
	}
}

// needReason says why a kind of plugin is not shown something.
func needReason(kind, need string) string {
	switch {
	case kind == "matcher" && showsBody(need):
		return "it is asked before the body is read"
	case kind != "router" && need == "origins":
		return choiceless
	}
	return ""
}

func showsBody(need string) bool { return need == "body" || need == "body-prefix" }

// checkSource looks at what a collector goes by, which the gateway reads as well.
func (l *loader) checkSource(p Params, path string) {
	if l.anyBad(parent(path)) {
		return
	}
	texts, ok := p.sources()
	switch {
	case !ok:
		l.fail(path, "E104", path+" must be a text or a list of texts", "")
	case len(texts) > abi.MaxSources:
		l.fail(path, "E110", fmt.Sprintf("%s has %d entries, must have at most %d", path, len(texts), abi.MaxSources), "")
	}
	for i, s := range texts {
		at := path
		if l.written(index(path, i)) {
			at = index(path, i)
		}
		if name, ok := strings.CutPrefix(s, "header:"); ok && !isToken(name) {
			l.fail(at, "E112", fmt.Sprintf("%s is %s, must have the name of a header field behind header:", at, l.shown(at, s)), "")
		}
	}
}

// referPlugin refuses the name of a plugin that does not exist, or is of another
// kind; known: it is neither. Others are names that need no plugin.
func (l *loader) referPlugin(path, who, kind, name string, others ...string) (p Plugin, known bool) {
	if name == "" || l.bad[path] {
		return p, false
	}
	p, known = l.cfg.Plugins[name]
	switch at := join("plugins", name); {
	case !known:
		l.refer(path, who, "plugin", name, append(l.pluginsOf(kind), others...))
		return p, false
	case l.bad[at] || l.bad[at+".kind"]:
		return p, false
	case p.Kind != kind:
		l.fail(path, "E503", fmt.Sprintf("%s names the plugin %s, which is of kind %s, must be of kind %s. Known: %s", who, l.shown(path, name), p.Kind, kind, Listing(append(l.pluginsOf(kind), others...))), "")
		return p, false
	}
	return p, true
}

// pluginsOf are the names of the plugins of a kind.
func (l *loader) pluginsOf(kind string) (names []string) {
	for _, name := range sortedKeys(l.cfg.Plugins) {
		if l.cfg.Plugins[name].Kind == kind {
			names = append(names, name)
		}
	}
	return names
}

// checkFilter looks at one filter of a site.
func (l *loader) checkFilter(f *Filter, path string) {
	if p, ok := l.referPlugin(path+".plugin", path, "filter", f.Plugin); ok {
		l.settle(&f.OnError, p, path, "plugin", f.Plugin)
	}
}

// checkMatch looks at the matcher of a rule, and at those that its expression asks;
// whether these exist is for who compiles it.
func (l *loader) checkMatch(r *Rule) {
	if l.written(r.Path+".match") && l.written(r.Path+".when") {
		l.fail(r.Path+".match", "E207", r.Path+" has when and match", `take one of them away; plugin("name") asks a matcher inside when`)
		return
	}
	if p, ok := l.referPlugin(r.Path+".match", r.Path, "matcher", r.Match); ok {
		l.settle(&r.OnError, p, r.Path, "match", r.Match)
	}
	for _, name := range r.asks()[1:] {
		if p := l.cfg.Plugins[name]; p.Kind == "matcher" {
			onError := r.OnError // when it says nothing, each plugin's own holds
			l.settle(&onError, p, r.Path, "when", name)
		}
	}
}

// settle fills in the on_error of who names a plugin, under a key, which one of
// the two must say.
func (l *loader) settle(onError *string, p Plugin, path, key, name string) {
	*onError = cmp.Or(*onError, p.OnError)
	if *onError != "" || l.bad[path+".on_error"] || l.bad[join("plugins", name)+".on_error"] {
		return
	}
	if from := l.cfg.places[path+"."+key].from; from != "" {
		name = "that is the value of " + from
	}
	l.fail(path, "E502", fmt.Sprintf("plugin %s: kind %s must say on_error: %s", name, p.Kind, strings.Join(onErrorWords[p.Kind], " or ")), "write it here, or at the plugin for all that name it")
}

// pluginCall finds the plugins that an expression asks.
var pluginCall = regexp.MustCompile("\\bplugin\\s*\\(\\s*[\"'`]([^\"'`]*)[\"'`]")

// asks are the names of the plugins that a rule asks: that of match, which may be
// empty, and those in its expression.
func (r *Rule) asks() []string { return append([]string{r.Match}, r.When.asks()...) }

// asks are the names of the plugins that an expression asks.
func (e Expression) asks() (names []string) {
	for _, call := range pluginCall.FindAllStringSubmatch(string(e), -1) {
		names = append(names, call[1])
	}
	return names
}

// lintPlugins looks for plugins that nothing names, and for what has no effect,
// in a file without mistakes.
func (l *loader) lintPlugins() {
	used := map[string]bool{}
	for _, name := range l.clusterNames() {
		c := l.cfg.Clusters[name]
		used[c.Router] = true
		for _, plugin := range c.Retry.When.asks() {
			used[plugin] = true
		}
		if c.Metric != nil {
			used[c.Metric.Collector] = true
		}
		l.idle(join("clusters", name)+".on_exhausted", c.Router == "", "there is no router")
	}
	for _, name := range sortedKeys(l.cfg.Sites) {
		s := l.cfg.Sites[name]
		for i, f := range s.Filters {
			used[f.Plugin] = true
			l.lintStage(f, s.Cache.Enabled, index(join("sites", name)+".filters", i)+".stage")
		}
		l.lintMatches(s.Rules, used)
	}
	l.lintMatches(l.cfg.Rules, used)
	for _, name := range sortedKeys(l.cfg.Plugins) {
		l.lintPlugin(l.cfg.Plugins[name], join("plugins", name))
	}
	l.unused("plugins", "W501", sortedKeys(l.cfg.Plugins), used, "no cluster, site or rule names it")
}

// lintStage warns of a filter of what is stored where nothing is.
func (l *loader) lintStage(f Filter, stores bool, path string) {
	if f.Stage == "store" && !stores {
		l.warn(path, "W503", path+" is store, and the site stores nothing: each answer of an origin is filtered, without its request; write cache: { enabled: true } at the site, or take stage away")
	}
}

// lintMatches notes what the rules of a list ask.
func (l *loader) lintMatches(list []Rule, used map[string]bool) {
	for _, r := range list {
		for _, name := range r.asks() {
			used[name] = true
		}
		l.idle(r.Path+".on_error", len(r.asks()) == 1 && r.Match == "", "the rule asks no plugin")
	}
}

// lintPlugin looks for settings of a plugin that need others.
func (l *loader) lintPlugin(p Plugin, path string) {
	l.idle(path+".limits.body", !slices.ContainsFunc(p.Needs, showsBody), "needs has neither body nor body-prefix")
	l.idle(path+".http", p.Kind != "collector" && p.Tick == 0 && len(p.HTTP) > 0, "tick is 0s, and a "+p.Kind+" may call out of gw_tick alone")
	l.idle(path+".limits.instances", p.Kind == "collector", "a collector has one instance for each cluster")
}

// idle warns of what was written in vain.
func (l *loader) idle(path string, vain bool, reason string) {
	if vain && l.written(path) {
		l.warn(path, "W502", path+" has no effect: "+reason)
	}
}

// grammarNeed is what a plugin may ask to be shown.
func grammarNeed(s string) string {
	place, name, single := strings.Cut(s, ":")
	if slices.Contains(shownTokens, s) || single && (place == "header" || place == "cookie") && isToken(name) && len(name) <= 256 {
		return ""
	}
	return "must be " + choice(append(slices.Clone(shownTokens), `"header:NAME"`, `"cookie:NAME"`))
}

// grammarOutlet is what a plugin may call. The URLs of a cluster, cluster://NAME/,
// have no room for a cell.
func grammarOutlet(s string) string {
	if name, ok := strings.CutPrefix(s, "cluster:"); ok && grammarName(name) != "" {
		return "must have the name of a cluster of this node's cell behind cluster:, without the cell"
	} else if ok {
		return ""
	}
	if !strings.Contains(s, "://") || grammarOrigin(s) != "" {
		return "must be http://host[:port] or https://host[:port], without a path, or cluster:NAME"
	}
	return ""
}

// grammarSHA256 is a digest in hexadecimal.
func grammarSHA256(s string) string {
	if len(s) != 64 || !only(s, digits+"abcdefABCDEF") {
		return "must be the 64 hexadecimal digits that sha256sum prints"
	}
	return ""
}
