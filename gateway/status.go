package gateway

import (
	"net"
	"slices"
	"strings"
	"time"
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

// OriginStatus is one origin of a cluster of a [Status].
type OriginStatus struct {
	Cluster, Name, Address string
	Up                     bool
	InFlight, Idle         int
	Attempts, Failures     uint64
	Since                  time.Time // when it went down or came up; zero: up since it was named
	LastError              string    // of the last failed attempt, whichever cluster made it
	LastErrorAt            time.Time // zero: none ever failed
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
	s.Origins = g.originStatus()
	s.NotReady = s.whyNotReady()
	s.Ready = s.NotReady == ""
	return s
}

func (s *Status) whyNotReady() string {
	if s.Draining {
		return "draining"
	}
	return ""
}

func (g *Gateway) originStatus() (all []OriginStatus) {
	for _, cl := range g.current.Load().clusters {
		for _, m := range cl.members {
			all = append(all, cl.status(m))
		}
	}
	return all
}

func (cl *cluster) status(m *member) OriginStatus {
	o := m.pool.Origin()
	s := OriginStatus{
		Cluster: cl.name, Name: m.name, Address: o.Address, Up: o.Up(),
		InFlight: o.InFlight(), Idle: m.pool.Idle(),
		Attempts: m.metrics.Attempts.Load(), Since: o.Since(),
	}
	for i := range m.metrics.Failures {
		s.Failures += m.metrics.Failures[i].Load()
	}
	if f := o.LastFailure(); f != nil {
		s.LastError, s.LastErrorAt = f.Err.Error(), f.At
	}
	return s
}
