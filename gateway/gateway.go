// Package gateway is weirkeep as a library: an HTTP gateway that is given a
// configuration, serves it, and is given the next one while it runs.
//
// [New] makes a gateway that serves nothing; [Gateway.Apply] makes a
// configuration current, or leaves everything as it was; [Gateway.Drain] ends
// it without cutting anybody off. A request's way through is in serve.go: each
// step of it is a room, a file of its own.
//
// The package knows nothing of command lines, files on disk (but for those that
// a configuration names) and signals, and it has no HTTP API of its own:
// package admin shows what [Gateway.Status] and [Gateway.Metrics] tell.
package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/cache/tier"
	"weirkeep/gateway/memfile"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/popular"
	"weirkeep/gateway/provider"
)

// Options are what a gateway needs besides its configuration. The zero value
// is a gateway of production.
type Options struct {
	// Now is the one seam for time: freshness, dates and decisions go by it.
	// Deadlines and durations go by the machine's clock. Nil: time.Now.
	Now func() time.Time

	// Dial opens connections to origins. Nil: a net.Dialer's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Listen opens the socket of a listener, at its address as configured. What
	// it returns must be a TCP listener: the seam for sockets that another
	// process opened. If it, or what it returns without an error, is nil, the
	// gateway opens a socket of its own.
	Listen func(address string) (net.Listener, error)

	// Bindings is what [Gateway.WriteBindings] wrote at the gateway whose place
	// this one takes. The first configuration that is applied has these sessions
	// from the beginning; but not those of a definition or of an origin that it
	// has not. What cannot be read costs the bindings and a line of the log.
	// Nil: there was no gateway before.
	Bindings io.Reader

	// Engines makes what runs plugins. Nil: OnlyWazero.
	Engines Engines

	// Logger is told what happens outside of exchanges. Nil: nobody is.
	Logger *slog.Logger

	// Stderr and Stdout are where the access log goes for these words.
	// Nil: the process's own.
	Stderr, Stdout io.Writer

	// diskFS is what stored answers are kept in. Nil: the machine's file system.
	diskFS disk.FS
}

// Gateway serves the configuration that was applied last.
type Gateway struct {
	opts     Options
	log      *slog.Logger
	metrics  *metrics.Registry
	registry *registry
	ids      *requestIDs
	dates    dateCache
	places   *places
	cache    *store.Cache
	unstored *popular.Counts // of requests to sites with a cache
	tier     *tier.Tier      // behind it

	fills     sync.WaitGroup // answers that are being stored, or fetched without a client
	refreshes atomic.Int64   // of the latter
	encodings atomic.Int64   // bodies that are being encoded
	removals  atomic.Int64   // of what was invalidated, that are due later

	current  atomic.Pointer[snapshot]
	access   atomic.Pointer[accessLog]
	draining atomic.Bool // idle connections end
	closing  atomic.Bool // answers say Connection: close
	cut      atomic.Bool // what is left of exchanges is being cut

	surveying sync.Mutex
	panicking map[string]bool    // clusters that are known to panic, of surveying
	applying  sync.Mutex         // one Apply, Drain or Close at a time
	applied   *applied           // nil before the first
	refused   *Refusal           // nil: no configuration was refused
	present   present            // what holds over the configuration
	stopSteps context.CancelFunc // of roll-outs; nil: none runs
	listeners map[string]*listener
	loops     sync.WaitGroup // accept loops
	watcher   *certWatcher
	discovery *discovery
	started   time.Time

	knowsSessions bool // those of the gateway before were taken over

	mu        sync.Mutex // connections; never held across a call
	conns     map[*h1Conn]struct{}
	ended     bool // they are all cut, whenever they come
	perClient map[clientKey]int
	clientMax atomic.Int64
	pipes     *serverH1        // for ServeConn
	exchanges sync.Pool        // of *h1Exchange: its own, for their channels may belong to a bubble of testing/synctest
	parts     sync.Pool        // of *fragments: the same
	fetching  atomic.Int64     // fragments that are under way
	providers *provider.Client // for those of hosts that no site has
}

