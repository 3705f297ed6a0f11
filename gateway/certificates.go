package gateway

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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

// certWatcher reads certificates again when their files change.
type certWatcher struct {
	log   *slog.Logger
	mu    sync.Mutex
	certs []*certificates
	files *fileWatcher
}

func newCertWatcher(log *slog.Logger) *certWatcher {
	w := &certWatcher{log: log}
	w.files = newFileWatcher("certificates", log, w.reload)
	return w
}

// watch watches these certificates from now on, and no others.
func (w *certWatcher) watch(certs []*certificates) {
	w.mu.Lock()
	w.certs = certs
	w.mu.Unlock()
	var files []string
	for _, c := range certs {
		for _, f := range c.files {
			files = append(files, f.Cert, f.Key)
		}
	}
	w.files.watch(files)
}

// reload reads every pair again. Files that do not fit together (yet) change
// nothing.
func (w *certWatcher) reload() {
	w.mu.Lock()
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
	w.files.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.certs = nil
}
