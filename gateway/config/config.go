// Package config reads the configuration file of a gateway.
//
// [Load] turns a YAML file and what it includes into a [Config], or into
// [Problems]: every mistake of the files at once, each with file, line, column,
// the lines around it, and, when one is near, the word that was probably
// meant. A Config is data alone: references are resolved and defaults are
// filled in, but nothing is opened, bound or compiled; that is gateway's work.
//
// What a key is called, what it may hold and what it is without being written
// stands at its field; the JSON Schema for editors is generated from the same
// fields ([Schema]). The tags of a field are:
//
//	yaml      the key; "-" is no key
//	default   its value when it is not written, in the form of the file; of a list, its entries, separated by "|"; "@" and a name: that of wordDefaults
//	conformance  its value when it is not written and the cache's profile is conformance
//	required  "true": it must be written, a list or map with at least one entry
//	or        the key that may be written instead of it; one of both must be
//	enum      the words it may be, or its entries may be, separated by "|"; "@" and a name: those of wordLists
//	range     lowest..highest, in the form of the file, of it or its entries; either may be left out
//	hint      what to say to who wrote a value that is out of range
//	foreign   the words of other programs that are told what they are called here: a name in foreignValues
//	check     the grammar of its text, or of each text in it: a name in checks
//	keys      the grammar of a map's keys: a name in checks
//	short     "name" or "address": an entry of this list may be a bare string instead, which is that
//	files     "append": lists of several files are joined; "each": every file may say it
package config

import (
	"net/netip"

	"weirkeep/gateway/session"
	"weirkeep/gateway/unit"
)

// Config is one whole configuration, valid and with every default filled in.
type Config struct {
	// Version is the version of the format; 1 is the only one.
	Version int `yaml:"version" default:"1" range:"1..1" files:"each"`

	// Node is this gateway.
	Node Node `yaml:"node"`
	// Listeners are the addresses that clients connect to.
	Listeners []Listener `yaml:"listeners" required:"true" files:"append"`
	// Admin is the administrators' listener, apart from the request path.
	Admin Admin `yaml:"admin"`
	// TrustedProxies are the networks whose X-Forwarded-*, Forwarded and PROXY
	// headers are believed; an address stands for itself alone.
	TrustedProxies []netip.Prefix `yaml:"trusted_proxies"`
	// Limits bound what a client may ask for.
	Limits Limits `yaml:"limits"`
	// Timeouts bound how long a client may take.
	Timeouts Timeouts `yaml:"timeouts"`
	// Drain says how a gateway that was told to stop (SIGTERM) does so.
	Drain Drain `yaml:"drain"`

	// Origins are shared definitions, by name; a cluster names them.
	Origins map[string]Origin `yaml:"origins" keys:"name"`
	// Hosts are the machines that origins and this node run on, by name.
	Hosts map[string]Host `yaml:"hosts" keys:"label"`
	// Clusters are the sets of origins that mappings name, by name: "name" in this
	// node's cell, "cell/name" in another.
	Clusters map[string]Cluster `yaml:"clusters" required:"true" keys:"cluster"`
	// Applications are what is deployed on clusters, by name; a mapping that names
	// some leaves to them which clusters serve a request.
	Applications map[string]Application `yaml:"applications" keys:"name"`
	// Editions say of applications, by name, which of their editions are active.
	Editions map[string]Edition `yaml:"editions" keys:"name"`
	// Sessions say how session ids are read and what binds them to origins, by
	// name; those that frameworks usually have exist by name already, such as
	// JSESSIONID. After Load these are all that are used, and all that were written.
	Sessions map[string]Session `yaml:"sessions" keys:"label"`
	// Sites are the host names that are served, by name. With none and exactly
	// one cluster, a site "default" with every host is implied.
	Sites map[string]Site `yaml:"sites" keys:"name"`
	// DefaultSite serves requests with no host information; empty: they are refused.
	DefaultSite string `yaml:"default_site"`
	// Mappings tie sites to clusters; the first that matches decides.
	Mappings []Mapping `yaml:"mappings" files:"append"`

	// Rules decide what happens to requests, of all sites; the first that matches.
	Rules []Rule `yaml:"rules" files:"append"`
	// AffinityShields says from which rules the binding of a session shields:
	// permit (default): from permits; rejects and redirects are for everybody | all.
	AffinityShields string `yaml:"affinity_shields" default:"permit" enum:"permit|all"`
	// OverrideAffinity: no binding shields from any rule.
	OverrideAffinity bool `yaml:"override_affinity" default:"false"`
	// RulesAuthority is the cell whose rules count; default: this node's.
	RulesAuthority string `yaml:"rules_authority" check:"name"`
	// Lists are for in_list() in rules, by name: addresses and networks, hosts, texts.
	Lists map[string][]string `yaml:"lists" keys:"name"`

	// Plugins are WebAssembly modules, by name, for clusters, sites and rules to name.
	Plugins map[string]Plugin `yaml:"plugins" keys:"name"`

	// Cache says what is stored of origins' answers.
	Cache Cache `yaml:"cache"`
	// ESI says which answers are templates, and how pages are made of them.
	ESI ESI `yaml:"esi"`

	// AccessLog says where and how exchanges are recorded.
	AccessLog AccessLog `yaml:"access_log"`
	// Include names further files by pattern, relative to this one.
	Include []string `yaml:"include" files:"append"`

	places places // where each path was written
}

