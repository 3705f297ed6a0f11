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
	switch {
	case f.destination != destinationOf(now):
		return f.against(now, false)
	case boundTo(now) != "" || sameGroups(old.Groups, now.Groups):
		return f.against(now, true)
	}
	f.destination += failoverText(old)
	return f.movesTo(now, destinationOf(now)+failoverText(now)), true
}

// compareRecord holds the new decision against what a record says of the old one.
func compareRecord(rec *logRecord, cfg *config.Config, now *gateway.Explanation) (difference, bool) {
	f := fate{site: rec.Site, rule: rec.Rule}
	cell, short := cfg.CellOf(rec.Cluster)
	cluster := cell + "/" + short
	switch {
	case slices.Contains(decisions, rec.Reason):
		f.destination = fmt.Sprintf("%d %s", rec.Status, rec.Reason)
		return f.against(now, refusedByDecision(now) && now.Outcome.Reason == rec.Reason && now.Outcome.Status == rec.Status)
	case rec.Session == "bound":
		f.destination = cluster + "/" + rec.Origin + " (bound)"
		return f.against(now, boundTo(now) == cluster+"/"+rec.Origin)
	case boundTo(now) != "": // only for once was it sent elsewhere
		f.destination = cluster
		return f.against(now, rec.Bound != "" && named(boundTo(now), rec.Bound))
	}
	f.destination = cluster
	return f.against(now, !refusedByDecision(now) && inFirstGroup(now, cluster, rec.Origin))
}

// inFirstGroup reports whether the origin, or the cluster if none answered, is
// among those that the request is balanced over.
func inFirstGroup(e *gateway.Explanation, cluster, origin string) bool {
	if len(e.Groups) == 0 {
		return false
	}
	if origin == "" {
		return slices.Contains(e.Groups[0].Clusters, cluster)
	}
	return slices.Contains(e.Groups[0].Origins, cluster+"/"+origin)
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
			texts = append(texts, strings.Join(g.Clusters, " + "))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return ", failover " + strings.Join(texts, ", ")
}
