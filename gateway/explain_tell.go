package gateway

import (
	"fmt"
	"strings"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/config"
	"weirkeep/gateway/route"
)

// explanation is an [Explanation] that is being written.
type explanation struct {
	*Explanation
	cfg   *config.Config
	snap  *snapshot
	x     *Exchange
	view  *assumed
	trace route.Trace

	used   *store.Entry         // stored answer that fits; nil: none does
	passed []ExplainedCandidate // of the groups that were tried before
	alike  Reason               // why the last request for the same reached no origin; only where this one is answered alike
}

// refused tells of a request that does not get as far as a decision.
func (e *explanation) refused(reason Reason) {
	e.x.reason = reason
	e.Refused = reason.String()
	e.end(reason)
	if cause := e.x.causeText(); cause != "" {
		e.Outcome.Text += ": " + cause
	}
}

// tell writes down the decision in its order, and what comes after it.
func (e *explanation) tell(g *Gateway, answer []byte) error {
	e.request()
	e.mapping()
	d := &e.x.decision
	if e.x.notPublic() {
		e.end(SiteNotPublic)
		return nil
	}
	if d.Mapping < 0 {
		e.unmapped(reasonOfDecision[d.Reason])
		return nil
	}
	e.bestSet()
	e.binding()
	e.rules()
	e.groups()
	if d.Variant >= 0 {
		e.Variant = e.snap.table.Variant(d.Variant)
	}
	if reason := reasonOfDecision[d.Reason]; reason != Served {
		e.x.rule = nil
		if d.Rule >= 0 {
			e.x.rule = e.snap.actions[d.Rule]
		}
		e.end(reason)
		return nil
	}
	e.filters()
	err := e.cache(g, answer)
	e.page(g)
	e.Still = e.still()
	e.pick()
	e.stored()
	return err
}

// unmapped tells what becomes of a request that no mapping takes. A fragment of a host that no site
// has is asked for there; whether pages may, is a matter of their sites.
func (e *explanation) unmapped(reason Reason) {
	if e.x.within != nil && reason == NoSite {
		e.Outcome = ExplainedOutcome{
			Reason: Served.String(), Text: fetchedThere + "; where esi.unmapped_providers is deny, nobody is asked",
			Address: string(e.x.Authority.Raw), Target: string(e.x.Target.Raw),
		}
		return
	}
	e.end(reason)
}

// stored tells what the client gets where the cache answers, in place of the origin that was
// picked: which one that would be is of use as soon as the answer is gone.
func (e *explanation) stored() {
	switch c := e.Cache; {
	case c == nil:
	case e.Page != nil && e.Page.Does == "refused" && c.used():
		e.Outcome = ExplainedOutcome{}
		e.end(MarkupInjected)
	case c.used():
		e.Outcome = ExplainedOutcome{Reason: Served.String(), Text: "would be answered from the store", Stored: true}
	case c.Does == "unreachable":
		e.Outcome = ExplainedOutcome{}
		e.end(e.alike)
	}
}

func (e *explanation) request() {
	r, x := &e.x.ask, e.x
	e.Request.Method, e.Request.Scheme, e.Request.Host = string(r.Method), r.Scheme, string(r.Host)
	e.Request.Port, e.Request.Path, e.Request.Query = r.Port, string(r.Path), string(r.Query)
	e.Request.Client, e.Request.Peer, e.Request.Proxied = x.clientIP.String(), r.Peer.Addr().String(), x.trusted
}

func (e *explanation) mapping() {
	d := &e.x.decision
	m := &ExplainedMapping{Index: d.Mapping, Total: len(e.snap.mappings)}
	if d.Site >= 0 {
		m.Site = e.snap.sites[d.Site].name
		m.Host = e.snap.table.HostOf(d.Site, &e.x.ask)
		m.From = e.x.siteFrom()
		e.x.site = &e.snap.sites[d.Site]
	}
	for _, s := range e.trace.Steps {
		if s.Why != route.Fits {
			m.Considered = append(m.Considered, ExplainedStep{Mapping: s.Mapping, Site: e.snap.sites[s.Site].name, Why: s.String()})
		}
	}
	e.Mapping = m
}

// siteFrom is what has named the site (M-SITE-05).
func (x *Exchange) siteFrom() string {
	switch {
	case x.decision.Source == route.FromDefault:
		return "default"
	case x.within != nil:
		return "src"
	case x.Target.Absolute:
		return "target"
	}
	return "host"
}

func (e *explanation) bestSet() {
	d := &e.x.decision
	b := &ExplainedBestSet{Group: e.group(e.snap.table.BestSetOf(d))}
	names := sortedKeys(e.cfg.Applications)
	for _, s := range e.trace.Applications {
		if s.Fits {
			b.Application, b.Pattern = names[s.Application], s.What
		} else {
			b.Considered = append(b.Considered, ExplainedApplication{Application: names[s.Application], Why: s.What})
		}
	}
	e.BestSet = b
}

