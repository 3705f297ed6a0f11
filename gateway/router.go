package gateway

import (
	"strings"

	"weirkeep/abi"
	"weirkeep/gateway/admission"
	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
	"weirkeep/plugins"
)

// router is a plugin that chooses the origins of a cluster's requests.
type router struct {
	attachment *plugins.Attachment
	members    []*member // of the cluster table, by position
	generation uint32
	rejects    bool // a request is refused when the router gives no list; else it is balanced
	queues     bool // an origin of the list that is full is waited for; else the next one is tried
	stored     routerCache
	onlyListed bool // a request is refused when no origin of the list can take it; else it is balanced
}

// admitRouted takes a slot at one of the origins that the router of the group's
// cluster lists, in its order. It is not settled where there is none, or where
// the balancer decides after all. A router is asked once per exchange; its list serves
// every attempt.
func (x *Exchange) admitRouted() (reason Reason, settled bool) {
	r := x.group.lead.router
	if r == nil || x.atHand() {
		return Served, false
	}
	if x.routed == nil {
		x.routed = x.group
		if reason := x.askRouter(r); reason != Served {
			return reason, true
		}
	}
	if x.routed != x.group || !x.listed {
		return Served, false
	}
	return x.followList(r)
}

// atHand reports whether an origin on this node's own host takes the request, whatever
// else would choose (M-COLO-02).
func (x *Exchange) atHand() bool {
	g := x.group
	if g.locality != collocated {
		return false
	}
	for i, far := range g.prefer.Far {
		if far == sameHost && g.opens(i) && !x.seeker.Tried(i) {
			return true
		}
	}
	return false
}

// askRouter asks the router for its list.
func (x *Exchange) askRouter(r *router) Reason {
	w, p := x.work(), r.attachment.Plugin()
	if reason := x.holdBody(p); reason != Served {
		return reason
	}
	v := w.show(p.Needs())
	w.showRequestBody(p)
	v.Generation = r.generation
	if p.Needs().Shows(plugins.NeedOrigins) {
		v.Origins = w.showOrigins(r, v.Origins)
	}
	list, listed, failure := r.attachment.Route(v, w, w, w.list[:0])
	w.list, x.listed = list, listed
	if failure != nil && r.rejects {
		x.cause = failure
		return PluginFailed
	}
	return Served
}

// Permits implements plugins.Permits: the position is one of the group's.
func (w *pluginWork) Permits(position uint16) bool {
	g := w.exchange.group
	_, in := g.index[g.lead.router.members[position].identity]
	return in
}

// showOrigins are the entries of the origins, by position.
func (w *pluginWork) showOrigins(r *router, dst []abi.Origin) []abi.Origin {
	x := w.exchange
	for _, m := range r.members {
		s := m.state
		o := abi.Origin{
			Health: healths[s.origin.Health()], State: states[s.state()], Metric: m.metric(),
			InFlight: upTo16(s.slots.Load()), Capacity: upTo16(s.slots.Capacity()),
		}
		if s.slots.Load() >= s.slots.Capacity() {
			o.Flags |= abi.OriginFull
		}
		if i, in := x.group.index[m.identity]; in {
			o.Flags |= x.entryFlags(i)
		}
		dst = append(dst, o)
	}
	w.origins = dst
	return dst
}

// entryFlags are those of an origin of the group.
func (x *Exchange) entryFlags(i int) uint8 {
	tried := i < 64 && x.seeker.Barred&(1<<i) != 0
	switch {
	case tried:
		return abi.OriginPermitted | abi.OriginTried
	case x.group.opens(i):
		return abi.OriginPermitted | abi.OriginUsable
	}
	return abi.OriginPermitted
}

// opens reports whether origin i of the group takes who is new.
func (g *group) opens(i int) bool {
	m := g.members[i]
	if m.state.origin.Health() != origin.Up {
		return m.state.state() == serving && g.panics()
	}
	return g.letsIn(m)
}

var (
	healths = [...]uint8{origin.Up: abi.HealthUp, origin.Down: abi.HealthDown, origin.Ejected: abi.HealthEjected}
	states  = [...]uint8{serving: abi.StateServing, draining: abi.StateDraining, maintenance: abi.StateMaintenance, disabled: abi.StateDisabled}
)

func upTo16(n int64) uint16 { return uint16(min(max(n, 0), 1<<16-1)) }

// followList goes down the list. If nobody of the group is in service there is nothing
// to choose, and the request goes where such requests go.
func (x *Exchange) followList(r *router) (reason Reason, settled bool) {
	waits, taken := x.takeListed(r)
	if taken {
		return Served, true
	}
	if waits >= 0 && r.queues {
		return x.waitFor(waits)
	}
	if !r.onlyListed || !x.anyOpen() {
		return Served, false
	}
	return RouterExhausted, true
}

