package config

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/gateway/unit"
)

// otherWords are keys that people know from elsewhere, by the struct that they
// try them in: the key that is meant.
var otherWords = map[reflect.Type]map[string]string{
	reflect.TypeFor[Config]():       {"backends": "clusters", "upstreams": "clusters", "extensions": "plugins", "wasm": "plugins", "locations": "mappings", "routes": "mappings", "vhosts": "sites"},
	reflect.TypeFor[Listener]():     {"listen": "address", "port": "address", "bind": "address"},
	reflect.TypeFor[Cluster]():      {"backends": "origins", "servers": "origins", "policy": "balancer", "lb": "balancer", "health_check": "health", "healthcheck": "health", "sticky": "session", "max_queue": "queue"},
	reflect.TypeFor[Origin]():       {"port": "address", "url": "address", "maxconn": "capacity", "max_conns": "capacity", "max_connections": "capacity", "status": "state"},
	reflect.TypeFor[Queue]():        {"length": "size", "max": "size", "limit": "size", "wait": "timeout", "max_wait": "timeout"},
	reflect.TypeFor[Retry]():        {"if": "when", "condition": "when", "expression": "when", "retry_if": "when", "retry_on": "statuses", "codes": "statuses", "status": "statuses", "attempts": "retries", "max": "retries", "timeout": "per_try_timeout"},
	reflect.TypeFor[Failover]():     {"max_fails": "threshold", "failures": "threshold", "retries": "threshold"},
	reflect.TypeFor[Ping]():         {"url": "path", "uri": "path"},
	reflect.TypeFor[Health]():       {"url": "path", "uri": "path", "rise": "up_after", "fall": "down_after", "status": "expect", "statuses": "expect"},
	reflect.TypeFor[Session]():      {"name": "cookie", "param": "url_param", "parameter": "url_param", "ttl": "idle_timeout", "max": "entries", "mode": "binding", "key": "keys"},
	reflect.TypeFor[Site]():         {"domains": "hosts", "server_name": "hosts", "errors": "pages", "sticky": "session", "plugins": "filters", "filter": "filters"},
	reflect.TypeFor[Mapping]():      {"path": "prefix", "backend": "cluster", "upstream": "cluster", "backup": "failover", "fallback": "failover"},
	reflect.TypeFor[Rule]():         {"if": "when", "condition": "when", "expression": "when", "allow": "permit", "deny": "reject", "block": "reject", "priority": "order", "plugin": "match", "matcher": "match"},
	reflect.TypeFor[Permit]():       {"destinations": "to", "clusters": "to", "cluster": "to", "origins": "to", "fallback": "failover", "backup": "failover"},
	reflect.TypeFor[Redirect]():     {"to": "location", "url": "location", "code": "status"},
	reflect.TypeFor[Reject]():       {"code": "status", "message": "body"},
	reflect.TypeFor[Application]():  {"virtual_hosts": "hosts", "path": "context_root", "prefix": "context_root", "cluster": "clusters"},
	reflect.TypeFor[Extract]():      {"pattern": "regex", "start": "offset", "stop": "stop_chars"},
	reflect.TypeFor[Plugin]():       {"file": "module", "path": "module", "wasm": "module", "type": "kind", "config": "params", "options": "params", "parameters": "params", "hash": "sha256", "digest": "sha256", "checksum": "sha256"},
	reflect.TypeFor[PluginLimits](): {"gas": "fuel", "max_memory": "memory", "pool": "instances"},
	reflect.TypeFor[Metric]():       {"plugin": "collector", "period": "interval", "from": "source", "header": "source", "url": "pull", "path": "pull", "log_base": "base", "history_proportion": "history", "smoothing": "history"},
	reflect.TypeFor[Pull]():         {"url": "path", "uri": "path", "json": "pointer", "field": "pointer", "prometheus": "series", "query": "series"},
	reflect.TypeFor[Filter]():       {"name": "plugin", "phase": "stage"},
	reflect.TypeFor[Cache]():        {"enable": "enabled", "on": "enabled", "size": "memory", "storage": "disk", "grace": "stale", "gzip": "compress", "compression": "compress", "encodings": "compress", "vary_by": "key"},
	reflect.TypeFor[CacheDisk]():    {"dir": "path", "directory": "path", "folder": "path", "max": "size", "limit": "size"},
	reflect.TypeFor[CacheKey]():     {"ignore": "ignore_params", "params": "ignore_params", "exclude": "ignore_params", "include": "only_params", "only": "only_params", "sort": "sort_params"},
	reflect.TypeFor[CacheRule]():    {"if": "when", "condition": "when", "expression": "when", "match": "when", "path": "when", "bypass": "pass", "max_age": "ttl", "expires": "ttl"},
	reflect.TypeFor[Stale]():        {"grace": "while_revalidate", "updating": "while_revalidate", "on_error": "if_error", "error": "if_error"},
	reflect.TypeFor[ESI]():          {"depth": "max_depth", "includes": "max_includes", "parallel": "concurrent", "max_size": "max_page", "content_types": "types", "content_type": "types", "mime_types": "types", "status": "statuses", "onerror": "on_error", "ttl": "client_ttl", "max_age": "client_ttl", "streaming": "first_byte", "injection": "detect_injection", "providers": "unmapped_providers", "cookies": "variables", "vars": "variables", "headers": "variables", "escape": "variables"},
	reflect.TypeFor[ESIVariables](): {"allow": "cookies", "deny": "hidden_cookies", "hidden": "hidden_cookies", "fields": "headers", "html_escape": "escape"},
	reflect.TypeFor[HeaderEdit]():   {"add": "set", "append": "set", "replace": "set", "delete": "remove", "unset": "remove"},
}