// Node is this gateway.
type Node struct {
	Name     string `yaml:"name" check:"token"`               // in Via and logs; default: the host name
	Host     string `yaml:"host" check:"label"`               // the machine that it runs on, a name of hosts; default: the host name
	Cell     string `yaml:"cell" default:"main" check:"name"` // the cell of clusters whose names have none; default main
	Remote   bool   `yaml:"remote" default:"false"`           // whether it is far from the origins, so that Surrogate-Control: no-store-remote speaks to it; default false
	StateDir string `yaml:"state_dir" check:"path"`           // default $STATE_DIRECTORY, which service managers set, else /var/lib/weirkeep as root, else weirkeep under XDG_STATE_HOME; made absolute
}

// Listener is an address that clients connect to.
type Listener struct {
	Name            string       `yaml:"name" check:"label"`                              // default: the address
	Address         string       `yaml:"address" required:"true" check:"listen"`          // host:port or :port; required
	ProxyProtocol   string       `yaml:"proxy_protocol" default:"off" enum:"off|require"` // off (default) | require: from trusted_proxies, others are closed
	RedirectToHTTPS bool         `yaml:"redirect_to_https" default:"false"`               // answer everything with a 308 to the https URL
	TLS             *ListenerTLS `yaml:"tls"`                                             // nil: plain
}

// ListenerTLS makes a listener speak TLS.
type ListenerTLS struct {
	Certificates []Certificate `yaml:"certificates" required:"true"`             // chosen by SNI, the first when none fits; at least one
	MinVersion   string        `yaml:"min_version" default:"1.2" enum:"1.2|1.3"` // "1.2" (default) | "1.3"
	ClientAuth   ClientAuth    `yaml:"client_auth"`                              // whether clients show a certificate
}

// Certificate is a pair of PEM files; both are watched for changes.
type Certificate struct {
	Cert string `yaml:"cert" required:"true" check:"file"` // path; made absolute by Load
	Key  string `yaml:"key" required:"true" check:"file"`  // path; made absolute by Load
}

// ClientAuth says whether clients show a certificate.
type ClientAuth struct {
	Mode string `yaml:"mode" default:"none" enum:"none|optional|require"` // none (default) | optional | require
	CA   string `yaml:"ca" check:"file"`                                  // path of PEM authorities; required unless mode is none
}

// Admin is the administrators' listener, apart from the request path.
type Admin struct {
	Address string `yaml:"address" default:"127.0.0.1:9900" check:"admin"` // default 127.0.0.1:9900; "off" with no socket: none
	Socket  string `yaml:"socket" check:"path"`                            // path of a unix socket; default none
	Token   Secret `yaml:"token" check:"secret"`                           // bearer token; default: one is made in state_dir
}

// Secret is a value that is never printed: its text forms are "***".
type Secret string

