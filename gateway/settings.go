package gateway

import (
	"fmt"
	"log/slog"
	"maps"
	"time"

	"weirkeep/gateway/config"
)

// settings are what operators have set of origins, by the origins' addresses with
// their schemes: a setting is of the address, whatever name it goes by.
type settings map[string]setting

// setting is what is set of one origin.
type setting struct {
	Address string      `json:"address"` // with its scheme
	Name    string      `json:"name"`    // that it had when it was last seen
	State   Set[string] `json:"state,omitzero"`
	Gone    time.Time   `json:"gone,omitzero"` // since when the configuration names it no more
}

// Set is a value that an operator has set, over that of the configuration. The zero
// value: none is set.
type Set[V comparable] struct {
	Value V         `json:"value"`
	Over  V         `json:"over"` // what the configuration said then
	By    string    `json:"by"`   // who asked for it, as the log says it
	At    time.Time `json:"at"`
}

// goneFor is how long a setting is kept of an origin that the configuration names no
// more: long enough for one that is taken out to be repaired, and not for ever.
const goneFor = 30 * 24 * time.Hour

// change makes true in cfg, which is a copy, what operators have set. Nothing is
// opened that way: of their word, the configuration's and the roll-outs', the most
// closed holds.
func (ss settings) change(cfg *config.Config) {
	eachOrigin(cfg, func(_ string, at *config.Origin) {
		shut(at, adminStateOf(ss[addressOf(at)].State.Value), byOperator)
	})
}

// settled are the settings as they go on under a configuration. One of an origin that
// it does not name has no effect, and is dropped when that has been so for long.
func (ss settings) settled(cfg *config.Config, now time.Time, log *slog.Logger) settings {
	named := make(map[string]string) // their names, by address
	eachOrigin(cfg, func(_ string, at *config.Origin) { named[addressOf(at)] = at.Name })
	next := maps.Clone(ss)
	for address, s := range ss {
		switch name, there := named[address]; {
		case there:
			s.Name, s.Gone = name, time.Time{}
			next[address] = s
		case s.Gone.IsZero():
			log.Info("what an operator has set waits: no cluster has the origin now", "origin", s.Name, "address", address, "state", s.State.Value, "kept_until", now.Add(goneFor))
			s.Gone = now
			next[address] = s
		case now.Sub(s.Gone) > goneFor:
			log.Warn("what an operator has set is forgotten: no cluster has had the origin for long", "origin", s.Name, "address", address, "state", s.State.Value, "since", s.Gone)
			delete(next, address)
		}
	}
	return next
}

// warnings tell of what was written anew in the configuration and has no effect,
// since what an operator has set before that holds over it.
func (ss settings) warnings(cfg *config.Config, now time.Time) (ps config.Problems) {
	told := make(map[string]bool)
	for _, cluster := range sortedKeys(cfg.Clusters) {
		for i, o := range cfg.Clusters[cluster].Origins {
			address := addressOf(&o)
			s := ss[address].State
			if told[address] || s.Over == o.State || adminStateOf(s.Value) <= adminStateOf(o.State) {
				continue
			}
			told[address] = true
			path := statePath(cfg, cluster, i)
			ps = append(ps, cfg.At(path, config.Warning, "W811", fmt.Sprintf(
				"%s is %s, and was %s when an operator made %s %s (%s ago, %s), which holds over it",
				path, o.State, s.Over, o.Name, s.Value, now.Sub(s.At).Round(time.Second), s.By),
				"weirkeep origin enable "+o.Name+" takes the operator's word back"))
		}
	}
	return ps
}

// statePath is the key that says the state of a cluster's origin.
func statePath(cfg *config.Config, cluster string, i int) string {
	o := cfg.Clusters[cluster].Origins[i]
	if shared, there := cfg.Origins[o.Name]; there && addressOf(&shared) == addressOf(&o) {
		return "origins." + o.Name + ".state"
	}
	return fmt.Sprintf("clusters.%s.origins[%d].state", cluster, i)
}
