package gateway

import (
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fileSettle is how long files must be quiet before they are read again: a
// certificate and its key are written one after the other.
const fileSettle = 300 * time.Millisecond

// fileSettleMost is how long a folder may keep changing until its files are read all
// the same.
const fileSettleMost = 2 * time.Second

// fileWatcher calls when files change. It watches the folders: files are usually
// replaced, not written to.
type fileWatcher struct {
	what   string // the files are, for the log
	log    *slog.Logger
	reload func()

	mu    sync.Mutex
	files *fsnotify.Watcher
	dirs  map[string]bool // watched
	timer *time.Timer
	dirty time.Time // when the first change came that was not told yet; zero: none
}

func newFileWatcher(what string, log *slog.Logger, reload func()) *fileWatcher {
	return &fileWatcher{what: what, log: log, reload: reload, dirs: map[string]bool{}}
}

// watch watches these files from now on, and no others.
func (w *fileWatcher) watch(files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.files == nil && (len(files) == 0 || !w.start()) {
		return
	}
	dirs := make(map[string]bool)
	for _, file := range files {
		dirs[filepath.Dir(file)] = true
	}
	w.watchOnly(dirs)
}

func (w *fileWatcher) watchOnly(dirs map[string]bool) {
	for dir := range w.dirs {
		if !dirs[dir] {
			w.files.Remove(dir)
			delete(w.dirs, dir)
		}
	}
	for dir := range dirs {
		w.add(dir)
	}
}

func (w *fileWatcher) start() bool {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		w.log.Warn(w.what+" are not watched for changes", slog.Any("error", err))
		return false
	}
	w.files = files
	w.timer = time.AfterFunc(time.Hour, w.tell)
	w.timer.Stop()
	go w.run(files)
	return true
}

func (w *fileWatcher) add(dir string) {
	if w.dirs[dir] {
		return
	}
	if err := w.files.Add(dir); err != nil {
		w.log.Warn(w.what+" are not watched for changes", slog.String("folder", dir), slog.Any("error", err))
		return
	}
	w.dirs[dir] = true
}

func (w *fileWatcher) run(files *fsnotify.Watcher) {
	for {
		select {
		case _, ok := <-files.Events:
			if !ok {
				return
			}
			w.changed()
		case err, ok := <-files.Errors:
			if !ok {
				return
			}
			w.log.Warn("watching "+w.what, slog.Any("error", err))
		}
	}
}

// changed puts the next reading off until the files are quiet, but not for ever.
func (w *fileWatcher) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.dirty.IsZero() {
		w.dirty = now
	}
	w.timer.Reset(max(0, min(fileSettle, fileSettleMost-now.Sub(w.dirty))))
}

// tell has the files read again, with no lock held: reading may take long.
func (w *fileWatcher) tell() {
	w.mu.Lock()
	w.dirty = time.Time{}
	w.mu.Unlock()
	w.reload()
}

func (w *fileWatcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.files != nil {
		w.files.Close()
		w.timer.Stop()
		w.files = nil
	}
}
