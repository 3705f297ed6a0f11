package origin

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// Told is what an origin says of itself in the head of a good answer to a check.
type Told struct {
	// Edition is the label of the edition that it runs, by X-Edition.
	// Empty: it does not say.
	Edition string

	// Cluster is the list of the servers of its WebLogic cluster, as it stands in
	// X-WebLogic-Cluster-List (D-WL-10). Empty: it does not say.
	Cluster string
}

// maxTold is the longest value that is believed: a list of 800 servers fits.
const maxTold = 64 << 10

// Told is what the last good answer to a check has said; before one, nothing.
func (o *Origin) Told() Told {
	if t := o.told.Load(); t != nil {
		return *t
	}
	return Told{}
}

// hear keeps what a good answer says, and tells who wants to know if it is news.
func (o *Origin) hear(head []byte) {
	t := Told{Edition: fieldOf(head, "x-edition"), Cluster: fieldOf(head, "x-weblogic-cluster-list")}
	if o.Told() == t {
		return
	}
	o.told.Store(&t)
	if o.OnTold != nil {
		o.OnTold(o)
	}
}

// fieldOf is the value of the first field of a name, which is in lower case;
// nothing, if it is not one for people.
func fieldOf(head []byte, name string) string {
	for line := range bytes.SplitSeq(head, headEnd[:2]) {
		key, value, found := bytes.Cut(line, []byte(":"))
		if !found || !wire.EqualFold(key, name) {
			continue
		}
		if value = wire.TrimBlanks(value); wire.IsValue(value) && len(value) <= maxTold {
			return string(value)
		}
		return ""
	}
	return ""
}
