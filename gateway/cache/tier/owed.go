package tier

import (
	"sync"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// Bounds of what is owed. When there is more, all of the volume goes.
const (
	mostOwed   = 1 << 16 // ids and targets
	mostPurges = 1 << 10
)

// owed is what a volume that is still to come has to be told: another process, whose place
// this one takes, has it for now.
type owed struct {
	mu      sync.Mutex
	paid    bool
	all     bool // there was too much
	ids     []disk.ID
	targets []keySum
	purges  []owedPurge
}

type owedPurge struct {
	sel *store.Selector
	how store.How
}

// Await remembers what a volume has to be told that is going to be in use soon.
func (t *Tier) Await() { t.owed.Store(new(owed)) }

// Awaits reports whether a volume is still to come.
func (t *Tier) Awaits() bool { return t.owed.Load() != nil }

// owe remembers something for the volume that is awaited. False: none is, or not any more.
func (t *Tier) owe(add func(*owed)) bool {
	o := t.owed.Load()
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.paid {
		return false
	}
	add(o)
	if len(o.ids)+len(o.targets) > mostOwed || len(o.purges) > mostPurges {
		o.clearLocked()
		o.all = true
	}
	return true
}

// clearLocked forgets what is owed.
func (o *owed) clearLocked() {
	o.all, o.ids, o.targets, o.purges = false, nil, nil, nil
}

// pay tells a volume what is owed to it, and makes it the one in use.
func (t *Tier) pay(o *owed, v *Volume) (before *Volume) {
	for {
		o.mu.Lock()
		if !o.all && len(o.ids)+len(o.targets)+len(o.purges) == 0 {
			o.paid = true
			before = t.volume.Swap(v)
			o.mu.Unlock()
			return before
		}
		due := owed{all: o.all, ids: o.ids, targets: o.targets, purges: o.purges}
		o.clearLocked()
		o.mu.Unlock()
		due.tell(v)
	}
}

// tell tells a volume that nobody else uses.
func (o *owed) tell(v *Volume) {
	if o.all {
		v.clearAll()
	}
	for _, id := range o.ids {
		v.void(id)
	}
	for _, sum := range o.targets {
		v.voidTarget(sum)
	}
	for _, p := range o.purges {
		v.purge(p.sel, p.how, false)(nil)
	}
}