// Limits bound what a client may ask for.
type Limits struct {
	Connections          Auto      `yaml:"connections" default:"auto"`                              // default auto: half of the file descriptors allowed, less a reserve
	ConnectionsPerClient int       `yaml:"connections_per_client" default:"0" range:"0.."`          // default 0: no limit; never for trusted_proxies
	HeaderNameBytes      int       `yaml:"header_name_bytes" default:"256" range:"1..4096"`         // default 256; 1..4096
	HeaderBytes          unit.Size `yaml:"header_bytes" default:"32KiB" range:"4KiB..1MiB"`         // default 32KiB, whole head; 4KiB..1MiB
	HeaderCount          int       `yaml:"header_count" default:"128" range:"8..1024"`              // default 128; 8..1024
	BodyBytes            unit.Size `yaml:"body_bytes" default:"0"`                                  // default 0: no limit
	UnderscoreNames      string    `yaml:"underscore_names" default:"drop" enum:"drop|refuse|pass"` // drop (default) | refuse | pass
}

// Auto is a count, or zero for the word "auto".
type Auto int

// Timeouts bound how long a client may take.
type Timeouts struct {
	Head        unit.Duration `yaml:"head" default:"10s" range:"10ms..1h"`       // default 10s: whole request head
	BodyIdle    unit.Duration `yaml:"body_idle" default:"30s" range:"10ms..1d"`  // default 30s: between two pieces of a body, either way
	MinBodyRate unit.Rate     `yaml:"min_body_rate" default:"240B/s"`            // default 240B/s, over 10 s; 0B/s: none
	KeepAlive   unit.Duration `yaml:"keep_alive" default:"60s" range:"10ms..1d"` // default 60s: between two requests
}

// Drain says how a gateway that was told to stop (SIGTERM) does so.
type Drain struct {
	Delay   unit.Duration `yaml:"delay" default:"5s" range:"0s..1h"`    // default 5s: not ready, still accepting
	Timeout unit.Duration `yaml:"timeout" default:"30s" range:"0s..1d"` // default 30s: running exchanges may end
}

// Origin is one server process that answers.
type Origin struct {
	// Name is its name in logs and metrics; default: the address. A shared
	// origin's name is its key.
	Name string `yaml:"name" check:"label"`
	// Address is host:port, or a URL http://host[:port] or https://host[:port].
	Address string `yaml:"address" required:"true" check:"origin"`
	Kind    string `yaml:"kind" default:"app" enum:"app|proxy|redirect"` // app (default) | proxy: gets absolute-form, CONNECT for https | redirect: nothing is sent there, clients are
	// Capacity is how many exchanges it may have at once, over all clusters;
	// further ones wait: a number of 1..1000000, default 1000; or auto: as many as
	// the gateway finds that it can take, by how long it takes to answer, from 4 to
	// 1000; or other bounds for that, such as 10-500.
	Capacity Capacity `yaml:"capacity" default:"1000" foreign:"capacity"`
	// Weight is its part of the requests, where a balancer goes by it
	// (weight-based). Default 1; 1..100.
	Weight int `yaml:"weight" default:"1" range:"1..100"`
	// State is what it may be sent: serving (default) | draining: only what is
	// bound to it | maintenance, disabled: nothing.
	State string `yaml:"state" default:"serving" enum:"serving|draining|maintenance|disabled" foreign:"state"`

	// Host is the machine that it runs on; default: the host of its address.
	Host string `yaml:"host" check:"label"`
	// UserDir is a label, for destinations of the form server=CELL,HOST,USERDIR,ORIGIN.
	UserDir string `yaml:"user_dir" check:"label"`
	// IDs are what session ids call it, where a session's binding is passive.
	IDs []string `yaml:"ids"`
	// Edition is what it runs; default: what its cluster says.
	Edition EditionLabel `yaml:"edition"`

	// Scheme, HostPort are the parts of Address, filled in by Load: http or
	// https, and host:port with the scheme's default port.
	Scheme   string `yaml:"-"`
	HostPort string `yaml:"-"`

	// StateBy is who closes it further than the file says, of what has become true
	// since; empty: nobody does.
	StateBy string `yaml:"-"`

	// Expected says that nobody has written it one by one, so that it need not run
	// yet: its health check is asked before requests go there.
	Expected bool `yaml:"-"`

	shared string // the shared origin that stands for this entry of a cluster
}

