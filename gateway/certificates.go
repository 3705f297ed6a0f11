package gateway

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
)

// certificates are a listener's pairs of files, as they were read last.
type certificates struct {
	files  []config.Certificate
	loaded atomic.Pointer[[]tls.Certificate]
	config *tls.Config

	metrics []*metrics.Certificate // one a pair, in their order; nil: nobody counts
}

// measure brings up to date how long each is still valid.
func (c *certificates) measure(now time.Time) {
	for i, pair := range *c.loaded.Load() {
		c.metrics[i].Expiry.Set(int64(pair.Leaf.NotAfter.Sub(now).Seconds()))
	}
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

// load reads every pair, or changes nothing.
func (c *certificates) load() error {
	pairs := make([]tls.Certificate, len(c.files))
	for i, f := range c.files {
		pair, err := readPair(f)
		if err != nil {
			return fmt.Errorf("certificates[%d] (%s, %s): %w", i, f.Cert, f.Key, err)
		}
		pairs[i] = pair
	}
	c.loaded.Store(&pairs)
	return nil
}

// readPair reads a certificate and its key. The files may be anything by now.
func readPair(f config.Certificate) (tls.Certificate, error) {
	cert, err := config.ReadFile(f.Cert)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := config.ReadFile(f.Key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
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
	w.dirty = time.Time{}
	certs := w.certs
	w.mu.Unlock()
	for _, c := range certs { // reading may take long: nobody waits for it
		before := *c.loaded.Load()
		if err := c.load(); err != nil {
			w.log.Error("certificates changed and cannot be used; the old ones stay", slog.Any("error", err))
			continue
		}
		w.tell(c, before)
	}
}

// tell logs which certificates are new.
func (w *certWatcher) tell(c *certificates, before []tls.Certificate) {
	for i, pair := range *c.loaded.Load() {
		if leaf := pair.Leaf; !leaf.Equal(before[i].Leaf) {
			w.log.Info("certificate reloaded", slog.String("file", c.files[i].Cert),
				slog.String("names", strings.Join(certificateNames(leaf), " ")), slog.Time("not_after", leaf.NotAfter))
		}
	}
}

// measure brings the expiries of all up to date.
func (w *certWatcher) measure(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.certs {
		c.measure(now)
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
