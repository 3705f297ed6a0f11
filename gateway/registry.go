package gateway

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/admission"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/capacity"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/session"
	"weirkeep/plugins"
)

// registry holds what outlives snapshots: the states of origins, by address;
// their pools, by all that shapes a connection; queues, by cluster; the turns of
// balancers, by group; what changes of their members, by cluster and address; bindings, by session; plugins, by module and configuration, and
// their attachments, by place. Each snapshot names what it uses;
// what the last one that named it has let go is closed. Health checks and samplers
// belong to the current configuration alone.
type registry struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	log     *slog.Logger // told of origins that go out and come back
	engines Engines
	serves  bool          // it is of a gateway, not of a mere check: guests tick and call out, and their native code is kept
	fetch   plugins.Fetch // makes the http calls of guests, where it serves
	told    func()        // called when an origin tells other than before; nil: nobody is
	lobby   admission.Lobby

	mu        sync.Mutex
	states    shelf[string, *originState]
	pools     shelf[poolKey, *origin.Pool]
	queues    shelf[string, *admission.Queue]
	balancers shelf[string, balance.Balancer]
	lives     shelf[string, *balance.Live]
	bindings  shelf[string, *session.Table]
	checks    map[checkKey]*origin.Check

	house       *plugins.House // nil: no configuration has had plugins
	plugins     shelf[string, *plugins.Plugin]
	attachments shelf[string, *plugins.Attachment]
	tables      map[string]generation // of cluster tables, by cluster
	tallies     shelf[string, *tally]

	sampling sync.Mutex // held to start and stop samplers
	samplers map[string]*sampler
	stock    map[stockKey]*stockSampler
}

// generation is how often a cluster table has changed.
type generation struct {
	text string // of the table
	n    uint32
}

// generationOf is the generation of a table: one more whenever it is another one than
// before.
func (r *registry) generationOf(cluster string, t *abi.ClusterTable) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.tables[cluster]
	if text := fmt.Sprintf("%+v", *t); text != g.text {
		g = generation{text, g.n + 1}
		r.tables[cluster] = g
	}
	return g.n
}

// poolKey is all that makes the connections of two pools different.
type poolKey struct {
	address, scheme    string
	proxy              bool
	ca, serverName     string
	verify             bool
	connect, keepAlive time.Duration
}

func newRegistry(dial func(ctx context.Context, network, address string) (net.Conn, error), log *slog.Logger) *registry {
	return &registry{
		dial: dial, log: log,
		states:    make(shelf[string, *originState]),
		pools:     make(shelf[poolKey, *origin.Pool]),
		queues:    make(shelf[string, *admission.Queue]),
		balancers: make(shelf[string, balance.Balancer]),
		lives:     make(shelf[string, *balance.Live]),
		bindings:  make(shelf[string, *session.Table]),
		checks:    make(map[checkKey]*origin.Check),

		engines:     OnlyWazero,
		plugins:     make(shelf[string, *plugins.Plugin]),
		attachments: make(shelf[string, *plugins.Attachment]),
		tables:      make(map[string]generation),
		tallies:     make(shelf[string, *tally]),
		samplers:    make(map[string]*sampler),
		stock:       make(map[stockKey]*stockSampler),
	}
}

// uses is what one snapshot has named, what must be told to things that were
// there before, once the snapshot is current, and the checks that it wants.
type uses struct {
	r      *registry
	letGo  []func()
	open   []func() // to be told just before that
	tell   []func()
	checks map[checkKey]func() *origin.Check

	samplers map[string]func() *sampler // that it wants
	stock    map[stockKey]func() *stockSampler

	fresh     map[*originState]bool // that nobody has named before
	newcomers map[*originState]func(context.Context)
}

func newUses(r *registry) *uses {
	return &uses{
		r: r, checks: make(map[checkKey]func() *origin.Check),
		samplers: make(map[string]func() *sampler), stock: make(map[stockKey]func() *stockSampler),
		fresh: make(map[*originState]bool), newcomers: make(map[*originState]func(context.Context)),
	}
}

// use takes a thing of a shelf until the snapshot lets it go.
func use[K comparable, V any](u *uses, s shelf[K, V], key K, make func() V, closed func(V)) V {
	u.r.mu.Lock()
	defer u.r.mu.Unlock()
	u.letGo = append(u.letGo, func() {
		u.r.mu.Lock()
		thing, last := s.drop(key)
		u.r.mu.Unlock()
		if last && closed != nil {
			closed(thing)
		}
	})
	return s.take(key, make)
}