// Capacity is how many exchanges an origin may have at once: Least and Most are the
// same where that is written, else the bounds within which it is learned. The zero
// value says nothing.
type Capacity struct {
	Least int `yaml:"-"`
	Most  int `yaml:"-"`
}

// AutoCapacity are the bounds that the word auto stands for.
var AutoCapacity = Capacity{Least: 4, Most: 1000}

// Cluster is a named set of origins.
type Cluster struct {
	Balancer         string        `yaml:"balancer" default:"@balancer" enum:"@balancers" foreign:"balancer"` // which origin is next; default capacity
	BalancerOptions  Options       `yaml:"balancer_options"`                                                  // of the balancer, each has its own; a mapping's other balancer has none
	Locality         string        `yaml:"locality" default:"any" enum:"any|prefer-local|collocated"`         // which of its origins come first: any (default) | prefer-local: those on node.host, while one can be used | collocated: the same, before a router is asked
	Origins          []Origin      `yaml:"origins" or:"dynamic|discover" short:"name"`                        // inline, or the name of a shared one; this, dynamic or discover is required. After Load those of dynamic follow
	Dynamic          *Dynamic      `yaml:"dynamic" or:"origins|discover"`                                     // origins whose names, hosts and ports are calculated; nil: none
	Discover         *Discover     `yaml:"discover" or:"origins|dynamic"`                                     // where further origins are found; nil: nowhere
	Template         Template      `yaml:"template"`                                                          // what origins of dynamic and discover are like
	HostHeader       string        `yaml:"host_header" default:"client" check:"authority"`                    // client (default) | origin | any other: that name
	TLS              OriginTLS     `yaml:"tls"`                                                               // how https origins are verified
	ConnectTimeout   unit.Duration `yaml:"connect_timeout" default:"2s" range:"1ms..5m"`                      // default 2s
	FirstByteTimeout unit.Duration `yaml:"first_byte_timeout" default:"60s" range:"1ms..1d"`                  // default 60s
	BodyIdleTimeout  unit.Duration `yaml:"body_idle_timeout" default:"60s" range:"1ms..1d"`                   // default 60s
	KeepAlive        unit.Duration `yaml:"keep_alive" default:"4s" range:"0s..1h"`                            // default 4s: longest idle time of a pooled connection; 0s: none is kept
	Upgrades         []string      `yaml:"upgrades" default:"websocket" check:"protocol"`                     // protocols that a connection may switch to; default [websocket]
	CountTunnels     *bool         `yaml:"count_tunnels" default:"true"`                                      // whether a connection that switched protocols counts against the origin's capacity; default true; never nil after Load
	Queue            Queue         `yaml:"queue"`                                                             // where requests wait while every origin is full
	Failover         Failover      `yaml:"failover"`                                                          // when an origin is given up, and how it comes back
	SlowStart        unit.Duration `yaml:"slow_start" default:"0s" range:"0s..1h"`                            // so long it takes an origin that comes back, or is new, to get its whole part; default 0s: it gets it at once
	PanicThreshold   unit.Percent  `yaml:"panic_threshold" default:"0%" range:"0%..100%"`                     // when fewer of the origins in service are up than this, requests go to those that are out, too; default 0%: never
	Health           *Health       `yaml:"health"`                                                            // checks of the origins; nil: none
	Retry            Retry         `yaml:"retry"`                                                             // when a request may be sent again
	Session          string        `yaml:"session"`                                                           // name of a session, for sites that name none; default: none is bound
	Router           string        `yaml:"router"`                                                            // name of a plugin of kind router, which chooses before the balancer does; default: none
	OnExhausted      string        `yaml:"on_exhausted" default:"fail" enum:"fail|default-balancer"`          // when no origin that the router listed can be used: fail (default): 503 | default-balancer: the balancer chooses
	Metric           *Metric       `yaml:"metric"`                                                            // who finds out how busy its origins are; nil: nobody
	Edition          EditionLabel  `yaml:"edition"`                                                           // of those of its origins that have none of their own
	Weblogic         Weblogic      `yaml:"weblogic"`                                                          // for origins that are WebLogic servers
}

