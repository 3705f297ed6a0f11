package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// A difference is what the new configuration does otherwise to a request.
type difference struct {
	moves    bool // it goes elsewhere; else only who decides is another
	from, to string
	by       string // the rule or mapping that decides now
}

// fate is where a request went, or would go, by the old configuration.
type fate struct {
	site, rule  string
	destination string
}

// compareDecisions holds the new decision against that of the configuration that
// wrote the log.
func compareDecisions(old, now *gateway.Explanation) (difference, bool) {
	f := fate{siteOf(old), old.Rule, destinationOf(old)}
	if sameDestination(old, now) {
		return f.against(now, true)
	}
	to := destinationOf(now)
	if f.destination == to {
		f.destination, to = f.destination+failoverText(old), to+failoverText(now)
	}
	return f.movesTo(now, to), true
}

// sameDestination reports whether two decisions lead to the same origins, or to the
// same answer.
func sameDestination(a, b *gateway.Explanation) bool {
	if refusedByDecision(a) || refusedByDecision(b) || boundTo(a) != "" || boundTo(b) != "" {
		return destinationOf(a) == destinationOf(b)
	}
	return sameGroups(a.Groups, b.Groups)
}

// compareRecord holds the new decision against what a record says of the old one.
func compareRecord(rec *logRecord, cfg *config.Config, now *gateway.Explanation) (difference, bool) {
	f := fate{site: rec.Site, rule: rec.Rule}
	cluster, origin := clusterOf(rec, cfg), originIn(rec, cfg)
	switch {
	case slices.Contains(decisions, rec.Reason):
		f.destination = fmt.Sprintf("%d %s", rec.Status, rec.Reason)
		stays := refusedByDecision(now) && now.Outcome.Reason == rec.Reason && now.Outcome.Status == rec.Status
		return f.against(now, stays)
	case rec.Session == "bound" && (origin != "" || boundTo(now) != ""):
		f.destination = cmp.Or(origin, rec.Bound) + " (bound)"
		return f.against(now, isHome(now, rec, origin) || boundTo(now) == "" && takes(now, origin))
	case boundTo(now) != "": // only for once was it sent elsewhere
		f.destination = cluster
		return f.against(now, isHome(now, rec, origin))
	}
	f.destination = cluster
	return f.against(now, !refusedByDecision(now) && inGroup(now, 0, cluster, origin))
}

// outage is that a record may be of an outage: who answered is of a failover group.
type outage string

func (o outage) Error() string {
	return string(o) + " is of a failover group, and whether the first was out the record does not say"
}

// failedOver returns an outage if the same rule decides as did, and who answered is
// of a failover group of it.
func failedOver(rec *logRecord, cfg *config.Config, now *gateway.Explanation) error {
	if rec.Rule != now.Rule || rec.Site != siteOf(now) || slices.Contains(decisions, rec.Reason) || boundTo(now) != "" {
		return nil
	}
	cluster, origin := clusterOf(rec, cfg), originIn(rec, cfg)
	if !inFailover(now, cluster, origin) {
		return nil
	}
	return outage(cmp.Or(origin, cluster))
}

// clusterOf is the cluster that a record names, in full.
func clusterOf(rec *logRecord, cfg *config.Config) string {
	cell, short := cfg.CellOf(rec.Cluster)
	return cell + "/" + short
}

// originIn is the origin that answered, in full; empty: none did.
func originIn(rec *logRecord, cfg *config.Config) string {
	if rec.Origin == "" {
		return ""
	}
	return clusterOf(rec, cfg) + "/" + rec.Origin
}

// isHome reports whether the request goes, by its session, to the origin where the
// record says that the session is at home.
func isHome(now *gateway.Explanation, rec *logRecord, origin string) bool {
	home := boundTo(now)
	return home != "" && (home == origin || rec.Bound != "" && named(home, rec.Bound))
}

// takes reports whether an origin is one that the request may be balanced to: also
// one in maintenance, if the rule opens it.
func takes(now *gateway.Explanation, origin string) bool {
	if refusedByDecision(now) || now.Pick == nil {
		return false
	}
	return slices.ContainsFunc(now.Pick.Candidates, func(c gateway.ExplainedCandidate) bool {
		return c.Origin == origin && (c.Why == "picked" || c.Why == "free")
	})
}

// inFailover reports whether the request comes to the origin, or to the cluster if
// none answered, only when others are out.
func inFailover(now *gateway.Explanation, cluster, origin string) bool {
	if refusedByDecision(now) || inGroup(now, 0, cluster, origin) {
		return false
	}
	for i := range now.Groups {
		if inGroup(now, i, cluster, origin) {
			return true
		}
	}
	return false
}

// inGroup reports whether the origin, or the cluster if none answered, is among
// those of a group of the request.
func inGroup(e *gateway.Explanation, i int, cluster, origin string) bool {
	switch {
	case i >= len(e.Groups):
		return false
	case origin == "":
		return slices.Contains(e.Groups[i].Clusters, cluster)
	}
	return slices.Contains(e.Groups[i].Origins, origin)
}

// against says what has changed, if anything has.
func (f fate) against(now *gateway.Explanation, stays bool) (difference, bool) {
	if !stays {
		return f.movesTo(now, destinationOf(now)), true
	}
	is, was := f.deciders(now)
	return difference{from: was, to: is}, is != was
}

func (f fate) movesTo(now *gateway.Explanation, to string) difference {
	if to == f.destination {
		to += ", other origins of it"
	}
	return difference{moves: true, from: f.destination, to: to, by: f.decidedBy(now)}
}

// deciders are who decides now and who did, as far as they can differ.
func (f fate) deciders(now *gateway.Explanation) (is, was string) {
	if f.rule != now.Rule {
		return ruleOrNone(now.Rule), ruleOrNone(f.rule)
	}
	return "site " + cmp.Or(siteOf(now), "none"), "site " + cmp.Or(f.site, "none")
}

func ruleOrNone(name string) string {
	if name == "" {
		return "no rule"
	}
	return "rule " + name
}

// decidedBy is what decides now.
func (f fate) decidedBy(now *gateway.Explanation) string {
	switch {
	case now.Rule != "":
		return "rule " + now.Rule
	case f.rule != "":
		return "no rule, was " + f.rule
	case now.Mapping != nil && now.Mapping.Index >= 0:
		return fmt.Sprintf("mappings[%d]", now.Mapping.Index)
	}
	return "no mapping"
}

// failoverText is the groups after the first.
func failoverText(e *gateway.Explanation) string {
	var texts []string
	for _, g := range e.Groups {
		if g.Failover {
			texts = append(texts, groupOf(e, &g))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return ", failover " + strings.Join(texts, ", ")
}