// state returns the state of the origin at an address, which is spoken to in a
// scheme. Capacity and admin state are what it gets when the snapshot is
// current; one that is new has them at once.
func (u *uses) state(scheme, address, name string, b capacity.Bounds, a adminState) *originState {
	s := use(u, u.r.states, scheme+"://"+address, func() *originState {
		s := u.r.newState(address, name, b, a)
		u.fresh[s] = true
		return s
	}, nil)
	u.open = append(u.open, func() { s.open(a) })
	u.tell = append(u.tell, func() { s.settle(name, b, a) })
	return s
}

func (r *registry) newState(address, name string, b capacity.Bounds, a adminState) *originState {
	s := &originState{slots: r.lobby.NewSlots(b.Least)}
	s.origin = &origin.Origin{Address: address, OnChange: func(_ *origin.Origin, t origin.Transition) { r.changed(s, t) }, OnTold: r.heard}
	s.tellCapacity, s.capacityTold = func(was, is int) bool { return r.capacityChanged(s, was, is) }, time.Now()
	s.settle(name, b, a)
	s.warmth.Begin(time.Now())
	return s
}

// heard is called when an origin tells other than before.
func (r *registry) heard(*origin.Origin) {
	if r.told != nil {
		r.told()
	}
}

// pool returns the pool for key; TLS is used if the pool is new and the key
// asks for it.
func (u *uses) pool(key poolKey, o *origin.Origin, secure *tls.Config) *origin.Pool {
	return use(u, u.r.pools, key, func() *origin.Pool { return u.r.newPool(key, o, secure) }, (*origin.Pool).Close)
}

func (r *registry) newPool(key poolKey, o *origin.Origin, secure *tls.Config) *origin.Pool {
	options := origin.PoolOptions{
		Origin: o, Proxy: key.proxy, ProxyTLS: secure,
		ConnectTimeout: key.connect, KeepAlive: key.keepAlive, Dial: r.dial,
	}
	if key.scheme == "https" {
		options.TLS = secure.Clone()
		if options.TLS.ServerName == "" {
			options.TLS.ServerName, _, _ = net.SplitHostPort(key.address)
		}
	}
	return origin.NewPool(options)
}

// queue returns the queue of a cluster, which gets its bounds when the snapshot
// is current.
func (u *uses) queue(cluster string, o admission.Options) *admission.Queue {
	q := use(u, u.r.queues, cluster, func() *admission.Queue { return u.r.lobby.NewQueue(o) }, nil)
	u.tell = append(u.tell, func() { q.SetOptions(o) })
	return q
}

// balancer returns the balancer for key, which says all that makes two of them
// different.
func (u *uses) balancer(key string, b balance.Balancer) balance.Balancer {
	return use(u, u.r.balancers, key, func() balance.Balancer { return b }, nil)
}

// live returns what balancers know of one origin of one cluster that changes.
func (u *uses) live(key string) *balance.Live {
	return use(u, u.r.lives, key, func() *balance.Live { return new(balance.Live) }, nil)
}

// bound returns the bindings of a session, which get their bounds when the
// snapshot is current.
func (u *uses) bound(name string, o session.Options) *session.Table {
	t := use(u, u.r.bindings, name, func() *session.Table { return session.New(o) }, nil)
	u.tell = append(u.tell, func() { t.SetOptions(o) })
	return t
}

// welcome opens the origins that the snapshot opens. It is called just before the
// snapshot is current, so that nobody ever finds those of before shut already and
// those of now shut still.
func (u *uses) welcome() {
	for _, open := range u.open {
		open()
	}
	u.open = nil
}

// settle makes what the snapshot says true for what outlives it. It is called
// once, when the snapshot is current.
func (u *uses) settle() {
	for _, tell := range u.tell {
		tell()
	}
	u.tell = nil
	u.r.watch(u.checks)
	u.r.tellBalancers(append(u.r.sample(u.samplers), u.r.sampleStock(u.stock)...))
}

// release lets go what the snapshot has named, the last first: a pool goes before
// the state of its origin, or who takes both in between would get a pool that
// speaks to another state than its own.
func (u *uses) release() {
	for _, letGo := range slices.Backward(u.letGo) {
		letGo()
	}
	u.letGo = nil
}
