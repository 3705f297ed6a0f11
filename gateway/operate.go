package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/config"
)

// Operation is what an operator wants of some origins.
type Operation struct {
	// Origins names them: an origin's name, cluster/origin, cell/cluster/origin, its
	// address, or a pattern of one of these, in which * is any part without a slash.
	Origins []string

	// State is what they should be sent: draining, maintenance or disabled; serving
	// takes back what was wanted before, so that they are what the configuration
	// and the roll-outs say. Empty: it stays as it is.
	State string

	// Weight is theirs, from 1 to 100; 0 is that of the configuration. Nil: it stays
	// as it is.
	Weight *int

	Force  bool // also if a cluster has no origin left that takes who is new
	DryRun bool // say what would happen, and do nothing

	By string // who wants it, for people
}

// Operated is what became of one origin, or would.
type Operated struct {
	Cell, Cluster, Name string
	Address             string // host:port
	Before, Now         Standing
	Configured          string // the state in the configuration; empty: it is not there
	Weighed             bool   // a balancer goes by the weight
}

// Standing is what an origin may be sent, and who says so.
type Standing struct {
	State string      // the most closed of all words that hold
	By    string      // whose word that is: configuration, servers, rollout or operator
	Set   Set[string] // what an operator has set, whether it counts or not

	Weight    int
	WeightSet Set[int]
}

// ErrNoOrigin means that nothing goes by a name.
var ErrNoOrigin = errors.New("no such origin")

// ErrLast means that an operation would leave a cluster without an origin that takes new
// clients, and that it was not forced.
var ErrLast = errors.New("the last origin")

