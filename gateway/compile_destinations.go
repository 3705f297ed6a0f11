package gateway

import (
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/config"
	"weirkeep/gateway/route"
)

// destinations reads what a permit names. One that selects nothing at all, now and
// after a roll-out, is a slip of the pen.
func (c *compiler) destinations(path string, a *ruleAction, texts []string) (all []route.Destination) {
	for i, text := range texts {
		at := fmt.Sprintf("%s[%d]", path, i)
		d, err := route.ParseDestination(text, c.cfg.Node.Cell)
		if err != nil {
			a.astray = true
			c.fail(at, "E314", "rule %q: %q: %v", a.name, text, err)
			continue
		}
		switch {
		case len(selected(&d, c.origins())) > 0:
		case len(selected(&d, c.comingOrigins())) > 0:
			a.coming = true
		case c.mayBeFound(&d):
			a.coming = true
		default:
			a.astray = true
			c.selectsNothing(at, a.name, text)
		}
		all = append(all, d)
	}
	return all
}

func (c *compiler) selectsNothing(at, rule, text string) {
	what, known := c.instead(text)
	message := fmt.Sprintf("rule %q sends to %s, which selects no origin; %s: %s", rule, text, what, config.Listing(known))
	c.problems = append(c.problems, c.cfg.At(at, config.Error, "E205", message, config.Suggest(text, known)))
}

// selected are the origins that a destination selects.
func selected(d *route.Destination, origins []route.Origin) (all []route.Origin) {
	for _, o := range origins {
		if d.Selects(&o) {
			all = append(all, o)
		}
	}
	return all
}

func (c *compiler) origins() (all []route.Origin) {
	for _, cl := range c.snap.clusters {
		all = append(all, c.routeCluster(cl).Origins...)
	}
	return all
}

// mayBeFound reports whether a destination can select an origin that is not found now.
func (c *compiler) mayBeFound(d *route.Destination) bool {
	for _, cl := range c.snap.clusters {
		cfg := c.cfg.Clusters[cl.name]
		if cfg.Discover == nil {
			continue
		}
		e := c.cfg.Editions[cfg.Edition.Application]
		o := route.Origin{Cell: cl.cell, Cluster: cl.short, Edition: route.Edition{Application: cfg.Edition.Application}}
		for _, o.Edition.Label = range append([]string{cfg.Edition.Label, e.Active, e.Next}, e.Between...) {
			if d.SelectsIn(&o) {
				return true
			}
		}
	}
	return false
}

// comingOrigins are the origins with each edition that they run now, have run, or will:
// rules may be there before a roll-out, and after it.
func (c *compiler) comingOrigins() (all []route.Origin) {
	for _, o := range c.origins() {
		e := c.cfg.Editions[o.Edition.Application]
		for _, o.Edition.Label = range append([]string{o.Edition.Label, e.Active, e.Next}, e.Between...) {
			all = append(all, o)
		}
	}
	return all
}

// instead is what could stand in the place of a destination that selects nothing,
// in the form that it has: what that is, and the texts.
func (c *compiler) instead(text string) (what string, known []string) {
	if app, ok := strings.CutPrefix(text, "app:"); ok {
		return c.insteadOfApplication(app)
	}
	name, label, labelled := strings.Cut(text, "@")
	within := name
	if parts := strings.SplitN(name, "/", 3); len(parts) == 3 {
		within = parts[0] + "/" + parts[1]
	}
	d, err := route.ParseDestination(within, c.cfg.Node.Cell)
	of := selected(&d, c.comingOrigins())
	switch {
	case err != nil || len(of) == 0:
		return "clusters are", c.clustersLike(text, within)
	case labelled && label != "":
		return "editions of " + name + " are", texts(of, func(o *route.Origin) string { return suffixed(name+"@", o.Edition.Label) })
	}
	return "origins of " + within + " are", texts(of, func(o *route.Origin) string { return within + "/" + o.Name })
}

// clustersLike are the clusters as a destination names them: with their cell if that
// is written, and what follows.
func (c *compiler) clustersLike(text, within string) []string {
	rest := strings.TrimPrefix(text, within)
	bare := !strings.ContainsAny(within, "/=")
	return texts(c.origins(), func(o *route.Origin) string {
		switch {
		case bare && o.Cell != c.cfg.Node.Cell:
			return ""
		case bare:
			return o.Cluster + rest
		}
		return o.Cell + "/" + o.Cluster + rest
	})
}

// insteadOfApplication are the editions of an application, or those of all if there is
// none of the name.
func (c *compiler) insteadOfApplication(text string) (what string, known []string) {
	name, _, labelled := strings.Cut(text, "@")
	form := func(o *route.Origin) string {
		if !labelled {
			return suffixed("app:", o.Edition.Application)
		}
		return suffixed("app:"+o.Edition.Application+"@", o.Edition.Label)
	}
	own := func(o *route.Origin) string {
		if o.Edition.Application != name {
			return ""
		}
		return form(o)
	}
	all := c.comingOrigins()
	if known = texts(all, own); len(known) > 0 {
		return "editions of " + name + " are", known
	}
	return "origins have the editions", texts(all, form)
}

// texts are what some origins are called, once each and sorted; empty texts are left
// out.
func texts(origins []route.Origin, form func(o *route.Origin) string) (all []string) {
	for i := range origins {
		if text := form(&origins[i]); text != "" {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// suffixed is a prefix with a text; empty: there is no text.
func suffixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
