package gateway

import (
	"net"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/session"
)

// Addresses are where the gateway listens, by the listeners' names.
func (g *Gateway) Addresses() map[string]net.Addr {
	g.applying.Lock()
	defer g.applying.Unlock()
	addresses := make(map[string]net.Addr)
	for _, l := range g.listeners {
		addresses[l.options.Load().name] = l.socket.Addr()
	}
	return addresses
}

// Status is what a gateway tells of itself.
type Status struct {
	Ready       bool
	NotReady    string // why, when not ready
	Draining    bool
	Revision    int // successful applies
	Started     time.Time
	Applied     time.Time
	LastRefusal *Refusal // nil: none since the start
	Connections int
	Exchanges   int
	Listeners   []ListenerStatus
	Clusters    []ClusterStatus
	Origins     []OriginStatus
}

// Refusal is a configuration that was refused; the one before it stayed.
type Refusal struct {
	At      time.Time
	Problem string // the first error, with its place
	Errors  int
}

// ListenerStatus is one listener of a [Status].
type ListenerStatus struct {
	Name    string
	Address string // as bound
	TLS     bool
}

// ClusterStatus is one cluster of a [Status].
type ClusterStatus struct {
	Name      string
	Balancer  string
	Waiting   int              // in its queue
	QueueSize int              // how many may wait
	Panicking bool             // too few of its origins are up: those that are out get requests, too
	Discovery *DiscoveryStatus // nil: its origins are written
}

// DiscoveryStatus is how the looking for a cluster's origins goes.
type DiscoveryStatus struct {
	Source       string    // where: dns NAME …, or file PATH
	Origins      int       // of the last good answer
	Leaving      int       // that are found no more, and have sessions or exchanges yet
	LeftOut      int       // SRV records that have a higher priority number
	Found        time.Time // when the last good answer came; zero: before the start, or never
	Problem      string    // why the last look failed; empty: it did not
	ProblemSince time.Time // when looks began to fail
	Looks        uint64    // since it is looked there
	Failures     uint64    // of those
	Changes      uint64    // answers that were other than the one before
}

// OriginStatus is one origin of a cluster of a [Status]. What belongs to the
// address is the same in every cluster that names it.
type OriginStatus struct {
	Cluster, Name, Address string
	Cell                   string      // of the cluster
	Found                  string      // where: dns NAME …, or file PATH; empty: it is written
	State                  string      // what it may be sent: serving, draining, maintenance, disabled
	StateBy                string      // who says so: configuration, discovery, servers, rollout, operator
	Configured             string      // the state in the configuration; empty: it is not there
	StateSet               Set[string] // what an operator has set
	WeightSet              Set[int]
	Health                 string // up, down, ejected
	Up                     bool
	Checked                bool  // by health checks or pings; else only traffic finds out
	Load, Capacity         int64 // slots: taken, and all
	Learned                bool  // the capacity is what the gateway has found that it can take
	Waiting                int64 // exchanges that would take one
	Tunnels                int64 // upgraded connections, open
	InFlight               int64 // exchanges and tunnels
	Sessions               int   // bound to it, of every definition
	Uncounted              []Uncounted
	Idle                   int    // pooled connections
	Weight                 *int   // by which its cluster's balancer goes: its host's or its own; nil: by none
	MetricFrom             string // what the metric is: where it was found, initial, or default
	Metric                 *int   // how busy its cluster's collector finds it: 0 busy, 100 idle; nil: it has none
	Attempts, Failures     uint64
	Since                  time.Time // of the last change of health; zero: up since it was named
	LastError              string    // of the last failed attempt, whichever cluster made it
	LastErrorAt            time.Time // zero: none ever failed
	Transitions            []origin.Transition
}

// Uncounted are sessions of an origin that nobody counts: there may be any number.
type Uncounted struct {
	Session string    // the definition
	Binding string    // learned, passive or gateway-cookie
	Until   time.Time // of learned ones, which those of before may be unknown; zero: for ever
}

// Status tells how the gateway is.
func (g *Gateway) Status() Status {
	g.applying.Lock()
	defer g.applying.Unlock()
	s := Status{Started: g.started, Draining: g.closing.Load(), LastRefusal: g.refused}
	s.Connections, s.Exchanges = g.openConns()
	if g.applied == nil {
		s.NotReady = "no configuration was applied"
		return s
	}
	s.Revision, s.Applied = g.applied.revision, g.applied.at
	for _, l := range g.listeners {
		o := l.options.Load()
		s.Listeners = append(s.Listeners, ListenerStatus{o.name, l.socket.Addr().String(), o.secure()})
	}
	slices.SortFunc(s.Listeners, func(a, b ListenerStatus) int { return strings.Compare(a.Name, b.Name) })
	g.current.Load().describe(&s, g.applied.served, g.now(time.Now()))
	g.addWords(s.Origins)
	g.describeFound(&s)
	s.NotReady = s.whyNotReady()
	s.Ready = s.NotReady == ""
	return s
}