// Hints for keys of origins that other programs have.
const (
	reserveHint = "a reserve is a cluster of its own: name that in failover of the mapping"
)

// otherIdeas are keys that people know from elsewhere, and for which no other word
// would do: the key that comes nearest, with the hint.
var otherIdeas = map[reflect.Type]map[string][2]string{
	reflect.TypeFor[Origin](): {
		"backup": {"", reserveHint},
	},
	reflect.TypeFor[Site](): {
		"balancer":         {"", placesHint},
		"balancer_options": {"", placesHint},
		"weight":           {"", "a weight belongs to a host, hosts.NAME.weight, or to an origin"},
		"provider":         {"kind", providerHint},
		"esi_provider":     {"kind", providerHint},
		"type":             {"kind", didYouMean + `"kind"?`},
	},
	reflect.TypeFor[ESI](): {
		"enabled":  {"mode", enabledHint},
		"enable":   {"mode", enabledHint},
		"fallback": {"on_error", "write on_error: default-fragment, and the file into the site's pages, as fragment"},
		"inline":   {"", "inline elements are not kept as fragments of their own"},
	},
}

// Hints for what has no switch of its own.
const (
	providerHint = "write kind: esi-provider"
	enabledHint  = "it has no switch of its own: where cache.enabled is true, mode says which answers are templates; for none, write mode: off"
)

// placesHint says where a balancer may stand (M-SEL-03).
const placesHint = "a balancer belongs to a cluster, clusters.NAME.balancer, and a mapping may choose another, mappings[N].balancer"

// Hints for balancers that other programs have.
const (
	loadHint     = didYouMean + `"capacity"? It goes by how busy each origin is, for its size; least-load by how many it has in hand`
	weightHint   = didYouMean + `"weight-based"? It goes by the weight of each origin, weighted-round-robin by that of each host`
	hashHint     = didYouMean + `"hash"? Its option by says what it goes by: client, session, header:NAME or cookie:NAME`
	stickyHint   = `"session", beside it, sends the requests of a session to one origin, whatever the balancer`
	affinityHint = "affinity is for clients that keep connections to servers: these names come with the client library, and a gateway has none of them"
	metricHint   = "metrics and weights do not go together: take metric, or weighted-round-robin"
)

// unlimitedHint is the hint for capacities that are none.
const unlimitedHint = "an origin always has a capacity: write a large one, or auto, which finds out how many it can take"

// outHint is the hint for states that are healths here.
const outHint = didYouMean + `"disabled"? Nothing is sent to it then; whether it works is found out, not written`

