package gateway

import (
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gaissmai/bart"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
	"weirkeep/gateway/unit"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
	"weirkeep/rules"
)

// snapshot is one validated configuration, compiled. Nothing in it changes once
// it is current; what lives longer (connections, states of origins, counters)
// it only points to. Each exchange holds the snapshot it began with.
type snapshot struct {
	table    *route.Table
	sites    []site
	mappings []mapping
	clusters []*cluster
	origins  []*originState // by identity: each address once
	groups   []*group       // as the table counts them
	orders   [][]*group     // the same
	inputs   *inputs        // what the access log records of a request; nil: no more than its first line
	actions  []*ruleAction  // of rules, as the table counts them
	sessions map[*session.Definition]*sessionPolicy
	unmapped *metrics.Mapping // of what no mapping took

	applications [][]byte // names, as the table counts them
	plugins      map[string]*plugins.Plugin
	attachments  []attached
	outlets      map[string]*group     // of clusters that plugins may call, by name
	matchers     []*plugins.Attachment // as rules count them

	heads       wire.Rules
	bodyBytes   int64
	headerBytes int64
	trusted     *bart.Lite
	times       times
	via         [2][]byte // value of Via by the minor version of what is passed on
	device      string    // name of this node among surrogates; empty: no site has ESI
	httpsPort   int       // of the first TLS listener, for redirects; 0: none

	stored store.Options     // what is kept of answers; the zero value: no site has a cache
	disk   *config.CacheDisk // where else; nil: nowhere
	names  rules.Options     // what expressions may name

	log *slog.Logger // told of rules that cannot be evaluated

	users   atomic.Int64 // exchanges, and one for being current
	retire  func()       // called once, when the last user has gone
	retired sync.Once
	dates   *dateCache
}

// times bound what a client may take.
type times struct {
	head, bodyIdle, keepAlive time.Duration
	minBodyRate               int64 // bytes a second
}

// site is what holds for a set of host names.
type site struct {
	name     string
	shown    []byte // the same, for plugins
	request  edits
	response edits
	filters  []filter // of stage deliver
	toStore  storeFilters
	cache    *siteCache // nil: nothing is stored
	esi      *siteESI   // nil: no answer is a template
	provider bool       // it is for fragments alone: no client is answered
	pages    map[Reason]page
	statuses map[int]page // for the statuses that rules choose
	fragment []byte       // what stands in a page in the place of fragments that have failed
}

// mapping ties a site to the origins that serve it.
type mapping struct {
	name    string // as shown in logs and metrics
	shown   []byte // the same, for plugins
	site    *site
	session *sessionPolicy // nil: none
	metrics *metrics.Mapping
}

// cluster is a set of origins with what holds for going to them.
type cluster struct {
	name         string
	cell, short  string // the parts of its name
	path         []byte // cell/cluster, for plugins
	members      []*member
	hostHeader   []byte // nil: the client's or the origin's
	hostOrigin   bool
	timeouts     origin.Timeouts
	policy       origin.Policy // what counts against an origin
	maxEjected   unit.Percent  // of its origins, so many may be out when one is ejected
	panicBelow   unit.Percent  // of its origins, so many are up at least, or those that are out get requests
	countTunnels bool          // tunnels keep their slot

	// These hold where the cluster leads a group.
	queue     *admission.Queue
	router    *router       // nil: none chooses its origins
	overflows bool          // what the queue cannot hold goes on to the next group
	comeback  time.Duration // when an origin that is out is looked at again
	retry     retryPolicy
	budget    *retryBudget
	upgrades  []string // lower case
	metrics   *metrics.Cluster
}

// member is an origin as one cluster sees it.
type member struct {
	name     string
	bound    string // the name by which sessions are bound to it
	address  string // with its scheme: what makes it the same wherever it is named
	identity int    // index into snapshot.origins
	host     []byte // Host when it is the origin's
	proxy    bool
	stateBy  string // who closes it further than the configuration; empty: nobody
	location []byte // where clients are sent instead of requests, less the target; nil: nowhere
	checked  bool   // by a health check or pings: requests do not try it out
	cluster  *cluster
	state    *originState
	pool     *origin.Pool
	metrics  *metrics.Origin
	tally    *tally // nil: the cluster has no collector
	balanced balance.Member
	timed    bool // a balancer goes by how long its answers take
}

func (c *cluster) allowsUpgrade(asked []byte) bool {
	for _, protocol := range c.upgrades {
		if wire.EqualFold(asked, protocol) {
			return true
		}
	}
	return false
}

func (s *snapshot) trusts(a netip.Addr) bool { return s.trusted.Contains(a) }

// date is the value of Date for now; it is rendered once a second.
func (s *snapshot) date(now time.Time) []byte { return s.dates.at(now) }

// acquire returns the current snapshot and keeps it from being retired until
// it is released.
func (g *Gateway) acquire() *snapshot {
	for {
		s := g.current.Load()
		s.users.Add(1)
		if g.current.Load() == s {
			return s
		}
		s.release() // it was replaced in between
	}
}

func (s *snapshot) release() {
	if s.users.Add(-1) == 0 && s.retire != nil {
		s.retired.Do(s.retire) // one who came late may have counted up again
	}
}

// dateCache renders a time as HTTP writes it, at most once a second.
type dateCache struct{ last atomic.Pointer[rendered] }

type rendered struct {
	second int64
	text   []byte
}

func (d *dateCache) at(now time.Time) []byte {
	second := now.Unix()
	if r := d.last.Load(); r != nil && r.second == second {
		return r.text
	}
	r := &rendered{second, now.UTC().AppendFormat(nil, "Mon, 02 Jan 2006 15:04:05 GMT")}
	d.last.Store(r)
	return r.text
}