// Operate does what an operator wants, for all the origins or for none of them, and
// tells what became of each. It holds after reloads and restarts. The error is one
// for people; it may be [ErrNoOrigin] or [ErrLast].
func (g *Gateway) Operate(o Operation) ([]Operated, error) {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil || g.closing.Load() {
		return nil, errNotServing
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	named, err := g.named(o)
	if err != nil {
		return nil, err
	}
	next := g.present.withSettings(g.operated(o, named))
	served := next.over(g.applied.config)
	if !o.Force {
		err = g.current.Load().leaves(served)
	}
	result := g.result(named, next, served)
	if err != nil || o.DryRun || next.settings.equal(g.present.settings) {
		return result, err
	}
	return result, g.reapply(next, func() error { return next.settings.save(g.applied.config.Node.StateDir) })
}

// operated are the settings with what is wanted of the named origins. Who wants what
// is set already changes nothing, not even who has set it.
func (g *Gateway) operated(o Operation, named []namedOrigin) settings {
	next, written := maps.Clone(g.present.settings), byAddress(g.applied.config)
	if next == nil {
		next = make(settings)
	}
	for _, n := range named {
		s := next[n.address]
		s.Address, s.Name = n.address, n.name
		over, now := written[n.address], g.now(time.Now())
		s.State = setAnew(s.State, o.state(s.State.Value), cmp.Or(over.State, serving.String()), o.By, now)
		s.Weight = setAnew(s.Weight, o.weight(s.Weight.Value), max(over.Weight, 1), o.By, now)
		if next[n.address] = s; s.empty() {
			delete(next, n.address)
		}
	}
	return next
}

// setAnew is what is set when somebody wants a value, over that of the configuration.
// Who wants the one that is set changes nothing.
func setAnew[V comparable](now Set[V], value, over V, by string, at time.Time) Set[V] {
	var none V
	switch value {
	case now.Value:
		return now
	case none:
		return Set[V]{}
	}
	return Set[V]{Value: value, Over: over, By: by, At: at}
}

// validate refuses what no origin can be.
func (o Operation) validate() error {
	switch {
	case o.State != "" && adminStateOf(o.State).String() != o.State:
		return fmt.Errorf("an origin can be %s, not %q", strings.Join(adminStates[:], ", "), o.State)
	case o.Weight != nil && (*o.Weight < 0 || *o.Weight > maxWeight):
		return fmt.Errorf("a weight is 1 to %d, or 0 for the configuration's, not %d", maxWeight, *o.Weight)
	case o.State == "" && o.Weight == nil:
		return errors.New("neither a state nor a weight is wanted")
	}
	return nil
}

// state is the one that is to be set, where now is; empty: none.
func (o Operation) state(now string) string {
	switch o.State {
	case "":
		return now
	case serving.String():
		return ""
	}
	return o.State
}

// weight is the one that is to be set, where now is; 0: none.
func (o Operation) weight(now int) int {
	if o.Weight == nil {
		return now
	}
	return *o.Weight
}

// takesBack reports whether what is set is to be taken back.
func (o Operation) takesBack() bool {
	return o.State == serving.String() || o.Weight != nil && *o.Weight == 0
}

// byAddress are the origins of a configuration.
func byAddress(cfg *config.Config) map[string]config.Origin {
	all := make(map[string]config.Origin)
	eachOrigin(cfg, func(_ string, at *config.Origin) { all[addressOf(at)] = *at })
	return all
}

// weighed are the origins that a balancer weighs, by address.
func weighed(cfg *config.Config) map[string]bool {
	all, everywhere := make(map[string]bool), false
	for _, m := range cfg.Mappings {
		everywhere = everywhere || balance.UsesOf(m.Balancer).Has(balance.UsesWeight)
	}
	eachOrigin(cfg, func(cluster string, at *config.Origin) {
		if everywhere || balance.UsesOf(cfg.Clusters[cluster].Balancer).Has(balance.UsesWeight) {
			all[addressOf(at)] = true
		}
	})
	return all
}

// result is what becomes of the named origins when next is the present, and served is
// what it makes of the configuration.
func (g *Gateway) result(named []namedOrigin, next present, served *config.Config) (all []Operated) {
	before, now := standings(g.applied.served, g.present.settings), standings(served, next.settings)
	written, weighed := byAddress(g.applied.config), weighed(served)
	for _, n := range named {
		all = append(all, Operated{
			Cell: n.cell, Cluster: n.cluster, Name: n.name, Address: hostPortOf(n.address),
			Before: before[n.address], Now: now[n.address], Configured: written[n.address].State, Weighed: weighed[n.address],
		})
	}
	return all
}

// standings are those of all origins of a configuration as it is now, by address.
func standings(served *config.Config, ss settings) map[string]Standing {
	all := make(map[string]Standing)
	eachOrigin(served, func(_ string, at *config.Origin) {
		address := addressOf(at)
		all[address] = Standing{State: at.State, By: wordOf(at), Set: ss[address].State, Weight: at.Weight, WeightSet: ss[address].Weight}
	})
	return all
}

// wordOf is whose word an origin's state is.
func wordOf(at *config.Origin) string {
	if at.StateBy == "" {
		return "configuration"
	}
	return at.StateBy
}

func hostPortOf(address string) string {
	_, hostPort, _ := strings.Cut(address, "://")
	return hostPort
}

// leaves refuses a configuration under which a cluster has no origin any more that
// takes who is new, where it has one now. Origins that are out do not count.
func (snap *snapshot) leaves(served *config.Config) error {
	states := make(map[string]adminState)
	eachOrigin(served, func(_ string, at *config.Origin) { states[addressOf(at)] = adminStateOf(at.State) })
	var left []string
	kept := false
	for _, cl := range snap.clusters {
		open := slices.DeleteFunc(slices.Clone(cl.members), func(m *member) bool { return m.state.slots.Access() != admission.Open })
		stay := slices.ContainsFunc(open, func(m *member) bool { return states[m.address] == serving })
		if len(open) > 0 && !stay {
			left = append(left, cl.name)
			kept = kept || slices.ContainsFunc(open, func(m *member) bool { return states[m.address] == draining })
		}
	}
	if len(left) == 0 {
		return nil
	}
	return refuseLast(left, kept)
}

// refuseLast says what would happen to clusters without an origin that takes who is
// new; kept: sessions would go on.
func refuseLast(clusters []string, kept bool) error {
	served := "nobody would be served there"
	if kept {
		served = "only sessions that are bound would be served there"
	}
	return fmt.Errorf("%w that takes new clients of %s would be gone: %s, and all others be answered 503 (no_origin), unless a failover has an origin for them",
		ErrLast, strings.Join(clusters, ", "), served)
}