// New makes a gateway that serves nothing yet.
func New(o Options) *Gateway {
	g := &Gateway{
		opts:      o,
		log:       o.Logger,
		metrics:   metrics.New(refusalReasons()),
		ids:       newRequestIDs(),
		places:    newPlaces(),
		tier:      tier.New(),
		listeners: make(map[string]*listener),
		conns:     make(map[*h1Conn]struct{}),
		perClient: make(map[clientKey]int),
		started:   time.Now(),
		exchanges: sync.Pool{New: newH1Exchange},
		providers: provider.New(provider.Options{MaxBytes: mostOfProvider}),
	}
	g.metrics.ESI = esiNames()
	g.unstored = popular.New()
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	g.cache = store.New(store.Options{Now: o.Now, Behind: g.tier, File: sync.OnceValue(g.memory)})
	dial := o.Dial
	if dial == nil {
		dial = dialTCP
	}
	g.registry = newRegistry(dial, g.log)
	g.registry.serves, g.registry.fetch = true, g.fetch
	if o.Engines != nil {
		g.registry.engines = o.Engines
	}
	g.panicking = make(map[string]bool)
	g.registry.told = func() {
		go func() {
			g.hearServers()
			g.survey()
		}()
	}
	g.metrics.Gauge, g.metrics.Guests = g.gauge, g.guestMetrics
	g.watcher = newCertWatcher(g.log)
	g.discovery = newDiscovery(g)
	return g
}

// memory is where long bodies are kept; nil: on the heap.
func (g *Gateway) memory() *memfile.File {
	f, err := memfile.New()
	if err != nil {
		g.log.Info("long answers are stored where each is copied to be sent", slog.Any("error", err))
		return nil
	}
	return f
}

func dialTCP(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err == nil {
		setKeepAlive(c)
	}
	return c, err
}

// now is the time of an exchange that began at start by the machine's clock.
func (g *Gateway) now(start time.Time) time.Time {
	if g.opts.Now != nil {
		return g.opts.Now()
	}
	return start
}

// errNotServing is what ServeConn answers before the first Apply and once the
// gateway is ending.
var errNotServing = errors.New("gateway: not serving")

// ServeConn serves one connection, as if a plain listener had accepted it, until
// it ends. A configuration must have been applied.
func (g *Gateway) ServeConn(c net.Conn) error {
	g.applying.Lock()
	server, closing := g.pipes, g.closing.Load()
	g.applying.Unlock()
	if server == nil || closing {
		return errNotServing
	}
	err := server.serveConn(g.dress(c, pipeOptions))
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pipeOptions are of connections that no listener accepted.
var pipeOptions = &listenerOptions{name: "pipe", metrics: new(metrics.Listener)}

// Metrics returns the counters of this gateway.
func (g *Gateway) Metrics() *metrics.Registry { return g.metrics }

// gauge brings up to date what is only known when it is asked for.
func (g *Gateway) gauge() {
	s := g.current.Load()
	if s == nil {
		return
	}
	g.watcher.measure(g.now(time.Now()))
	g.measureStore(s)
	finders := g.discovery.all()
	for _, cl := range s.clusters {
		cl.measure()
		finders[cl.name].measure(cl.metrics)
	}
	for _, a := range s.attachments {
		a.measure()
	}
	for _, p := range s.sessions {
		p.bindings.Expire(g.now(time.Now()))
		p.metrics.Entries.Set(int64(p.bindings.Len()))
		p.metrics.Evicted.Set(int64(p.bindings.Evicted()))
	}
}

// measureStore sets the gauges of what is stored.
func (g *Gateway) measureStore(s *snapshot) {
	m, now := &g.metrics.Store, g.cache.Stats()
	m.Objects.Set(int64(now.Objects))
	m.Filling.Set(int64(now.Filling))
	m.Bytes.Set(now.Bytes)
	m.Limit.Set(s.stored.Memory)
	m.Flights.Set(now.Flights)
	m.Evictions.Set(now.Evictions)
	m.Rejected.Set(now.Rejected)
	g.measureDisk()
}

// measure sets the gauges of the cluster and its members.
func (cl *cluster) measure() {
	cl.metrics.Waiting.Set(int64(cl.queue.Waiting()))
	cl.metrics.Panics.Set(boolGauge(cl.panics()))
	for _, m := range cl.members {
		s := m.state
		m.metrics.Up.Set(boolGauge(s.origin.Health() == origin.Up))
		m.metrics.State.Set(int64(s.state()))
		m.metrics.Operated.Set(boolGauge(m.stateBy == byOperator))
		m.metrics.Load.Set(s.slots.Load())
		m.metrics.Capacity.Set(s.slots.Capacity())
		m.metrics.Learned.Set(boolGauge(s.learns()))
		m.metrics.Waiting.Set(s.slots.Waiting())
		m.metrics.Tunnels.Set(s.tunnels.Load())
		m.metrics.Changes.Set(s.changes.Load())
		m.metrics.Idle.Set(int64(m.pool.Idle()))
		m.metrics.Sampled.Set(boolGauge(m.tally != nil))
		m.metrics.Metric.Set(int64(m.metric()))
	}
}

func boolGauge(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
