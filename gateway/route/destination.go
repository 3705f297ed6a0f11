package route

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Origin is one origin of a cluster, with what destinations can name of it.
type Origin struct {
	Cell, Cluster string // the cluster's name, without its cell
	Name          string
	Host          string // the machine that it runs on
	UserDir       string // a label, for destinations of four parts
	Edition       Edition
	IDs           []string // by which session ids name it
	Identity      int      // of its address: the same wherever that stands, counted from 0
}

// An Edition is a version of an application.
type Edition struct {
	Application, Label string
}

// A Destination is a pattern that selects origins.
type Destination struct {
	text                             string
	cell, cluster, host, dir, origin wildcard
	application, edition             wildcard
}

// ParseDestination reads a destination: a cluster as cell/cluster, or its name
// alone in the cell home; one origin of it as cell/cluster/origin; those of an
// edition as cell/cluster@edition; an application's wherever they are as
// app:NAME or app:NAME@edition; and the long forms cluster=CELL,CLUSTER and
// server=CELL,HOST,USERDIR,ORIGIN. In every part a * stands for any characters.
// An origin may be named by an address, also one that is a URL.
func ParseDestination(text, home string) (Destination, error) {
	d := Destination{text: text}
	if tight := strings.Join(strings.Fields(text), ""); tight != text {
		return d, fmt.Errorf("a destination has no blanks: write %q", tight)
	}
	kind, rest, long := strings.Cut(text, "=")
	app, byApplication := strings.CutPrefix(text, "app:")
	switch {
	case long:
		return d, d.long(kind, strings.Split(rest, ","))
	case byApplication:
		return d, d.app(app)
	}
	return d, d.short(strings.SplitN(text, "/", 3), home)
}

// The forms of a destination, as errors show them.
const (
	shortForm   = "cell/cluster, cell/cluster/origin or cell/cluster@edition"
	appForm     = "app:NAME or app:NAME@EDITION"
	clusterForm = "cluster=CELL,CLUSTER"
	serverForm  = "server=CELL,HOST,USERDIR,ORIGIN"
)

// long reads what stands after "cluster=" or "server=".
func (d *Destination) long(kind string, texts []string) error {
	cell, cluster := part{"cell", &d.cell}, part{"cluster", &d.cluster}
	host, dir, origin := part{"host", &d.host}, part{"user directory", &d.dir}, part{"origin", &d.origin}
	switch kind {
	case "cluster":
		return readParts(clusterForm, texts, cell, cluster)
	case "server":
		return readParts(serverForm, texts, cell, host, dir, origin)
	}
	return fmt.Errorf(`nothing begins with "%s=": write %s or %s`, kind, clusterForm, serverForm)
}

// app reads NAME or NAME@edition.
func (d *Destination) app(text string) error {
	return d.readLabelled(appForm, []string{text}, part{"application", &d.application})
}

// short reads a cluster, a cell and a cluster, or these and an origin.
func (d *Destination) short(texts []string, home string) error {
	cell, cluster := part{"cell", &d.cell}, part{"cluster", &d.cluster}
	switch len(texts) {
	case 1:
		return d.readLabelled(shortForm, []string{home, texts[0]}, cell, cluster)
	case 2:
		return d.readLabelled(shortForm, texts, cell, cluster)
	}
	return readParts(shortForm, texts, cell, cluster, part{"origin", &d.origin})
}

// readLabelled reads parts of which the last one may end in @edition.
func (d *Destination) readLabelled(form string, texts []string, parts ...part) error {
	last := len(texts) - 1
	name, label, found := strings.Cut(texts[last], "@")
	if found {
		texts, parts = append(texts[:last], name, label), append(parts, part{"edition", &d.edition})
	}
	return readParts(form, texts, parts...)
}

// A part is a place in a destination for one wildcard.
type part struct {
	name string
	of   *wildcard
}

func readParts(form string, texts []string, parts ...part) error {
	if len(texts) != len(parts) {
		return fmt.Errorf("%d parts are wanted, not %d: write %s", len(parts), len(texts), form)
	}
	for i, p := range parts {
		if err := p.read(texts[i]); err != nil {
			return fmt.Errorf("%w: write %s", err, form)
		}
	}
	return nil
}

// read refuses what would select nothing, whatever the configuration: no name
// holds what parts the forms of destinations.
func (p part) read(text string) error {
	if text == "" {
		return fmt.Errorf("the %s is empty (* stands for any)", p.name)
	}
	name := text
	if p.name == "origin" {
		name = strings.Replace(text, "://", "", 1)
	}
	if i := strings.IndexFunc(name, cannotBeInName); i >= 0 {
		c, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Errorf("%q cannot stand in the %s", string(c), p.name)
	}
	*p.of = newWildcard(text)
	return nil
}

func cannotBeInName(c rune) bool {
	return strings.ContainsRune("/@=,", c) || unicode.IsControl(c)
}

// Selects reports whether the destination selects an origin.
func (d *Destination) Selects(o *Origin) bool {
	return d.cell.fits(o.Cell) && d.cluster.fits(o.Cluster) && d.host.fits(o.Host) && d.dir.fits(o.UserDir) &&
		d.origin.fits(o.Name) && d.edition.fits(o.Edition.Label) && d.application.fits(o.Edition.Application)
}

// SelectsIn reports whether the destination would select an origin of a cluster, whatever
// the origin's name and machine: o has the cluster and the edition.
func (d *Destination) SelectsIn(o *Origin) bool {
	return d.cell.fits(o.Cell) && d.cluster.fits(o.Cluster) && d.edition.fits(o.Edition.Label) && d.application.fits(o.Edition.Application)
}

// namesEdition reports whether the destination selects by edition.
func (d *Destination) namesEdition() bool { return d.edition != nil }

// String is the destination as it was written.
func (d *Destination) String() string { return d.text }

// A wildcard is a text whose parts are parted by *; nil fits everything.
type wildcard []string

func newWildcard(text string) wildcard { return strings.Split(text, "*") }

// fits reports whether the text begins with the first part, ends with the last,
// and has the others in between, in order.
func (w wildcard) fits(text string) bool {
	if len(w) < 2 {
		return w == nil || text == w[0]
	}
	rest, ok := strings.CutPrefix(text, w[0])
	if !ok {
		return false
	}
	for _, part := range w[1 : len(w)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, w[len(w)-1])
}
