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
	Connections int
	Exchanges   int
	Listeners   []ListenerStatus
	Origins     []OriginStatus
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
}

// Status tells how the gateway is.
func (g *Gateway) Status() Status {
	g.applying.Lock()
	defer g.applying.Unlock()
	s := Status{Started: g.started, Draining: g.closing.Load()}
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
			o := m.pool.Origin()
			var failures uint64
			for i := range m.metrics.Failures {
				failures += m.metrics.Failures[i].Load()
			}
			all = append(all, OriginStatus{
				Cluster: cl.name, Name: m.name, Address: o.Address, Up: o.Up(),
				InFlight: o.InFlight(), Idle: m.pool.Idle(),
				Attempts: m.metrics.Attempts.Load(), Failures: failures,
			})
		}
	}
	return all
}
