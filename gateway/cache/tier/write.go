package tier

import (
	"errors"
	"io"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// write does what is to be done, until the volume is closed and nothing is left.
func (v *Volume) write() {
	for {
		if v.step() {
			continue
		}
		v.mu.Lock()
		ended := v.closed && len(v.line) == 0
		v.mu.Unlock()
		if ended {
			return
		}
		<-v.wake
	}
}

// step does one thing, if there is any.
func (v *Volume) step() bool {
	v.work.Lock()
	defer v.work.Unlock()
	t, ok := v.take()
	if !ok {
		return false
	}
	err := v.do(t)
	if err != nil {
		v.counts.Load().failed.Add(1)
	}
	kept := err == nil && t.entry != nil
	v.finished(t, kept)
	if kept {
		v.tags.add(t.id, t.entry.Stored().Tags, v.has)
	}
	return true
}

// do does one thing. After an error nothing of that id is on the disk, as far as can be.
func (v *Volume) do(t task) (err error) {
	switch {
	case t.entry == nil:
		return v.disk.Delete(t.id)
	case t.onDisk:
		if err = v.relabel(t); !errors.Is(err, disk.ErrNotFound) {
			break
		}
		fallthrough
	default:
		err = v.create(t)
	}
	if err != nil {
		err = errors.Join(err, v.disk.Delete(t.id))
	}
	return err
}

// relabel writes what is known of an answer whose body is there. What is there is compared,
// since another answer may have the same id: disk.ErrNotFound.
func (v *Volume) relabel(t task) error {
	o, err := v.disk.Open(t.id)
	if err != nil {
		return disk.ErrNotFound
	}
	defer o.Close()
	k, s, ok := readLabel(o.Label())
	size, _ := t.entry.Body().Size()
	if !ok || !k.Equal(t.entry.Key()) || !s.SameVariant(t.entry.Stored()) || s.Part.First != t.entry.Stored().Part.First || o.Length() != size {
		return disk.ErrNotFound
	}
	return o.SetLabel(labelOf(t.entry.Key(), t.entry.Stored()))
}

// create writes an answer.
func (v *Volume) create(t task) error {
	size, all := t.entry.Body().Size()
	if !all {
		return io.ErrUnexpectedEOF
	}
	w, err := v.disk.Create(t.id, labelOf(t.entry.Key(), t.entry.Stored()), size)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := copyBody(w, t.entry.Body()); err != nil {
		return err
	}
	return w.Commit()
}

// copyBody writes a body that is complete.
func copyBody(w *disk.Writer, b *store.Body) error {
	r := b.Reader(0, -1)
	defer r.Close()
	for {
		p, err := r.Next(patient{})
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
}

// patient waits for as long as it takes, which is no time: what it reads is complete.
type patient struct{}

// Gone implements store.Waiter.
func (patient) Gone() bool { return false }

// deleteAll deletes what has been made void already, so that a process that is killed now
// does not find it again. Failures are the writer's to deal with, which does the same.
func (v *Volume) deleteAll(ids []disk.ID) {
	for _, id := range ids {
		v.disk.Delete(id)
	}
}