// group names the clusters and origins of some members.
func (e *explanation) group(members []route.Member) (g ExplainedGroup) {
	for _, m := range members {
		cl := e.snap.clusters[m.Cluster]
		name := cl.cell + "/" + cl.short
		if n := len(g.Clusters); n == 0 || g.Clusters[n-1] != name {
			g.Clusters = append(g.Clusters, name)
		}
		g.Origins = append(g.Origins, name+"/"+cl.members[m.Origin].name)
	}
	return g
}

// path is the origin's name in full.
func (m *member) path() string {
	return m.cluster.cell + "/" + m.cluster.short + "/" + m.name
}

func (e *explanation) rules() {
	d := &e.x.decision
	infos := e.snap.ruleInfos()
	for _, s := range e.trace.Rules {
		info := infos[s.Rule]
		r := ExplainedRule{
			Index: s.Rule, Name: info.Name, Place: info.Place, Site: info.Site, When: info.When,
			Value: s.Value.String(), Why: s.Why, Nanoseconds: s.Took.Nanoseconds(),
		}
		if s.Value == route.True {
			r.Effect = e.effect(info)
		}
		e.Rules = append(e.Rules, r)
	}
	if d.Rule >= 0 {
		e.Rule, e.Action = infos[d.Rule].Name, d.Action.String()
	}
}

// effect is what the deciding rule does to this request.
func (e *explanation) effect(info RuleInfo) string {
	d := &e.x.decision
	switch {
	case d.Shielded:
		return info.Action + ": not applied, the request is bound to another origin (override_affinity is off)"
	case d.Reason == route.NoPermitted:
		return info.Action + ": none of these is in the best set"
	case d.Action == route.Permit && e.trace.Home >= 0 && d.Home < 0:
		return info.Action + ": moves the session from its origin"
	}
	return info.Action
}

func (e *explanation) groups() {
	d := &e.x.decision
	if d.Order < 0 {
		return
	}
	for i, g := range e.snap.table.Orders()[d.Order] {
		shown := e.group(e.snap.table.Groups()[g].Members)
		shown.Failover = i > 0
		e.Groups = append(e.Groups, shown)
	}
}

// pick says which origin would be picked: the session's, or one of the first group
// that has any in service. Why nobody of the groups before it is, stands there, too.
func (e *explanation) pick() {
	if e.pickHome() {
		return
	}
	order := e.order()
	for i, g := range order {
		if e.route(i, g) {
			return
		}
		plan := e.plan(g, -1)
		if trial := e.dueTrial(g); trial >= 0 {
			plan.Pick, plan.Sure, plan.Queues, plan.Verdicts[trial].Why = trial, true, false, admission.Picked
		}
		err := g.refusal(plan)
		if last := i == len(order)-1; last || err == nil || !g.passesOn(err) {
			e.picked(i, plan, err, NoOrigin)
			return
		}
		e.passed = append(e.passed, e.candidates(i, plan)...)
	}
	e.end(NoOrigin)
}

// dueTrial is the index of an origin of the group that is out and that the next
// request would try out; -1: there is none.
func (e *explanation) dueTrial(g *group) int {
	alone := true
	for _, other := range e.order() {
		for _, m := range other.members {
			alone = alone && !e.lets(other, m)
		}
	}
	for i, m := range g.members {
		if g.letsIn(m) && m.state.origin.Due(time.Now(), alone) {
			return i
		}
	}
	return -1
}

// lets reports whether the group's requests get in at an origin, as it is taken to be.
func (e *explanation) lets(g *group, m *member) bool {
	a := e.view.states[m.identity].Access
	return a == admission.Open || a == admission.Testers && g.testers
}

// panics reports whether too few of a group's origins are up, as they are taken to be.
func (e *explanation) panics(g *group) bool {
	up, all := 0, 0
	for _, m := range g.members {
		switch e.view.states[m.identity].Access {
		case admission.Open:
			up, all = up+1, all+1
		case admission.Unwell:
			all++
		}
	}
	return tooFew(up, all, g.lead.panicBelow)
}

// pickHome tells of the origin where the session is at home, and reports whether
// that settles it. It does not if that is full and its sessions may go elsewhere
// for once.
func (e *explanation) pickHome() bool {
	d := &e.x.decision
	for i, g := range e.order() {
		home, here := g.index[d.Home]
		if !here {
			continue
		}
		plan := e.plan(g, home)
		if plan.Queues && e.snap.mappings[d.Mapping].session.rebalance {
			return false
		}
		e.bypassed(g)
		e.picked(i, plan, g.refusal(plan), SessionOriginOut)
		return true
	}
	return false
}

// order is the groups that would be tried.
func (e *explanation) order() []*group {
	if e.x.decision.Order < 0 {
		return nil
	}
	return e.snap.orders[e.x.decision.Order]
}

// plan is what would become of the request in a group; only is the index of the
// one origin that it wants, -1: any.
func (e *explanation) plan(g *group, only int) admission.Planned {
	asker := admission.Asker{
		Only: only, Tester: g.testers, Panic: e.panics(g), Key: e.x.keyIn(g), Now: e.x.Now, Preference: g.prefer,
	}
	if e.upgrades() {
		asker.Barred = g.away
	}
	return admission.Plan(e.statesOf(g), asker, g.balancer)
}