// foreignValues are the hints for values that people know from elsewhere, by what
// a tag calls them; the values as fold writes them.
var foreignValues = map[string]map[string]string{
	"state": {
		"drain": didYouMean + `"draining"?`,
		"maint": didYouMean + `"maintenance"?`,
		"up":    didYouMean + `"serving"?`, "ready": didYouMean + `"serving"?`, "active": didYouMean + `"serving"?`, "enabled": didYouMean + `"serving"?`, "online": didYouMean + `"serving"?`,
		"down": outHint, "ejected": outHint, "off": outHint, "offline": outHint, "inactive": outHint,
		"backup": reserveHint, "standby": reserveHint, "spare": reserveHint,
	},
	"capacity": {
		"unlimited": unlimitedHint, "none": unlimitedHint, "0": unlimitedHint,
		"adaptive": didYouMean + `"auto"?`, "dynamic": didYouMean + `"auto"?`, "learned": didYouMean + `"auto"?`, "automatic": didYouMean + `"auto"?`,
	},
	"stage": {
		"delivery": didYouMean + `"deliver"?`, "response": didYouMean + `"deliver"?`, "hit": didYouMean + `"deliver"?`,
		"cache": didYouMean + `"store"?`, "fetch": didYouMean + `"store"?`, "miss": didYouMean + `"store"?`,
	},
	"coding": {
		"brotli": didYouMean + `"br"?`, "gz": didYouMean + `"gzip"?`, "zstandard": didYouMean + `"zstd"?`,
	},
	"site-kind": {
		"provider": didYouMean + `"esi-provider"?`, "esi": didYouMean + `"esi-provider"?`, "private": didYouMean + `"esi-provider"?`, "internal": didYouMean + `"esi-provider"?`,
		"virtual_host": didYouMean + `"public"?`, "virtual": didYouMean + `"public"?`, "default": didYouMean + `"public"?`,
	},
	"esi-mode": {
		"on": didYouMean + `"surrogate"?`, "true": didYouMean + `"surrogate"?`, "enabled": didYouMean + `"surrogate"?`, "surrogate_control": didYouMean + `"surrogate"?`, "header": didYouMean + `"surrogate"?`,
		"types": didYouMean + `"content-types"?`, "html": didYouMean + `"content-types"?`, "all": didYouMean + `"content-types"?`, "always": didYouMean + `"content-types"?`,
		"none": didYouMean + `"off"?`, "no": didYouMean + `"off"?`, "false": didYouMean + `"off"?`, "disabled": didYouMean + `"off"?`,
	},
	"esi-error": {
		"ignore": didYouMean + `"empty"?`, "continue": didYouMean + `"empty"?`, "skip": didYouMean + `"empty"?`, "none": didYouMean + `"empty"?`,
		"abort": didYouMean + `"fail"?`, "error": didYouMean + `"fail"?`, "reject": didYouMean + `"fail"?`,
		"default": didYouMean + `"default-fragment"?`, "fragment": didYouMean + `"default-fragment"?`, "fallback": didYouMean + `"default-fragment"?`,
	},
	"first-byte": {
		"stream": didYouMean + `"early"?`, "immediate": didYouMean + `"early"?`, "flush": didYouMean + `"early"?`,
		"buffer": didYouMean + `"hold"?`, "late": didYouMean + `"hold"?`, "wait": didYouMean + `"hold"?`,
	},
	"client-ttl": {
		"off": didYouMean + `"none"?`, "no": didYouMean + `"none"?`, "no_cache": didYouMean + `"none"?`, "private": didYouMean + `"none"?`,
		"least": didYouMean + `"min"?`, "minimum": didYouMean + `"min"?`, "shortest": didYouMean + `"min"?`, "page": didYouMean + `"template"?`,
	},
	"unmapped": {
		"allow": didYouMean + `"dns"?`, "resolve": didYouMean + `"dns"?`, "any": didYouMean + `"dns"?`,
		"off": didYouMean + `"deny"?`, "none": didYouMean + `"deny"?`, "refuse": didYouMean + `"deny"?`, "reject": didYouMean + `"deny"?`, "block": didYouMean + `"deny"?`,
	},
	"plugin-kind": {
		"call_router": didYouMean + `"router"?`, "balancer": didYouMean + `"router"?`,
		"metric": didYouMean + `"collector"?`, "metric_collector": didYouMean + `"collector"?`,
		"rule": didYouMean + `"matcher"?`, "rule_matcher": didYouMean + `"matcher"?`,
	},
	"on-error": {
		"ignore": didYouMean + `"skip"?`, "continue": didYouMean + `"skip"?`, "fail_open": didYouMean + `"skip"?`,
		"fail": didYouMean + `"reject"?`, "fail_closed": didYouMean + `"reject"?`,
		"balancer": didYouMean + `"default-balancer"?`,
	},
	"balancer": {
		"least_conn": loadHint, "leastconn": loadHint, "least_connections": loadHint, "least_connection": loadHint, "least_request": loadHint, "lc": loadHint,
		"least_load": didYouMean + `"least-load"?`, "ewma": didYouMean + `"peak-ewma"?`, "least_time": didYouMean + `"peak-ewma"?`,
		"wrr": weightHint, "weighted": weightHint, "wlc": weightHint, "static_rr": weightHint, "weight": weightHint,
		"rr": didYouMean + `"round-robin"?`, "two_choices": didYouMean + `"p2c"?`, "random_2": didYouMean + `"p2c"?`,
		"ip_hash": hashHint, "iphash": hashHint, "source": hashHint, "url_hash": hashHint, "ring_hash": hashHint, "maglev": hashHint, "consistent_hash": hashHint, "rendezvous": hashHint,
		"sticky": stickyHint, "cookie": stickyHint,
		"round_robin_affinity": affinityHint, "weight_based_affinity": affinityHint, "random_affinity": affinityHint,
		"metric:weighted": metricHint,
	},
}

