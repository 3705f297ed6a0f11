package tier

import (
	"slices"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// keep lets an answer be written when the writer comes to it.
func (v *Volume) keep(e *store.Entry) {
	id := idOf(e.Key(), e.Stored())
	size, _ := e.Body().Size()
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.closed:
	case size > v.longest.Load():
		v.voidLocked(id)
	case v.entries >= mostWaiting || v.held > 0 && v.held+size > mostHeld:
		v.counts.Load().dropped.Add(1)
		v.voidLocked(id)
	default:
		v.putLocked(id, e)
	}
}

// void makes sure that what has an id does not come back.
func (v *Volume) void(id disk.ID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.voidLocked(id)
}

func (v *Volume) voidLocked(id disk.ID) {
	if _, waits := v.pending[id]; !waits && id != v.writing && !v.ids.has(id) {
		return
	}
	v.ids.remove(id)
	v.putLocked(id, nil)
}

// putLocked makes an answer what is to be written of an id; nil: it is to be deleted.
func (v *Volume) putLocked(id disk.ID, e *store.Entry) {
	_, waits := v.pending[id]
	v.releaseLocked(id)
	if e != nil {
		size, _ := e.Body().Size()
		v.held += size
		v.entries++
	}
	if v.pending[id] = e; !waits {
		v.line = append(v.line, id)
	}
	v.nudge()
}

// releaseLocked stops counting what is to be written of an id.
func (v *Volume) releaseLocked(id disk.ID) {
	if e := v.pending[id]; e != nil {
		size, _ := e.Body().Size()
		v.held -= size
		v.entries--
	}
}

// A task is what the writer does about an id.
type task struct {
	id     disk.ID
	entry  *store.Entry // nil: it is deleted
	onDisk bool         // with the same body
}

// take takes the next task; false: there is none.
func (v *Volume) take() (t task, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.line) > 0 {
		t.id = v.line[0]
		v.line = v.line[1:]
		if t.entry, ok = v.pending[t.id]; ok {
			t.onDisk = v.ids.has(t.id)
			v.releaseLocked(t.id)
			delete(v.pending, t.id)
			v.writing = t.id
			return t, true
		}
	}
	v.line = nil
	return t, false
}

// finished notes what has become of a task.
func (v *Volume) finished(t task, kept bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.writing = disk.ID{}
	_, again := v.pending[t.id]
	switch {
	case !kept:
		v.ids.remove(t.id)
	case !again && !t.onDisk:
		v.ids.add(t.id)
		v.ids.tidy(v.disk.Has)
		sum := keySum(t.id[:12])
		if all := v.ids.of(sum); len(all) > mostVariants {
			v.voidLocked(all[0])
		}
	}
}

// readable are the ids of a key of what may be read: what is about to change may not.
func (v *Volume) readable(sum keySum) []disk.ID {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.DeleteFunc(v.ids.of(sum), func(id disk.ID) bool {
		_, waits := v.pending[id]
		return waits || id == v.writing
	})
}

// voidTarget implements Tier.VoidTarget.
func (v *Volume) voidTarget(sum keySum) (int, func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	ids := v.ids.ofTarget(sum)
	for id := range v.pending {
		if [8]byte(id[:8]) == [8]byte(sum[:8]) {
			v.voidLocked(id)
		}
	}
	if [8]byte(v.writing[:8]) == [8]byte(sum[:8]) {
		v.voidLocked(v.writing)
	}
	for _, id := range ids {
		v.voidLocked(id)
	}
	return len(ids), func() { v.deleteAll(ids) }
}
