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
//	default   its value when it is not written, in the form of the file; of a list, its one entry
//	required  "true": it must be written, a list or map with at least one entry
//	enum      the words it may be, separated by "|"; "@" and a name: those of wordLists
//	range     lowest..highest, in the form of the file; either may be left out
//	check     the grammar of its text, or of each text in it: a name in checks
//	keys      the grammar of a map's keys: a name in checks
//	short     "name": an entry of this list may be a bare string instead
//	files     "append": lists of several files are joined; "each": every file may say it
package config

import (
	"net/netip"

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
	// Clusters are the sets of origins that mappings name, by name.
	Clusters map[string]Cluster `yaml:"clusters" required:"true" keys:"name"`
	// Sites are the host names that are served, by name. With none and exactly
	// one cluster, a site "default" with every host is implied.
	Sites map[string]Site `yaml:"sites" keys:"name"`
	// DefaultSite serves requests with no host information; empty: they are refused.
	DefaultSite string `yaml:"default_site"`
	// Mappings tie sites to clusters; the first that matches decides.
	Mappings []Mapping `yaml:"mappings" files:"append"`

	// AccessLog says where and how exchanges are recorded.
	AccessLog AccessLog `yaml:"access_log"`
	// Include names further files by pattern, relative to this one.
	Include []string `yaml:"include" files:"append"`

	places places // where each path was written
}

// Node is this gateway.
type Node struct {
	Name     string `yaml:"name" check:"token"`     // in Via and logs; default: the host name
	StateDir string `yaml:"state_dir" check:"path"` // default $STATE_DIRECTORY, which service managers set, else /var/lib/weirkeep as root, else weirkeep under XDG_STATE_HOME; made absolute
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
	Kind    string `yaml:"kind" default:"app" enum:"app|proxy"` // app (default) | proxy: gets absolute-form, CONNECT for https

	// Scheme, HostPort are the parts of Address, filled in by Load: http or
	// https, and host:port with the scheme's default port.
	Scheme   string `yaml:"-"`
	HostPort string `yaml:"-"`

	shared string // the shared origin that stands for this entry of a cluster
}

// Cluster is a named set of origins.
type Cluster struct {
	Balancer         string        `yaml:"balancer" default:"round-robin" enum:"@balancers"` // which origin is next; default round-robin
	Origins          []Origin      `yaml:"origins" required:"true" short:"name"`             // inline, or the name of a shared one; at least one
	HostHeader       string        `yaml:"host_header" default:"client" check:"authority"`   // client (default) | origin | any other: that name
	TLS              OriginTLS     `yaml:"tls"`                                              // how https origins are verified
	ConnectTimeout   unit.Duration `yaml:"connect_timeout" default:"2s" range:"1ms..5m"`     // default 2s
	FirstByteTimeout unit.Duration `yaml:"first_byte_timeout" default:"60s" range:"1ms..1d"` // default 60s
	BodyIdleTimeout  unit.Duration `yaml:"body_idle_timeout" default:"60s" range:"1ms..1d"`  // default 60s
	KeepAlive        unit.Duration `yaml:"keep_alive" default:"4s" range:"0s..1h"`           // default 4s: longest idle time of a pooled connection; 0s: none is kept
	Upgrades         []string      `yaml:"upgrades" default:"websocket" check:"protocol"`    // protocols that a connection may switch to; default [websocket]
	Retry            Retry         `yaml:"retry"`                                            // when a request may be sent again
}

// OriginTLS says how https origins are verified.
type OriginTLS struct {
	CA         string `yaml:"ca" check:"file"`                // path of PEM authorities; default: the system's
	ServerName string `yaml:"server_name" check:"name-or-ip"` // default: the origin's host
	Verify     *bool  `yaml:"verify" default:"true"`          // default true; never nil after Load
}

// Retry says when a request may be sent again.
type Retry struct {
	Retries *int         `yaml:"retries" default:"1" range:"0..5"` // further attempts, default 1; 0..5; never nil after Load
	Budget  unit.Percent `yaml:"budget" default:"20%"`             // of exchanges that may be tried again, beyond a reserve of 100; default 20%
}

// Site is a set of host names with what holds for them.
type Site struct {
	Hosts      []string          `yaml:"hosts" required:"true" check:"host"`          // host or host:port; * is one label, ** several; at least one
	PathPrefix string            `yaml:"path_prefix" default:"/" check:"path-prefix"` // default /
	Pages      map[string]string `yaml:"pages" keys:"page" check:"file"`              // file by what it is shown for: network (an origin failed: not reached, too slow, or a broken answer), or a status such as "404"; paths made absolute
	Headers    SiteHeaders       `yaml:"headers"`                                     // edits of header fields
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

// Mapping is an ordered entry from a site to a cluster. Log and metrics call it
// by its index, as paths do: 0 is mappings[0].
type Mapping struct {
	Site        string `yaml:"site"`                         // required, when there are sites
	Prefix      string `yaml:"prefix" check:"prefix"`        // of path, and of the query when it has a "?"; default: everything
	StripPrefix bool   `yaml:"strip_prefix" default:"false"` // take the prefix's path off the target
	Cluster     string `yaml:"cluster" required:"true"`      // required
	Balancer    string `yaml:"balancer" enum:"@balancers"`   // overrides the cluster's
}

// AccessLog says where and how exchanges are recorded.
type AccessLog struct {
	Path   string `yaml:"path" default:"stderr" check:"log"`              // a file, stderr (default) or stdout
	Format string `yaml:"format" default:"json" enum:"json|combined|off"` // json (default) | combined, which has no reason, mapping or origin | off
	OnFull string `yaml:"on_full" default:"drop" enum:"drop|block"`       // drop (default) | block
}
