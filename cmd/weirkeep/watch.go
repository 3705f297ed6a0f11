package main

import (
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	settled    = 300 * time.Millisecond // a change is over when nothing happened for so long
	settleMost = 2 * time.Second        // or after this, whatever happens
)

// watcher tells when something happened in the directories of a configuration.
// It watches directories because editors and Kubernetes do not write a file
// but put another in its place, often by moving a symbolic link. Whether a file
// that matters is different now is for the [source] to find out.
type watcher struct {
	fs      *fsnotify.Watcher
	changed chan struct{}
}

func newWatcher() (*watcher, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{fs: fs, changed: make(chan struct{}, 1)}
	go w.run()
	return w, nil
}

// follow watches these directories too. What is watched already stays so.
func (w *watcher) follow(dirs []string) error {
	var first error
	for _, dir := range dirs {
		if err := w.fs.Add(dir); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (w *watcher) close() { w.fs.Close() }

// run ends when the watcher is closed.
func (w *watcher) run() {
	for w.happened(nil) {
		w.settle()
		w.poke()
	}
}

// poke makes somebody look at the files.
func (w *watcher) poke() {
	select {
	case w.changed <- struct{}{}:
	default: // nobody has looked since the last time
	}
}

// happened waits for an event, or until stop. An error counts as one: events
// were lost.
func (w *watcher) happened(stop <-chan time.Time) bool {
	select {
	case _, open := <-w.fs.Events:
		return open
	case _, open := <-w.fs.Errors:
		return open
	case <-stop:
		return false
	}
}

// settle waits until nothing more happens: a file that is being written is not
// read half.
func (w *watcher) settle() {
	end := time.Now().Add(settleMost)
	for left := settleMost; left > 0; left = time.Until(end) {
		if !w.happened(time.After(min(settled, left))) {
			return
		}
	}
}