// takeListed takes a slot at the first origin of the list that has one now. Without,
// waits is the first one that is full; -1: none is.
func (x *Exchange) takeListed(r *router) (waits int, taken bool) {
	waits = -1
	for _, p := range x.plug.list {
		i := x.group.index[r.members[p].identity]
		if x.seeker.Tried(i) || !x.group.opens(i) {
			continue
		}
		s := x.seek()
		s.Only = i
		if s.Take(x.group.balancer) == i {
			x.take(i)
			return -1, true
		}
		if waits < 0 {
			waits = i
		}
		if r.queues {
			break
		}
	}
	return waits, false
}

// waitFor waits for a slot at origin i.
func (x *Exchange) waitFor(i int) (Reason, bool) {
	s := x.seek()
	s.Only = i
	if got, err := x.line(); err == nil {
		return x.take(got), true
	} else if err != admission.ErrNone {
		return reasonOfAdmission(err), true
	}
	return Served, false
}

// anyOpen reports whether an origin of the group takes who is new.
func (x *Exchange) anyOpen() bool {
	for i := range x.group.members {
		if x.group.opens(i) {
			return true
		}
	}
	return false
}

// listText names the origins that the router has listed, and what they are.
func (x *Exchange) listText() string {
	var list []string
	for _, p := range x.plug.list {
		m := x.group.lead.router.members[p]
		list = append(list, m.name+" ("+m.state.words()+")")
	}
	if len(list) == 0 {
		return "nobody who is there"
	}
	return strings.Join(list, ", ")
}

// allRouters attaches the routers that clusters name.
func (c *compiler) allRouters() {
	for _, cl := range c.snap.clusters {
		if cfg := c.cfg.Clusters[cl.name]; cfg.Router != "" {
			cl.router = c.router(cl, cfg)
		}
	}
}

func (c *compiler) router(cl *cluster, cfg config.Cluster) *router {
	table, members := c.clusterTable(cl)
	a := c.attach("clusters."+cl.name+".router", cfg.Router, plugins.AttachOptions{
		Place: plugins.Place{Cluster: cl.cell + "/" + cl.short}, Table: table,
	})
	if a == nil {
		return nil
	}
	return &router{
		attachment: a, members: members, generation: table.Generation,
		stored:  routerCaches[c.cfg.Plugins[cfg.Router].Cache],
		rejects: a.Plugin().OnError() == "reject", queues: c.cfg.Plugins[cfg.Router].OnFull == "queue", onlyListed: cfg.OnExhausted == "fail",
	}
}

// clusterTable are the origins that an attachment to a cluster knows: its own, then
// those of the clusters that share a group with it.
func (c *compiler) clusterTable(cl *cluster) (*abi.ClusterTable, []*member) {
	t := &abi.ClusterTable{Cluster: cl.short, Cell: cl.cell}
	var members []*member
	seen := make(map[int]bool)
	for _, other := range c.sharing(cl) {
		for i, m := range other.members {
			if seen[m.identity] {
				continue
			}
			seen[m.identity] = true
			members = append(members, m)
			t.Entries = append(t.Entries, c.clusterEntry(other, m, &c.cfg.Clusters[other.name].Origins[i]))
		}
	}
	t.Generation = c.uses.r.generationOf(cl.name, t)
	return t, members
}

func (c *compiler) clusterEntry(cl *cluster, m *member, o *config.Origin) abi.ClusterEntry {
	e := abi.ClusterEntry{
		Name: m.name, Address: addressOf(o), Host: o.Host, Zone: c.cfg.Hosts[o.Host].Zone, Cell: cl.cell, Cluster: cl.short,
		Edition: o.Edition.Label, Weight: 1, HostWeight: 1, Capacity: uint32(o.Capacity.Most),
	}
	if o.Host == c.cfg.Node.Host {
		e.Flags = abi.FlagOnThisHost
	}
	return e
}

// sharing are a cluster and those that share a group with it, by cell and name.
func (c *compiler) sharing(cl *cluster) []*cluster {
	with := map[*cluster]bool{}
	for _, g := range c.snap.groups {
		if g.has(cl) {
			for _, m := range g.members {
				with[m.cluster] = true
			}
		}
	}
	all := []*cluster{cl}
	for _, other := range c.snap.clusters {
		if with[other] && other != cl {
			all = append(all, other)
		}
	}
	return all
}

func (g *group) has(cl *cluster) bool {
	for _, m := range g.members {
		if m.cluster == cl {
			return true
		}
	}
	return false
}
