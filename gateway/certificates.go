package gateway

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"weirkeep/gateway/config"
)

// certificates are a listener's pairs of files, as they were read last.
type certificates struct {
	files  []config.Certificate
	loaded atomic.Pointer[[]tls.Certificate]
	config *tls.Config
}

// loadCertificates reads every pair and makes the TLS configuration that
// chooses among them.
func loadCertificates(l *config.ListenerTLS) (*certificates, error) {
	c := &certificates{files: l.Certificates}
	if err := c.load(); err != nil {
		return nil, err
	}
	c.config = &tls.Config{GetCertificate: c.choose, NextProtos: []string{"http/1.1"}}
	return c, nil
}

func (c *certificates) load() error {
	pairs := make([]tls.Certificate, len(c.files))
	for i, f := range c.files {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return fmt.Errorf("certificates[%d] (%s, %s): %w", i, f.Cert, f.Key, err)
		}
		pairs[i] = pair
	}
	c.loaded.Store(&pairs)
	return nil
}

// choose returns the first pair that fits what the client asks for (SNI), or
// the first of all.
func (c *certificates) choose(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	pairs := *c.loaded.Load()
	for i := range pairs {
		if hello.SupportsCertificate(&pairs[i]) == nil {
			return &pairs[i], nil
		}
	}
	return &pairs[0], nil
}

// certSettle is how long files must be quiet before they are read again: a
// certificate and its key are written one after the other.
const certSettle = 300 * time.Millisecond

// certSettleMost is how long a folder may keep changing until its certificates
// are read all the same.
const certSettleMost = 2 * time.Second

// certWatcher reads certificates again when their files change. It watches the
// folders: files are usually replaced, not written to.
type certWatcher struct {
	log   *slog.Logger
	mu    sync.Mutex
	certs []*certificates
	files *fsnotify.Watcher
	dirs  map[string]bool // watched
	timer *time.Timer
	dirty time.Time // when the first change came that was not read yet; zero: none
}

func newCertWatcher(log *slog.Logger) *certWatcher {
	return &certWatcher{log: log, dirs: map[string]bool{}}
}

// watch watches these certificates from now on, and no others.
func (w *certWatcher) watch(certs []*certificates) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.certs = certs
	if w.files == nil && len(certs) > 0 && !w.start() {
		return
	}
	w.watchOnly(foldersOf(certs))
}

func foldersOf(certs []*certificates) map[string]bool {
	dirs := make(map[string]bool)
	for _, c := range certs {
		for _, f := range c.files {
			dirs[filepath.Dir(f.Cert)], dirs[filepath.Dir(f.Key)] = true, true
		}
	}
	return dirs
}

func (w *certWatcher) watchOnly(dirs map[string]bool) {
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

func (w *certWatcher) start() bool {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		w.log.Warn("certificates are not watched for changes", slog.Any("error", err))
		return false
	}
	w.files = files
	w.timer = time.AfterFunc(time.Hour, w.reload)
	w.timer.Stop()
	go w.run(files)
	return true
}

func (w *certWatcher) add(dir string) {
	if w.dirs[dir] {
		return
	}
	if err := w.files.Add(dir); err != nil {
		w.log.Warn("certificates are not watched for changes", slog.String("folder", dir), slog.Any("error", err))
		return
	}
	w.dirs[dir] = true
}

func (w *certWatcher) run(files *fsnotify.Watcher) {
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
			w.log.Warn("watching certificates", slog.Any("error", err))
		}
	}
}

// changed puts the next reading off until the files are quiet, but not for ever.
func (w *certWatcher) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.dirty.IsZero() {
		w.dirty = now
	}
	w.timer.Reset(max(0, min(certSettle, certSettleMost-now.Sub(w.dirty))))
}

// reload reads every pair again. Files that do not fit together (yet) change
// nothing.
func (w *certWatcher) reload() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = time.Time{}
	for _, c := range w.certs {
		if err := c.load(); err != nil {
			w.log.Error("certificates changed and cannot be used; the old ones stay", slog.Any("error", err))
		}
	}
}

func (w *certWatcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.files != nil {
		w.files.Close()
		w.timer.Stop()
		w.files = nil
	}
	w.certs = nil
}
