package gateway

import (
	"cmp"
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
	Weight  Set[int]    `json:"weight,omitzero"`
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
// closed holds. A weight of theirs holds as it is.
func (ss settings) change(cfg *config.Config) {
	eachOrigin(cfg, func(_ string, at *config.Origin) {
		s := ss[addressOf(at)]
		shut(at, adminStateOf(s.State.Value), byOperator)
		at.Weight = cmp.Or(s.Weight.Value, at.Weight)
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
			log.Info("what an operator has set waits: no cluster has the origin now", "origin", s.Name, "address", address, "state", s.State.Value, "weight", s.Weight.Value, "kept_until", now.Add(goneFor))
			s.Gone = now
			next[address] = s
		case now.Sub(s.Gone) > goneFor:
			log.Warn("what an operator has set is forgotten: no cluster has had the origin for long", "origin", s.Name, "address", address, "state", s.State.Value, "weight", s.Weight.Value, "since", s.Gone)
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
			if address := addressOf(&o); !told[address] {
				told[address] = true
				ps = append(ps, ss[address].warnings(cfg, originKey(cfg, cluster, i), o, now)...)
			}
		}
	}
	return ps
}

// warnings are those of one setting; key is where its origin is written.
func (s setting) warnings(cfg *config.Config, key string, o config.Origin, now time.Time) (ps config.Problems) {
	warn := func(key string, is, was, made any, by string, at time.Time, back string) {
		ps = append(ps, cfg.At(key, config.Warning, "W811", fmt.Sprintf("%s is %v, and was %v when an operator made it %v for %s (%s ago, %s), which holds over it",
			key, is, was, made, o.Name, now.Sub(at).Round(time.Second), by), back+" takes the operator's word back"))
	}
	if t := s.State; t.Over != o.State && adminStateOf(t.Value) > adminStateOf(o.State) {
		warn(key+".state", o.State, t.Over, t.Value, t.By, t.At, "weirkeep origin enable "+o.Name)
	}
	if w := s.Weight; w.Value != 0 && w.Over != o.Weight && w.Value != o.Weight {
		warn(key+".weight", o.Weight, w.Over, w.Value, w.By, w.At, "weirkeep origin weight "+o.Name+" --default")
	}
	return ps
}

// originKey is the key of a cluster's origin, or of the shared one that it is.
func originKey(cfg *config.Config, cluster string, i int) string {
	o := cfg.Clusters[cluster].Origins[i]
	if shared, there := cfg.Origins[o.Name]; there && addressOf(&shared) == addressOf(&o) {
		return "origins." + o.Name
	}
	return fmt.Sprintf("clusters.%s.origins[%d]", cluster, i)
}
