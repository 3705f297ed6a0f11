package gateway

import (
	"fmt"
	"slices"

	"weirkeep/abi"
	"weirkeep/gateway/admission"
	"weirkeep/plugins"
)

// askedRouter is a router that an explanation asks. What of its list does not count is
// noted.
type askedRouter struct {
	*pluginWork
	router  *router
	skipped []string
}

// Permits implements plugins.Permits.
func (a *askedRouter) Permits(position uint16) bool {
	in := a.pluginWork.Permits(position)
	if !in {
		a.skipped = append(a.skipped, a.router.members[position].path()+": the request may not go there")
	}
	return in
}

// Unknown implements plugins.Unknowns.
func (a *askedRouter) Unknown(name string) {
	a.skipped = append(a.skipped, name+": there is none")
}

// routerOf is the router of a group's cluster, as far as it is told; nil: it has none.
func (e *explanation) routerOf(g *group) *ExplainedRouter {
	if g.lead.router == nil {
		return nil
	}
	return &ExplainedRouter{Plugin: g.lead.router.attachment.Plugin().Info().Name, Cluster: g.lead.cell + "/" + g.lead.short}
}

// bypassed tells of the router of a group where the binding decides.
func (e *explanation) bypassed(g *group) {
	if e.Router = e.routerOf(g); e.Router != nil {
		e.Router.Why = "not called: the binding decides"
	}
}

// route asks the router of group i, if it has one and none was asked before, and
// reports whether that settles where the request goes.
func (e *explanation) route(i int, g *group) bool {
	if e.Router != nil && e.Router.Called || g.lead.router == nil {
		return false
	}
	r := g.lead.router
	e.Router = e.routerOf(g)
	if e.atHand(g) {
		e.Router.Why = "is not asked: an origin on this node's host takes the request (locality: collocated)"
		return false
	}
	if r.attachment.Plugin().BodyLimit() > 0 && e.x.hasBody() {
		e.Router.Why = "is not asked: it is shown the request's body, which is not known here"
		return false
	}
	e.Router.Called = true
	list, listed, failure := e.ask(r, g)
	switch {
	case failure != nil && r.rejects:
		e.Router.Why = fmt.Sprintf("%v: the request is refused, by on_error: reject", failure)
		e.end(PluginFailed)
		return true
	case failure != nil:
		e.Router.Why = fmt.Sprintf("%v: the balancer decides, by on_error: default-balancer", failure)
		return false
	case !listed:
		e.Router.Why = "lists nobody: the balancer decides"
		return false
	}
	return e.follow(i, g, r, list)
}

// atHand reports whether an origin on this node's own host takes the request.
func (e *explanation) atHand(g *group) bool {
	if g.locality != collocated {
		return false
	}
	for i, m := range g.members {
		if g.prefer.Far[i] == sameHost && e.opens(g, m) {
			return true
		}
	}
	return false
}

// ask asks a router as live traffic does, but that it sees origins as they are assumed
// to be.
func (e *explanation) ask(r *router, g *group) (list []uint16, listed bool, failure *plugins.Failure) {
	x, d := e.x, &e.x.decision
	x.group, x.mapping, x.site = g, &e.snap.mappings[d.Mapping], &e.snap.sites[d.Site]
	if d.Rule >= 0 {
		x.rule = e.snap.actions[d.Rule]
	}
	w, needs := x.work(), r.attachment.Plugin().Needs()
	v := w.show(needs)
	v.Generation = r.generation
	if needs.Shows(plugins.NeedOrigins) {
		v.Origins = e.showOrigins(w.showOrigins(r, v.Origins), r, g)
	}
	asked := &askedRouter{pluginWork: w, router: r}
	list, listed, failure = r.attachment.Route(v, w, asked, nil)
	e.Router.Skipped = asked.skipped
	for _, p := range list {
		e.Router.Listed = append(e.Router.Listed, r.members[p].path())
	}
	return list, listed, failure
}

