package route

import (
	"errors"
	"fmt"
	"strings"
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
	byApplication                    bool // the cluster is not looked at
}

// ParseDestination reads a destination: a cluster as cell/cluster, or its name
// alone in the cell home; one origin of it as cell/cluster/origin; those of an
// edition as cell/cluster@edition; an application's wherever they are as
// app:NAME or app:NAME@edition; and the long forms cluster=CELL,CLUSTER and
// server=CELL,HOST,USERDIR,ORIGIN. In every part a * stands for any characters.
func ParseDestination(text, home string) (Destination, error) {
	d := Destination{text: text}
	if strings.ContainsAny(text, " \t\r\n") {
		return d, errors.New("a destination has no blanks")
	}
	switch kind, rest, long := strings.Cut(text, "="); {
	case long && kind == "cluster":
		return d, d.parts(rest, ",", "cluster=CELL,CLUSTER", &d.cell, &d.cluster)
	case long && kind == "server":
		return d, d.parts(rest, ",", "server=CELL,HOST,USERDIR,ORIGIN", &d.cell, &d.host, &d.dir, &d.origin)
	}
	if name, ok := strings.CutPrefix(text, "app:"); ok {
		return d, d.app(name)
	}
	return d, d.short(text, home)
}

// app reads NAME or NAME@edition.
func (d *Destination) app(text string) error {
	d.byApplication = true
	name, edition, err := cutEdition(text)
	if err != nil {
		return err
	}
	d.edition = edition
	return d.parts(name, "\x00", "app:NAME or app:NAME@EDITION", &d.application)
}

// short reads cluster, cell/cluster, or cell/cluster/origin, whose name may be an
// address.
func (d *Destination) short(text, home string) error {
	const forms = "cell/cluster, cell/cluster/origin, cell/cluster@edition, app:NAME@edition, cluster=CELL,CLUSTER or server=CELL,HOST,USERDIR,ORIGIN"
	cell, rest, found := strings.Cut(text, "/")
	if !found {
		cell, rest = home, text
	}
	cluster, origin, named := strings.Cut(rest, "/")
	if named {
		return d.parts(cell+"\x00"+cluster+"\x00"+origin, "\x00", forms, &d.cell, &d.cluster, &d.origin)
	}
	cluster, edition, err := cutEdition(cluster)
	if err != nil {
		return err
	}
	d.edition = edition
	return d.parts(cell+"\x00"+cluster, "\x00", forms, &d.cell, &d.cluster)
}

func cutEdition(text string) (rest string, edition wildcard, err error) {
	rest, label, found := strings.Cut(text, "@")
	if found && label == "" {
		return "", nil, errors.New(`no edition stands after "@"`)
	}
	if found {
		edition = newWildcard(label)
	}
	return rest, edition, nil
}

// parts reads as many parts as there are places for them.
func (d *Destination) parts(text, separator, form string, into ...*wildcard) error {
	parts := strings.Split(text, separator)
	if len(parts) != len(into) {
		return fmt.Errorf("write %s", form)
	}
	for i, p := range parts {
		if p == "" {
			return fmt.Errorf("a part is empty: write %s, with * for any", form)
		}
		*into[i] = newWildcard(p)
	}
	return nil
}

// Selects reports whether the destination selects an origin.
func (d *Destination) Selects(o *Origin) bool {
	return d.cell.fits(o.Cell) && d.cluster.fits(o.Cluster) && d.host.fits(o.Host) && d.dir.fits(o.UserDir) &&
		d.origin.fits(o.Name) && d.edition.fits(o.Edition.Label) && (!d.byApplication || d.application.fits(o.Edition.Application))
}

// NamesEdition reports whether the destination selects by edition.
func (d *Destination) NamesEdition() bool { return d.edition != nil }

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