// Weblogic is what WebLogic servers do beyond what every origin does.
type Weblogic struct {
	DynamicServerList bool `yaml:"dynamic_server_list" default:"false"` // ask them, with their health checks, which servers their cluster has, and go by it; default false
}

// Options are settings that another package knows: [Options.Decode] reads them.
// The zero value is none written.
type Options struct{ raw *rawOptions }

// Queue is where requests wait while every origin is full: first come, first served.
type Queue struct {
	Size     int           `yaml:"size" default:"200" range:"0..100000"`                                                                                                      // how many may wait, default 200; 0: none, they are refused at once
	Timeout  unit.Duration `yaml:"timeout" default:"10s" range:"1ms..5m" hint:"nothing waits without end: choose a longest wait of up to 5m, or size: 0 for no queue at all"` // longest wait, default 10s
	Overflow string        `yaml:"overflow" default:"busy" enum:"busy|failover"`                                                                                              // when it is full: busy (default): the busy page | failover: the mapping's failover clusters, if there are any
}

// Failover says when an origin is given up (ejected), and how it comes back.
// Without ping and health one request tries it after 10 s.
type Failover struct {
	Threshold       int          `yaml:"threshold" default:"5" range:"1..1000"`                                                                                                                  // failures in a row, default 5
	ConnectFailures Same         `yaml:"connect_failures" default:"1"`                                                                                                                           // failed connects in a row that suffice alone, default 1; same: as many as threshold
	Count           []string     `yaml:"count" default:"connect|reset|timeout|502|503|504" enum:"connect|reset|timeout|502|503|504|all-5xx" hint:"all-5xx stands for every 5xx but 501 and 505"` // what is a failure; default [connect, reset, timeout, "502", "503", "504"]; all-5xx: every 5xx but 501 and 505
	ErrorRate       *ErrorRate   `yaml:"error_rate"`                                                                                                                                             // failures with successes between them; nil: those never count
	MaxEjected      unit.Percent `yaml:"max_ejected" default:"100%" range:"0%..100%"`                                                                                                            // of the cluster's origins, so many may be out for other failures than connects, default 100%: all but the last
	Ping            *Ping        `yaml:"ping"`                                                                                                                                                   // requests to an ejected origin, until one is answered with anything but 500, 502, 503 and 504; nil: none
}

// ErrorRate says which part of attempts that fail ejects an origin, and for how long.
type ErrorRate struct {
	Share      unit.Percent  `yaml:"share" required:"true" range:"1%..100%"`   // of the attempts of a window, so many fail
	Window     unit.Duration `yaml:"window" default:"10s" range:"1s..10m"`     // default 10s
	Attempts   int           `yaml:"attempts" default:"20" range:"1..1000000"` // with fewer in a window the share says nothing; default 20
	Out        unit.Duration `yaml:"out" default:"10s" range:"1s..1h"`         // how long it is left alone at least, default 10s; twice as long each time that it comes soon again
	LongestOut unit.Duration `yaml:"longest_out" default:"5m" range:"1s..1d"`  // up to this, default 5m; soon is: within this of its return
}

// Same is a count, or zero for the word "same".
type Same int

// Ping asks an origin that was given up whether it is back. Every answer but
// 500, 502, 503 and 504 says so: the 404 of a path that is mistyped, too.
type Ping struct {
	Path     string        `yaml:"path" required:"true" check:"request-path"` // path, perhaps with a query; required
	Interval unit.Duration `yaml:"interval" default:"10s" range:"100ms..1h"`  // default 10s
	Timeout  unit.Duration `yaml:"timeout" default:"2s" range:"1ms..1m"`      // for the answer, default 2s
}

// Health asks every origin all the time. With it, only it readmits.
type Health struct {
	Path      string        `yaml:"path" required:"true" check:"request-path"` // path, perhaps with a query; required
	Interval  unit.Duration `yaml:"interval" default:"5s" range:"100ms..1h"`   // default 5s
	Timeout   unit.Duration `yaml:"timeout" default:"2s" range:"1ms..1m"`      // for the answer, default 2s
	DownAfter int           `yaml:"down_after" default:"3" range:"1..100"`     // bad answers in a row, default 3
	UpAfter   int           `yaml:"up_after" default:"2" range:"1..100"`       // good answers in a row, default 2
	Expect    StatusRanges  `yaml:"expect" default:"200-399"`                  // statuses of good answers, such as "200-299,301"; default 200-399
	Contains  string        `yaml:"contains"`                                  // a text in the first 64 KiB of the content of good answers; default: nobody looks
}