// showOrigins makes of the entries of origins what these are assumed to be.
func (e *explanation) showOrigins(all []abi.Origin, r *router, g *group) []abi.Origin {
	for p, m := range r.members {
		o, s := &all[p], e.view.states[m.identity]
		o.Health, o.State = healths[e.view.health[m.identity]], states[e.view.admin[m.identity]]
		o.InFlight, o.Capacity = upTo16(s.Load), upTo16(s.Capacity)
		o.Flags &^= abi.OriginFull | abi.OriginUsable
		if s.Load >= s.Capacity {
			o.Flags |= abi.OriginFull
		}
		if o.Flags&abi.OriginPermitted != 0 && e.opens(g, m) {
			o.Flags |= abi.OriginUsable
		}
	}
	return all
}

// follow goes down the list like followList, and reports whether that settles it.
func (e *explanation) follow(i int, g *group, r *router, list []uint16) bool {
	plan, waits := e.plan(g, -1), -1
	for _, p := range list {
		j := g.index[r.members[p].identity]
		if !e.opens(g, g.members[j]) {
			continue
		}
		switch e.plan(g, j).Verdicts[j].Why { // for itself: a list does not go by who is near
		case admission.Picked:
			e.goes(i, plan, j)
			return true
		case admission.Full, admission.Waited:
			waits = j
		}
		if waits >= 0 && r.queues {
			e.waits(i, plan, g.members[waits])
			return true
		}
	}
	return e.exhausted(g, r)
}

// goes tells that the request goes to origin j of group i, of the list.
func (e *explanation) goes(i int, plan admission.Planned, j int) {
	free(&plan)
	plan.Pick, plan.Sure, plan.Queues, plan.Verdicts[j].Why = j, true, false, admission.Picked
	e.picked(i, plan, nil, NoOrigin)
	e.Pick.Why = "listed by the router"
}

// waits tells that the request waits for an origin of the list.
func (e *explanation) waits(i int, plan admission.Planned, m *member) {
	free(&plan)
	plan.Pick, plan.Queues = -1, true
	g := e.order()[i]
	err := g.refusal(plan)
	e.picked(i, plan, err, NoOrigin)
	if err == nil {
		e.Pick.Why = fmt.Sprintf("%s is the first of the list that is in service, and full: it would be waited for, for up to %v (on_full: queue)", m.path(), g.lead.queue.Timeout())
		e.Outcome.Text = e.Pick.Why
	}
}

// free undoes the balancer's pick.
func free(plan *admission.Planned) {
	if plan.Pick >= 0 {
		plan.Verdicts[plan.Pick].Why = admission.Free
	}
}

// exhausted tells what becomes of a request for which nobody of the list is left, and
// reports whether that settles it.
func (e *explanation) exhausted(g *group, r *router) bool {
	switch {
	case !r.onlyListed:
		e.Router.Why = "nobody of its list can take the request: the balancer decides, by on_exhausted: default-balancer"
		return false
	case !e.anyOpen(g):
		e.Router.Why = "no origin of the group is in service, so there is nothing to choose"
		return false
	}
	e.Router.Why = "nobody of its list can take the request: it is refused, by on_exhausted: fail"
	e.end(RouterExhausted)
	return true
}

// anyOpen reports whether an origin of the group takes who is new.
func (e *explanation) anyOpen(g *group) bool {
	return slices.ContainsFunc(g.members, func(m *member) bool { return e.opens(g, m) })
}

// opens reports whether an origin of the group takes who is new, as it is taken to be;
// where too few are up, those that are out do as well.
func (e *explanation) opens(g *group, m *member) bool {
	return e.lets(g, m) || e.view.states[m.identity].Access == admission.Unwell && e.panics(g)
}

// metricOf is how busy the collector of an origin's cluster finds it; nil: there is
// none.
func (m *member) metricOf() *int {
	if m.tally == nil {
		return nil
	}
	n := int(m.metric())
	return &n
}

// still names the plugins that would know more if they were not kept still: routers
// that tick or call out, and collectors, of the groups that are tried.
func (e *explanation) still() (names []string) {
	for _, a := range e.snap.attachments {
		name := a.Plugin().Info().Name
		cfg := e.cfg.Plugins[name]
		acts := cfg.Kind == "collector" || cfg.Kind == "router" && (cfg.Tick > 0 || len(cfg.HTTP) > 0)
		if acts && a.Still() && e.concerns(a.Place().Cluster) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// concerns reports whether origins of a cluster are among those that are tried.
func (e *explanation) concerns(path string) bool {
	for _, g := range e.order() {
		for _, m := range g.members {
			if string(m.cluster.path) == path {
				return true
			}
		}
	}
	return false
}
