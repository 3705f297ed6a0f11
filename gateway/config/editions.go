package config

import (
	"fmt"

	"weirkeep/gateway/unit"
)

// Edition says which edition of an application serves, and which is to come.
type Edition struct {
	Active  string  `yaml:"active" required:"true" check:"label"` // label of the edition that serves requests which no rule sends to an edition; required
	Next    string  `yaml:"next" check:"label"`                   // label of the edition that weirkeep edition rollout brings; default: none is to come
	Rollout Rollout `yaml:"rollout"`                              // how it does

	// Serving are the labels of the editions that serve while a roll-out says so,
	// instead of Active. Load leaves it empty.
	Serving []string `yaml:"-"`
	// Between are the labels of the editions that a roll-out goes from and to.
	Between []string `yaml:"-"`
}

// Rollout says how the origins of an application change to its next edition.
type Rollout struct {
	Strategy  string        `yaml:"strategy" default:"grouped" enum:"grouped|atomic"` // grouped (default): some origins at a time, both editions serve meanwhile | atomic: one half, then the other, never both editions at once
	GroupSize int           `yaml:"group_size" default:"1" range:"1..1000"`           // of grouped: how many at a time, default 1; as many as there are or more: all but one
	Drain     unit.Duration `yaml:"drain" default:"30m" range:"0s..7d"`               // longest wait for the sessions of an origin, default 30m
}

// EditionLabel says which edition of which application an origin runs.
type EditionLabel struct {
	Application string `yaml:"application" check:"name"` // name of an application
	Label       string `yaml:"label" check:"label"`      // such as "2.0"
}

// checkEditions gives each origin its edition, that of its cluster if it has none
// of its own, and looks at what is known of editions.
func (l *loader) checkEditions() {
	for _, name := range l.clusterNames() {
		c, path := l.cfg.Clusters[name], join("clusters", name)
		l.checkLabel(c.Edition, path+".edition")
		for i := range c.Origins {
			o := &c.Origins[i]
			l.checkLabel(o.Edition, index(path+".origins", i)+".edition")
			if o.Edition == (EditionLabel{}) {
				o.Edition = c.Edition
			}
		}
	}
	for _, name := range l.inFileOrder("editions", sortedKeys(l.cfg.Editions)) {
		e, path := l.cfg.Editions[name], join("editions", name)
		l.refer(path, path, "application", name, sortedKeys(l.cfg.Applications))
		if e.Next != "" && e.Next == e.Active && !l.bad[path+".next"] {
			l.fail(path+".next", "E207", fmt.Sprintf("%s.next is %s, which is active already", path, l.shown(path+".next", e.Next)), "write the label of the edition that is to come, or take next away")
		}
	}
}

// checkLabel looks at one label of an edition.
func (l *loader) checkLabel(e EditionLabel, path string) {
	if (e.Application == "") != (e.Label == "") && !l.anyBad(path) {
		l.fail(path, "E207", path+" has only one of application and label", "write both")
		return
	}
	l.refer(path+".application", path, "application", e.Application, sortedKeys(l.cfg.Applications))
}

// lintEditions looks for active editions that no origin runs. The next one has
// none before a roll-out.
func (l *loader) lintEditions() {
	carried := map[EditionLabel]bool{}
	for _, c := range l.cfg.Clusters {
		if c.Discover != nil {
			carried[c.Edition] = true
		}
		for _, o := range c.Origins {
			carried[o.Edition] = true
		}
	}
	for _, name := range sortedKeys(l.cfg.Editions) {
		path, active := join("editions", name)+".active", l.cfg.Editions[name].Active
		if !carried[EditionLabel{name, active}] {
			l.warn(path, "W348", fmt.Sprintf("%s is %s, which no origin runs: nothing serves the application", path, l.shown(path, active)))
		}
	}
}