// StatusRanges is a set of statuses.
type StatusRanges struct {
	Ranges [][2]int `yaml:"-"` // lowest and highest of each, both belong to it
}

// OriginTLS says how https origins are verified.
type OriginTLS struct {
	CA         string `yaml:"ca" check:"file"`                // path of PEM authorities; default: the system's
	ServerName string `yaml:"server_name" check:"name-or-ip"` // default: the origin's host
	Verify     *bool  `yaml:"verify" default:"true"`          // default true; never nil after Load
}

// Session says how a session id is read, and what binds it to an origin.
type Session struct {
	Cookie         string        `yaml:"cookie" or:"url_param" check:"token"`                             // name of the cookie; this or url_param is required
	URLParam       string        `yaml:"url_param" or:"cookie" check:"url-param"`                         // name of the parameter, as in /cart;jsessionid=… and ?jsessionid=…
	Extract        Extract       `yaml:"extract"`                                                         // how origins are named in an id, for binding: passive and for rules
	Binding        string        `yaml:"binding" default:"learned" enum:"learned|passive|gateway-cookie"` // learned (default): the gateway remembers which origin gave out which id | passive: the id itself names the origin, by its ids | gateway-cookie: a signed cookie of the gateway's own does
	Keys           []Secret      `yaml:"keys" check:"secret"`                                             // of gateway-cookie: secrets of at least 32 characters; the first signs, all verify
	GatewayCookie  GatewayCookie `yaml:"gateway_cookie"`                                                  // of gateway-cookie
	OnPrimaryDown  string        `yaml:"on_primary_down" default:"secondary" enum:"secondary|any|fail"`   // when the bound origin cannot be used: secondary (default): its replica, if the id names one, else as any | any: balance anew and bind to who answers | fail: 503
	OnFull         string        `yaml:"on_full" default:"queue" enum:"queue|rebalance"`                  // when the bound origin is full: queue (default): wait for it | rebalance: another answers, and the binding stays
	LearnFromLinks bool          `yaml:"learn_from_links" default:"false"`                                // whether url_param is looked for in links of pages too; default false
	IdleTimeout    unit.Duration `yaml:"idle_timeout" default:"30m" range:"1s..30d"`                      // how long a binding lasts without a request, default 30m
	Entries        int           `yaml:"entries" default:"100000" range:"1..10000000"`                    // most bindings, default 100000; beyond it the longest idle one goes
}

// Extract says how origins are named in a session id: one of format, regex, and
// offset with length or stop_chars.
type Extract struct {
	Format    string `yaml:"format" enum:"@formats"`             // plain (default): the whole id | weblogic: id!primary!secondary
	Offset    int    `yaml:"offset" default:"0" range:"0..4096"` // bytes before the origin's id
	Length    int    `yaml:"length" default:"0" range:"0..4096"` // longest id; default 0: up to one of stop_chars
	StopChars string `yaml:"stop_chars"`                         // characters that end it
	Regex     string `yaml:"regex"`                              // with a group for the id, named primary or the first, and perhaps one named secondary
}

// Options are the same in the form of package session.
func (e Extract) Options() session.ExtractOptions {
	return session.ExtractOptions{Format: e.Format, Offset: e.Offset, Length: e.Length, StopChars: e.StopChars, Regex: e.Regex}
}

// GatewayCookie is the gateway's own cookie.
type GatewayCookie struct {
	Name     string        `yaml:"name" check:"token"`                                 // default: weirkeep- and the session's name
	Path     string        `yaml:"path" default:"/" check:"cookie-path"`               // on which paths clients send it, default /
	Domain   string        `yaml:"domain" check:"cookie-domain"`                       // with its subdomains; default: the host that sets it, alone
	MaxAge   unit.Duration `yaml:"max_age" default:"0s" range:"0s..365d"`              // how long clients keep it, in whole seconds; default 0s: until they end
	SameSite string        `yaml:"same_site" default:"lax" enum:"lax|strict|none|off"` // lax (default) | strict | none | off: nothing is said
}