// refusal is why who gets no slot by a plan would be turned away at once; nil: it
// gets one, or waits.
func (g *group) refusal(p admission.Planned) error {
	switch q := g.lead.queue; {
	case p.Pick >= 0:
		return nil
	case !p.Queues:
		return admission.ErrNone
	case q.Waiting() >= q.Size():
		return admission.ErrFull
	}
	return nil
}

func (e *explanation) statesOf(g *group) (states []admission.State) {
	for _, m := range g.members {
		states = append(states, e.view.states[m.identity])
	}
	return states
}

// candidates tells what stands for and against the origins of group i.
func (e *explanation) candidates(i int, plan admission.Planned) (all []ExplainedCandidate) {
	g := e.order()[i]
	for j, m := range g.members {
		s := e.view.states[m.identity]
		all = append(all, ExplainedCandidate{
			Origin: m.path(), Address: m.state.origin.Address, State: e.view.words[m.identity], Group: i,
			Why: plan.Verdicts[j].Why.String(), Load: s.Load, Capacity: s.Capacity, Learned: m.state.learns(), Free: plan.Verdicts[j].Share,
			Weight: m.weight(g.uses), Metric: m.metricOf(),
		})
	}
	return all
}

// picked tells of the origin that was picked in group i, and of the others. The
// error is why none is, and the request does not wait either; out is the answer if
// that is since they are out.
func (e *explanation) picked(i int, plan admission.Planned, err error, out Reason) {
	g := e.order()[i]
	p := &ExplainedPick{Group: i, Failover: i > 0, Sure: plan.Sure, Candidates: append(e.passed, e.candidates(i, plan)...)}
	e.Pick = p
	switch {
	case plan.Pick >= 0:
		m := g.members[plan.Pick]
		p.Origin, p.Address, p.Why = m.path(), m.state.origin.Address, e.whyPicked(g, m)
		if m.location != nil {
			e.sentAway(m)
			return
		}
		e.Outcome.Reason, e.Outcome.Text = Served.String(), "would be sent to "+p.Origin
		e.Outcome.Address, e.Outcome.Target = p.Address, e.target()
	case err == nil:
		p.Why = fmt.Sprintf("every origin is full: it would wait for up to %v", g.lead.queue.Timeout())
		e.Outcome.Reason, e.Outcome.Text = Served.String(), p.Why
	case err == admission.ErrNone && out == SessionOriginOut:
		p.Why = "the origin of its session is out"
		e.end(out)
	case err == admission.ErrNone:
		p.Why = "no origin takes it"
		e.end(out)
	default:
		p.Why = "every origin is full, and so is the queue"
		e.end(reasonOfAdmission(err))
	}
}

func (e *explanation) whyPicked(g *group, m *member) string {
	switch {
	case e.x.decision.Home == m.identity:
		return "bound"
	case e.panics(g):
		return "panic: fewer than " + g.lead.panicBelow.String() + " of the origins are up, and those that are out are taken, too; " + g.method
	case g.locality == collocated && g.prefer.Far[g.index[m.identity]] == sameHost:
		return collocated
	case !e.lets(g, m):
		return "trial: it is out, nobody checks it, and so one request tries whether it is back; if it is not, another origin gets it"
	}
	return g.method
}

// target is what the origin would be asked for.
func (e *explanation) target() string {
	target := e.x.Target.Raw
	if n := e.x.decision.Strip; n > 0 {
		if target = target[e.x.Target.RawAt(n):]; len(target) == 0 || target[0] != '/' {
			return "/" + string(target)
		}
	}
	return string(target)
}

// end tells of an answer by the gateway itself.
func (e *explanation) end(reason Reason) {
	o := &e.Outcome
	o.Status, o.Reason, o.Text = reason.Status(), reason.String(), reasonTable[reason].text
	if e.x.rule == nil {
		return
	}
	switch reason {
	case RejectedByRule:
		o.Status = e.x.rule.status
	case RedirectedByRule:
		o.Status, o.Location = e.x.rule.status, string(e.x.ruleLocation())
	}
}

// text is what a rule does, in words.
func (a *ruleAction) text(r *route.Rule) string {
	switch a.action {
	case route.Reject:
		return fmt.Sprintf("reject with %d", a.status)
	case route.Redirect:
		return fmt.Sprintf("redirect with %d to %s", a.status, a.location)
	}
	words := []string{"permit " + r.Permits()}
	if a.sticky {
		words = append(words, "sticky")
	}
	if r.AllowMaintenance {
		words = append(words, "maintenance too")
	}
	return strings.Join(words, ", ")
}

// String is the location as it was written.
func (t *template) String() string {
	var b strings.Builder
	for _, p := range *t {
		if p.part == nil {
			b.WriteString(p.text)
		} else {
			b.WriteString("{" + p.text + "}")
		}
	}
	return b.String()
}
