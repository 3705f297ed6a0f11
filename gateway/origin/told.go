package origin

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"weirkeep/gateway/wire"
)

// Told is what an origin says of itself in the head of a good answer to a check.
type Told struct {
	// Edition is the label of the edition that it runs, by X-Edition.
	// Empty: it does not say.
	Edition string

	// Cluster is the list of the servers of its WebLogic cluster, as it stands in
	// X-WebLogic-Cluster-List (D-WL-10). An answer without one says that nothing has
	// changed. Empty: it has never said.
	Cluster string
}

// The longest values that are believed.
const (
	maxLabel = 64       // what configurations can say
	maxList  = 64 << 10 // 800 servers fit
)

// Told is what good answers to checks have said last; before one, nothing. Where
// checks ask at several paths, the first that says something counts.
func (o *Origin) Told() Told {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.says()
}

func (o *Origin) says() (t Told) {
	for _, c := range o.checks {
		at := o.told[c.o.Path]
		t.Edition, t.Cluster = cmp.Or(t.Edition, at.Edition), cmp.Or(t.Cluster, at.Cluster)
	}
	return t
}

// hear keeps what a good answer says, and tells who wants to know if it is news.
func (c *Check) hear(head []byte) {
	if o := c.pool.origin; c.keep(head) && o.OnTold != nil {
		o.OnTold(o)
	}
}

// keep notes what a good answer says, and reports whether the origin tells other
// than before. Who has not asked for the servers hears nothing of them.
func (c *Check) keep(head []byte) (news bool) {
	o := c.pool.origin
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.stopped {
		return false
	}
	before, t := o.says(), o.told[c.o.Path]
	t.Edition = fieldOf(head, "x-edition", maxLabel)
	if c.o.ClusterInfo {
		t.Cluster = cmp.Or(fieldOf(head, "x-weblogic-cluster-list", maxList), t.Cluster)
	}
	if o.told == nil {
		o.told = make(map[string]Told)
	}
	o.told[c.o.Path] = t
	return o.says() != before
}

// unsay forgets what was told at paths that no check asks for any more. The caller
// holds the lock.
func (o *Origin) unsay() {
	maps.DeleteFunc(o.told, func(path string, _ Told) bool {
		return !slices.ContainsFunc(o.checks, func(c *Check) bool { return c.o.Path == path })
	})
}

// fieldOf is the value of the first field of a name, which is in lower case;
// nothing, if that is too long or has control bytes.
func fieldOf(head []byte, name string, most int) string {
	for line := range bytes.SplitSeq(head, headEnd[:2]) {
		key, value, found := bytes.Cut(line, []byte(":"))
		if !found || !wire.EqualFold(key, name) {
			continue
		}
		if value = wire.TrimBlanks(value); wire.IsValue(value) && len(value) <= most {
			return string(value)
		}
		return ""
	}
	return ""
}