// Site is a set of host names with what holds for them.
type Site struct {
	Kind            string            `yaml:"kind" default:"public" enum:"public|esi-provider" foreign:"site-kind"` // public (default) | esi-provider: for fragments of pages alone, clients are refused
	Hosts           []string          `yaml:"hosts" required:"true" check:"host"`                                   // host or host:port; * is one label, ** several; at least one
	PathPrefix      string            `yaml:"path_prefix" default:"/" check:"path-prefix"`                          // default /
	Pages           map[string]string `yaml:"pages" keys:"page" check:"file"`                                       // file by what it is shown for: busy (a queue was full, or the wait in it too long), network (an origin failed: not reached, too slow, or a broken answer), or a status such as "404"; fragment: what stands in a page in the place of fragments that fail, with esi.on_error: default-fragment; paths made absolute
	Session         string            `yaml:"session"`                                                              // name of a session; default: the cluster's
	Headers         SiteHeaders       `yaml:"headers"`                                                              // edits of header fields
	Filters         []Filter          `yaml:"filters"`                                                              // plugins that edit requests, in this order, and responses, in reverse
	Rules           []Rule            `yaml:"rules"`                                                                // of this site, after those of all
	Cache           Cache             `yaml:"cache"`                                                                // what is stored, where that differs from the top level
	ESI             ESI               `yaml:"esi"`                                                                  // how pages are made, where that differs from the top level
	TrustInvalidate bool              `yaml:"trust_invalidate" default:"false"`                                     // of an esi-provider: whether invalidations that stand in its fragments are carried out; default false
}

// SiteHeaders edits header fields of a site's requests and responses.
type SiteHeaders struct {
	Request  HeaderEdit `yaml:"request"`  // before the request goes to an origin
	Response HeaderEdit `yaml:"response"` // before an origin's response goes to the client; the gateway's own answers are not edited
}

// HeaderEdit sets and removes header fields.
type HeaderEdit struct {
	Set    map[string]string `yaml:"set" keys:"header" check:"header-value"` // value by name; replaces what was there
	Remove []string          `yaml:"remove" check:"header"`                  // names
}

// Mapping is an ordered entry from a site to clusters. Log and metrics call it
// by its index, as paths do: 0 is mappings[0].
type Mapping struct {
	Site         string   `yaml:"site"`                                          // required, when there are sites
	Prefix       string   `yaml:"prefix" check:"prefix"`                         // of path, and of the query when it has a "?"; default: everything
	StripPrefix  bool     `yaml:"strip_prefix" default:"false"`                  // take the prefix's path off the target
	Cluster      string   `yaml:"cluster" or:"clusters|applications"`            // a single one; this, clusters or applications is required
	Clusters     []string `yaml:"clusters" or:"cluster|applications"`            // balanced over as one; the first leads: its balancer, queue, retry and session hold. Empty after Load only if there are applications
	Applications []string `yaml:"applications" or:"cluster|clusters"`            // the one that fits best says which clusters; the mapping matches only if one fits
	Failover     []string `yaml:"failover"`                                      // clusters, in order, for when no origin of those before can be used
	Balancer     string   `yaml:"balancer" enum:"@balancers" foreign:"balancer"` // overrides the cluster's
}

// AccessLog says where and how exchanges are recorded.
type AccessLog struct {
	Path   string `yaml:"path" default:"stderr" check:"log"`              // a file, stderr (default) or stdout
	Format string `yaml:"format" default:"json" enum:"json|combined|off"` // json (default) | combined, which has no reason, mapping or origin | off
	OnFull string `yaml:"on_full" default:"drop" enum:"drop|block"`       // drop (default) | block

	// Inputs are what replay must know of a request beyond its line: "header:X-User",
	// "cookie:beta", "query:tz". They are recorded as keyed hashes, and so is what
	// the rules read, once the key is written, even as []. Nil: none is.
	Inputs []string `yaml:"inputs" check:"input"`
	// InputsKey is the key of the hashes, at least 32 characters; default: one is
	// made in state_dir.
	InputsKey Secret `yaml:"inputs_key" check:"secret"`
}
