package config

import "fmt"

// Edition says which edition of an application serves.
type Edition struct {
	Active string `yaml:"active" required:"true" check:"label"` // label of the edition that serves requests which no rule sends to an edition; required
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
		path := join("editions", name)
		l.refer(path, path, "application", name, sortedKeys(l.cfg.Applications))
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

// lintEditions looks for active editions that no origin runs.
func (l *loader) lintEditions() {
	carried := map[EditionLabel]bool{}
	for _, c := range l.cfg.Clusters {
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