// foreignHint is what a word of another program is called here, a slip of the fingers in it
// or not.
func (f rules) foreignHint(text string) string {
	known, _ := nearest(text, slices.Collect(maps.Keys(f.foreign)))
	return f.foreign[known]
}

// keyMeant is the key of a struct that was probably meant by another word, with
// the hint that says so; empty when none is near.
func keyMeant(key string, t reflect.Type) (word, hint string) {
	if t == reflect.TypeFor[ListenerTLS]() && (key == "cert" || key == "key") {
		return "certificates", "put cert and key into an entry of certificates: [{ cert: …, key: … }]"
	}
	if idea, ok := otherIdeas[t][strings.ToLower(key)]; ok {
		return idea[0], idea[1]
	}
	if word := otherWords[t][strings.ToLower(key)]; word != "" {
		return word, didYouMean + quote(word) + "?"
	}
	return nearest(key, keysOf(t))
}

// unitSlip is a quantity with a unit that other programs have.
var unitSlip = regexp.MustCompile(`^(\d+) ?([kKmMgGtT])[bB]?$`)

// unitHint is the quantity that was probably meant.
func unitHint(t reflect.Type, text string) string {
	m := unitSlip.FindStringSubmatch(text)
	if m == nil || t != reflect.TypeFor[unit.Size]() {
		return ""
	}
	prefix := strings.ToUpper(m[2])
	decimal := strings.Replace(prefix, "K", "k", 1)
	return "write " + m[1] + decimal + "B or " + m[1] + prefix + "iB"
}