// whyNotReady is why no client should be sent here. Origins count only if they
// are checked: whether another is back only traffic finds out.
func (s *Status) whyNotReady() string {
	if s.Draining {
		return "draining"
	}
	for _, o := range s.Origins {
		if o.Up || !o.Checked {
			return ""
		}
	}
	return "no origin is up"
}

// describe adds what the snapshot's clusters are like.
func (snap *snapshot) describe(s *Status, cfg *config.Config, now time.Time) {
	sessions := snap.countSessions(now)
	for _, cl := range snap.clusters {
		s.Clusters = append(s.Clusters, ClusterStatus{
			Name: cl.name, Balancer: cfg.Clusters[cl.name].Balancer,
			Waiting: cl.queue.Waiting(), QueueSize: cl.queue.Size(), Panicking: cl.panics(),
		})
		for _, m := range cl.members {
			o := m.status()
			o.Weight = m.weight(balance.UsesOf(cfg.Clusters[cl.name].Balancer) &^ balance.UsesMetric)
			o.Sessions = sessions[m.bound]
			s.Origins = append(s.Origins, o)
		}
	}
}

// countSessions counts the bound sessions by the name of their origin.
func (snap *snapshot) countSessions(now time.Time) map[string]int {
	all := make(map[string]int)
	for _, p := range snap.sessions {
		p.bindings.Expire(now)
		for name, n := range p.bindings.Count() {
			all[name] += n
		}
	}
	return all
}

// addWords adds to origins, which are those of the current snapshot, who wants what of
// them, and which of their sessions nobody counts.
func (g *Gateway) addWords(all []OriginStatus) {
	snap := g.current.Load()
	stand, written, uncounted := standings(g.applied.served, g.present.settings), byAddress(g.applied.config), g.uncounted(snap)
	i := 0
	for _, cl := range snap.clusters {
		for _, m := range cl.members {
			o, s := &all[i], stand[m.address]
			o.StateBy, o.StateSet, o.WeightSet = s.By, s.Set, s.WeightSet
			o.Configured, o.Uncounted = written[m.address].State, uncounted[m.bound]
			i++
		}
	}
}

// uncounted are the sessions that nobody counts, by the name that they have for their
// origin.
func (g *Gateway) uncounted(snap *snapshot) map[string][]Uncounted {
	all := make(map[string][]Uncounted)
	for _, p := range snap.sessions {
		if g.counts(p) {
			continue
		}
		u := Uncounted{Session: p.definition.Name, Binding: g.applied.config.Sessions[p.definition.Name].Binding}
		if p.definition.Binding == session.Learned {
			u.Until = g.started.Add(p.bindings.IdleTimeout())
		}
		for home := range p.homes {
			all[home] = append(all[home], u)
		}
	}
	for _, us := range all {
		slices.SortFunc(us, func(a, b Uncounted) int { return strings.Compare(a.Session, b.Session) })
	}
	return all
}

func (m *member) status() OriginStatus {
	o, slots := m.state.origin, m.state.slots
	s := OriginStatus{
		Cluster: m.cluster.name, Name: m.name, Address: o.Address, Cell: m.cluster.cell, InFlight: m.inFlight(),
		State: m.state.state().String(), Health: o.Health().String(), Up: o.Health() == origin.Up, Checked: m.checked,
		Load: slots.Load(), Capacity: slots.Capacity(), Learned: m.state.learns(), Waiting: slots.Waiting(), Tunnels: m.state.tunnels.Load(),
		Idle: m.pool.Idle(), Attempts: m.metrics.Attempts.Load(),
		Since: o.Since(), Transitions: o.Transitions(),
	}
	for i := range m.metrics.Failures {
		s.Failures += m.metrics.Failures[i].Load()
	}
	if m.tally != nil {
		s.Metric, s.MetricFrom = new(int(m.metric())), m.tally.whence()
	}
	if f := o.LastFailure(); f != nil {
		s.LastError, s.LastErrorAt = f.Why(), f.At
	}
	return s
}
