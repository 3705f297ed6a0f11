package config

import "weirkeep/gateway/unit"

// Plugin is a WebAssembly module that decides something, and what it may use.
type Plugin struct {
	Kind    string        `yaml:"kind" required:"true" enum:"router|collector|matcher|filter" foreign:"plugin-kind"`                // router: which origins | collector: how busy an origin is | matcher: whether a rule is true | filter: edits requests and responses; required
	Module  string        `yaml:"module" required:"true" check:"file"`                                                              // path of the .wasm file; made absolute by Load; required
	SHA256  string        `yaml:"sha256" check:"sha256"`                                                                            // of the module, in hexadecimal; another module is refused; default: any is taken; in lower case after Load
	Engine  string        `yaml:"engine" default:"auto" enum:"auto|wazero|wasmtime"`                                                // what runs it: auto (default) | wazero | wasmtime
	Params  Params        `yaml:"params"`                                                                                           // handed to the module as JSON, keys in this order; default: none
	Needs   []string      `yaml:"needs" check:"need"`                                                                               // what it is shown of a request; default, but for collectors, [method, scheme, host, path, query, client], and origins for routers
	Limits  PluginLimits  `yaml:"limits"`                                                                                           // what it may use
	Tick    unit.Duration `yaml:"tick" default:"0s" range:"0s..1d"`                                                                 // how often its gw_tick is called, at most every 100ms; default 0s: never
	KV      unit.Size     `yaml:"kv" default:"0" range:"0..64MiB"`                                                                  // size of its key-value store; default 0: none
	HTTP    []string      `yaml:"http" check:"outlet"`                                                                              // what it may call: scheme://host[:port], or cluster:NAME, a cluster of this node's cell; default: nothing; URLs have a port after Load
	OnError string        `yaml:"on_error" enum:"default-balancer|reject|default|keep|down|skip|match|no-match" foreign:"on-error"` // when it fails; router: default-balancer (default) | reject; collector: default (default): metric.default | keep | down; filter: skip | reject; matcher: match | no-match; the last two have no default
	OnFull  string        `yaml:"on_full" default:"next" enum:"next|queue"`                                                         // router, when an origin that it lists is full: next (default): the next one is tried | queue: it is waited for
	Cache   string        `yaml:"cache" default:"per-choice" enum:"per-choice|shared|pass"`                                         // router, where answers are stored: per-choice (default): it is asked before the store is, and each of its lists has answers of its own | shared: its choice does not change the answer | pass: nothing is stored that it may choose an origin for
}

// PluginLimits bound what each instance of a plugin may use.
type PluginLimits struct {
	Memory    unit.Size     `yaml:"memory" range:"64KiB..1GiB"`                       // of one instance; default 16MiB, for a module made by Go 64MiB; 0 after Load: not written
	Fuel      int           `yaml:"fuel" range:"1..32000000"`                         // instructions of one call, roughly; default 2000000, for a module made by Go 16000000; 0 after Load: not written
	InitFuel  int           `yaml:"init_fuel" default:"16000000" range:"1..64000000"` // the same of a start and of gw_tick; default 16000000
	Depth     int           `yaml:"depth" default:"1000" range:"1..4000"`             // calls inside each other, default 1000
	Instances int           `yaml:"instances" range:"1..1024"`                        // most at once for each place that it is used in; default twice the processors; 0 after Load: not written
	Wait      unit.Duration `yaml:"wait" default:"1ms" range:"1us..1s"`               // longest wait for an instance, default 1ms
	View      unit.Size     `yaml:"view" default:"48KiB" range:"4KiB..1MiB"`          // most that it is shown of a request, without the body; default 48KiB
	Body      unit.Size     `yaml:"body" default:"64KiB" range:"1B..1MiB"`            // most that it is shown of a body, default 64KiB
	LogRate   int           `yaml:"log_rate" default:"100" range:"1..10000"`          // lines a second that it may log, default 100
}

// Filter is a plugin that edits requests and responses of a site.
type Filter struct {
	Plugin  string `yaml:"plugin" required:"true"`                                       // name of a plugin of kind filter; required
	OnError string `yaml:"on_error" enum:"skip|reject" foreign:"on-error"`               // when it fails: skip: go on without it (of stage store: and store nothing) | reject: 503; default: what the plugin says, one of both must
	Stage   string `yaml:"stage" default:"deliver" enum:"deliver|store" foreign:"stage"` // when it sees responses: deliver (default): each that goes to a client | store: those of origins, before they are stored: once for all clients, and without the request
}

// shownTokens are the parts of a request that a plugin may be shown, but for
// single fields and cookies.
var shownTokens = []string{"method", "scheme", "host", "path", "query", "target", "client", "session", "site", "body", "body-prefix", "origins", "headers"}

// PluginsOf are the names of the plugins of a kind, in order.
func (c *Config) PluginsOf(kind string) (names []string) {
	for _, name := range sortedKeys(c.Plugins) {
		if c.Plugins[name].Kind == kind {
			names = append(names, name)
		}
	}
	return names
}