// percent is a share as it is often written.
var percent = regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,6})?) ?%$`)

// shareOf is the share that was probably meant by a percentage; empty: it is none.
func shareOf(t reflect.Type, text string) string {
	m := percent.FindStringSubmatch(text)
	if m == nil || t != reflect.TypeFor[Share]() {
		return ""
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n > 100 {
		return ""
	}
	return strconv.FormatFloat(n/100, 'f', -1, 64)
}

// shareHint is the hint for a percentage.
func shareHint(t reflect.Type, text string) string {
	if share := shareOf(t, text); share != "" {
		return "write " + share
	}
	return ""
}

// statusClass is a class of statuses as it is often written.
var statusClass = regexp.MustCompile(`^([2-5])[xX]{2}$`)

// statusHint is the range that was probably meant by a class of statuses.
func statusHint(t reflect.Type, text string) string {
	m := statusClass.FindStringSubmatch(text)
	if m == nil || t != reflect.TypeFor[StatusRanges]() {
		return ""
	}
	return "write " + quote(m[1]+"00-"+m[1]+"99")
}

// bareAddress is the address that stands where a definition of an origin, or
// the name of a shared one, has to: as text, or as what YAML makes of one
// without quotes inside brackets, a map of the host.
func bareAddress(n ast.Node) string {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 1 {
		n = m.Values[0]
	}
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		text = n.Value
	case *ast.MappingValueNode:
		host, port := n.Key.GetToken().Value, n.Value.GetToken().Value
		if !slices.Contains(keysOf(reflect.TypeFor[Origin]()), host) {
			text = host + ":" + port
		}
	}
	if text = strings.TrimSuffix(text, "/"); grammarOrigin(text) != "" {
		return ""
	}
	return text
}

// slashHint is an origin's address without the slash behind it, if that is all
// that is wrong with it.
func slashHint(address string) string {
	bare, slashed := strings.CutSuffix(address, "/")
	if !slashed || grammarOrigin(bare) != "" {
		return ""
	}
	return "write " + quote(bare) + ", without the slash"
}

// definition is the hint that turns an address into a definition.
func definition(address string) string { return "write { address: " + quote(address) + " }" }

// listHint is the cure for a single entry where a list has to be.
func listHint(n ast.Node, f rules) string {
	if address := bareAddress(n); address != "" && f.short == "name" {
		return "write [{ address: " + quote(address) + " }]"
	}
	if s, ok := n.(*ast.StringNode); ok {
		return "write [" + quote(s.Value) + "]"
	}
	return "an entry of a list begins with a dash and a blank, or stands in [ ]"
}

// mainKeys are the keys that people write alone, in place of the block.
var mainKeys = map[reflect.Type]string{
	reflect.TypeFor[Queue]():    "size",
	reflect.TypeFor[Ping]():     "path",
	reflect.TypeFor[Health]():   "path",
	reflect.TypeFor[Session]():  "cookie",
	reflect.TypeFor[Extract]():  "format",
	reflect.TypeFor[Permit]():   "to",
	reflect.TypeFor[Metric]():   "collector",
	reflect.TypeFor[Pull]():     "path",
	reflect.TypeFor[Filter]():   "plugin",
	reflect.TypeFor[Redirect](): "location",
	reflect.TypeFor[Reject]():   "status",

	reflect.TypeFor[Cache]():     "enabled",
	reflect.TypeFor[CacheDisk](): "path",
	reflect.TypeFor[CacheTags](): "from",
	reflect.TypeFor[Heuristic](): "fraction",
	reflect.TypeFor[Collapse]():  "wait",
	reflect.TypeFor[Stale]():     "if_error",

	reflect.TypeFor[ESI]():          "mode",
	reflect.TypeFor[ESIVariables](): "cookies",
}

// ttlHint is the map of times that a single time probably stands for.
func ttlHint(n ast.Node, f rules) string {
	s, ok := scalarOf(n)
	var d unit.Duration
	if f.keys != "ttl" || !ok || d.UnmarshalText([]byte(s.text)) != nil {
		return ""
	}
	return "write { default: " + s.text + " }, for answers that say nothing of it"
}

// without says how a block is written that is not wanted.
var without = map[reflect.Type]string{
	reflect.TypeFor[Queue]():  "for no queue, write { size: 0 }",
	reflect.TypeFor[Ping]():   "for none, take the key away",
	reflect.TypeFor[Health](): "for none, take the key away",
	reflect.TypeFor[Cache]():  "for none, write { enabled: false }",
	reflect.TypeFor[ESI]():    `for none, write { mode: "off" }`,
}

// with says how a block is written that is merely wanted.
var with = map[reflect.Type]string{
	reflect.TypeFor[Cache](): "for one, write { enabled: true }",
	reflect.TypeFor[ESI]():   "for templates of which the origin says so, write { mode: surrogate }, which is the default where cache.enabled is true",
}

// blockHint is the block that a single value probably stands for.
func blockHint(n ast.Node, v reflect.Value) string {
	s, ok := scalarOf(n)
	field, f, known := fieldOf(v, mainKeys[v.Type()])
	switch {
	case !ok || !known || strings.Contains(s.text, "${"):
		return ""
	case slices.Contains([]string{"off", "none", "no", "false"}, s.text):
		return without[v.Type()]
	case slices.Contains([]string{"on", "yes", "true"}, s.text) && !f.takes(field, s.text):
		return with[v.Type()]
	case s.typed != isPlain(field) && field.Type() != reflect.TypeFor[Share]():
		return ""
	}
	text := cmp.Or(shareOf(field.Type(), s.text), s.text)
	if !f.takes(field, text) {
		return ""
	}
	if !s.typed && text == s.text {
		text = quote(text)
	}
	return "write { " + mainKeys[v.Type()] + ": " + text + " }"
}

// takes reports whether a text is a value of a field, or an entry of it.
func (f rules) takes(field reflect.Value, text string) bool {
	one := reflect.New(field.Type()).Elem()
	if one.Kind() == reflect.Slice {
		one = reflect.New(field.Type().Elem()).Elem()
	}
	if _, reason := assign(one, text); reason != "" {
		return false
	}
	_, reason := f.hold(one, text)
	check := grammars[f.check]
	return reason == "" && (check == nil || check(text) == "") // that of a path is held elsewhere
}

// singleHint is the cure for a list where a single value has to be.
func singleHint(n ast.Node, v reflect.Value, f rules) string {
	if _, isList := n.(*ast.SequenceNode); !isList {
		return ""
	}
	switch {
	case strings.HasPrefix(f.or, "clusters"):
		return "write clusters instead of cluster, for several"
	case v.Type() == reflect.TypeFor[StatusRanges]():
		return `write them as one text, for example "200-299,301"`
	}
	return ""
}
