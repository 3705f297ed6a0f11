package gateway

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"syscall"
	"time"

	"weirkeep/gateway/cache/tier"
	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
)

// applied is the configuration that is current.
type applied struct {
	config   *config.Config // as it was written
	served   *config.Config // as it is at present
	revision int
	at       time.Time
}

// Check says what Apply would say of cfg, short of what only trying shows (an
// address in use). Nothing is bound, opened or kept.
func Check(cfg *config.Config) config.Problems {
	uses := newUses(newRegistry(dialTCP, slog.New(slog.DiscardHandler)))
	defer uses.release()
	cfg, doubts := withFiles(cfg)
	_, problems := compile(cfg, uses, metrics.New(nil).NewSet(), new(dateCache))
	problems = append(problems, checkSettings(cfg)...)
	problems = append(problems, checkVolume(cfg)...)
	problems = append(problems, doubts...)
	for i := range cfg.Listeners {
		c, p := listenerTLS(cfg, i)
		if p != nil {
			problems = append(problems, *p)
		}
		problems = append(problems, certificateWarnings(cfg, i, c, time.Now())...)
	}
	return problems
}

// Apply makes cfg current, or leaves everything as it was: if a problem of the
// result is an error, nothing was changed. The first Apply begins to serve.
// What was under way goes on with the configuration it began with.
func (g *Gateway) Apply(cfg *config.Config) config.Problems {
	finders, doubts := g.scout(cfg)
	g.applying.Lock()
	defer g.applying.Unlock()
	next, problems := g.presentUnder(cfg, finders)
	p := g.prepare(next.over(cfg))
	p.problems = append(problems, doubts...)
	switch {
	case g.closing.Load():
		p.problem("", "E801", "the gateway is shutting down")
	case problems.Errors() == 0:
		p.prepare()
	}
	if p.problems.Errors() == 0 {
		p.saveBroken()
	}
	if p.problems.Errors() > 0 {
		p.undo()
		g.noteRefused(p.problems)
		return p.problems
	}
	p.swap()
	moved := g.applied != nil && g.applied.config.Node.StateDir != cfg.Node.StateDir
	g.note(cfg, p.cfg)
	g.goOn(next, moved)
	g.discovery.follow(finders)
	return p.problems
}

// ReloadFailed notes, for Status and metrics, that a configuration was refused
// before Apply could see it. The problems must hold an error.
func (g *Gateway) ReloadFailed(problems config.Problems) {
	g.applying.Lock()
	defer g.applying.Unlock()
	g.noteRefused(problems)
}

func (g *Gateway) noteRefused(problems config.Problems) {
	g.metrics.Process.ReloadsFailed.Inc()
	g.metrics.Process.LastReloadOK.Set(0)
	first := slices.IndexFunc(problems, func(p config.Problem) bool { return p.Severity == config.Error })
	p := problems[first]
	p.Excerpt, p.Hint = "", ""
	g.refused = &Refusal{At: g.now(time.Now()), Problem: p.String(), Errors: problems.Errors()}
}

// preparation is everything a configuration needs, made ready beside what is
// current. Until swap, nobody else sees it.
type preparation struct {
	g        *Gateway
	cfg      *config.Config
	problems config.Problems

	uses    *uses
	set     *metrics.Set
	snap    *snapshot
	options []*listenerOptions   // of cfg.Listeners, in order
	bound   map[string]*listener // by address, new ones
	access  *accessLog           // new one, or nil: the current one stays
	volume  *tier.Volume         // the same
	awaits  bool                 // a volume that the gateway before has
}

func (g *Gateway) prepare(cfg *config.Config) *preparation {
	return &preparation{g: g, cfg: cfg, uses: newUses(g.registry), set: g.metrics.NewSet()}
}

func (p *preparation) problem(path, code, format string, args ...any) {
	p.problems = append(p.problems, p.cfg.At(path, config.Error, code, fmt.Sprintf(format, args...), ""))
}

func (p *preparation) prepare() {
	var problems config.Problems
	p.snap, problems = compile(p.cfg, p.uses, p.set, &p.g.dates)
	p.problems = append(p.problems, problems...)
	p.listeners()
	p.accessLog()
	p.inputsKey()
	p.openVolume()
	if p.problems.Errors() == 0 {
		p.uses.tryNewcomers()
	}
}

// inputsKey gives the access log the key that it hashes with.
func (p *preparation) inputsKey() {
	if p.snap.inputs == nil || p.problems.Errors() > 0 {
		return
	}
	key, err := inputsKey(p.cfg)
	if err != nil {
		p.problem("access_log.inputs", "E805", "access_log.inputs: no key can be kept in node.state_dir: %v", err)
		return
	}
	p.snap.inputs.key = key
}

// listeners binds the addresses that are new, and reads certificates.
func (p *preparation) listeners() {
	p.bound = make(map[string]*listener)
	for i, cfg := range p.cfg.Listeners {
		secure, problem := listenerTLS(p.cfg, i)
		if problem != nil {
			p.problems = append(p.problems, *problem)
			continue
		}
		o := &listenerOptions{
			name:        cfg.Name,
			redirect:    cfg.RedirectToHTTPS,
			proxied:     cfg.ProxyProtocol == "require",
			headerBytes: int(p.cfg.Limits.HeaderBytes),
			metrics:     p.set.Listener(cfg.Name),
		}
		if secure != nil {
			o.tls, o.certs = secure.config, secure
			secure.count(cfg.Name, p.set)
			p.problems = append(p.problems, certificateWarnings(p.cfg, i, secure, p.g.now(time.Now()))...)
		}
		p.options = append(p.options, o)
		p.bind(i, cfg)
	}
}

func (p *preparation) bind(i int, cfg config.Listener) {
	if p.g.listeners[cfg.Address] != nil || p.problems.Errors() > 0 {
		return
	}
	if p.bound[cfg.Address] != nil {
		path := fmt.Sprintf("listeners[%d].address", i)
		p.problem(path, "E802", "%s: %s stands there twice", path, cfg.Address)
		return
	}
	socket, own, err := p.g.listen(cfg.Address)
	if err != nil {
		path := fmt.Sprintf("listeners[%d].address", i)
		p.problem(path, "E802", "%s: cannot listen on %s: %s", path, cfg.Address, whyNotListen(err))
		return
	}
	p.bound[cfg.Address] = &listener{address: cfg.Address, socket: socket, own: own, gateway: p.g}
}

func whyNotListen(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "the address is in use by another process (ss -ltnp shows which)"
	case errors.Is(err, syscall.EACCES):
		return "permission denied: ports below 1024 need CAP_NET_BIND_SERVICE"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "this machine has no such address"
	}
	return err.Error()
}

// accessLog opens a log that is not the current one.
func (p *preparation) accessLog() {
	cfg := p.cfg.AccessLog
	if a := p.g.applied; a != nil && sameLog(a.config.AccessLog, cfg) || p.problems.Errors() > 0 {
		return
	}
	log, err := openAccessLog(accessOptions{
		Path: cfg.Path, Format: cfg.Format, OnFull: cfg.OnFull,
		Stderr: p.g.opts.Stderr, Stdout: p.g.opts.Stdout,
		Logger: p.g.log, Metrics: &p.g.metrics.Process.AccessLog,
	})
	if err != nil {
		p.problem("access_log.path", "E803", "access_log.path: %v", err)
		return
	}
	p.access = log
}

// sameLog reports whether two configurations have one log open in the same way.
func sameLog(a, b config.AccessLog) bool {
	return a.Path == b.Path && a.Format == b.Format && a.OnFull == b.OnFull
}

// undo lets go of everything that was prepared.
func (p *preparation) undo() {
	for _, l := range p.bound {
		l.socket.Close()
	}
	if p.access != nil {
		p.access.close()
	}
	if p.volume != nil {
		p.volume.Close()
	}
	p.uses.release()
}

// swap makes what was prepared current and retires what was.
func (p *preparation) swap() {
	g, uses := p.g, p.uses
	old, oldAccess := g.current.Load(), g.access.Load()
	p.snap.retire = uses.release
	if p.access != nil && oldAccess != nil {
		defer oldAccess.letGo()                         // once nobody begins with it any more
		old.retireWith(func() { go oldAccess.close() }) // it waits for a disk
	}
	if p.access != nil {
		g.access.Store(p.access)
	} else {
		go g.reopenAccess(oldAccess)
	}
	g.metrics.Use(p.set)
	uses.welcome()
	p.takeOver()
	g.current.Store(p.snap)
	uses.settle()
	g.places.setLimit(connectionLimit(p.cfg.Limits.Connections))
	g.clientMax.Store(int64(p.cfg.Limits.ConnectionsPerClient))
	g.cache.Resize(p.snap.stored)
	p.useVolume()
	p.serve()
	if old != nil {
		old.release()
	}
}

// reopenAccess goes on in a new file if the old one was moved away. It waits for
// the log's writer, and so for a disk.
func (g *Gateway) reopenAccess(l *accessLog) {
	if err := l.reopen(); err != nil {
		g.log.Warn("the access log goes on in the file it had", slog.Any("error", err))
	}
}

// retireWith adds to what is done once the snapshot's last exchange has ended.
func (s *snapshot) retireWith(also func()) {
	first := s.retire
	s.retire = func() {
		first()
		also()
	}
}

// note files what is current for Status and metrics.
func (g *Gateway) note(cfg, served *config.Config) {
	revision := 1
	if g.applied != nil {
		revision = g.applied.revision + 1
		g.metrics.Process.ReloadsOK.Inc()
	}
	g.applied = &applied{config: cfg, served: served, revision: revision, at: g.now(time.Now())}
	g.metrics.Process.LastReloadOK.Set(1)
	g.metrics.Process.Revision.Set(int64(revision))
	g.metrics.Process.Applied.Set(g.applied.at.Unix())
}

// serve gives listeners their options, begins to accept at new ones, and closes
// those that are no longer named.
func (p *preparation) serve() {
	g := p.g
	if size := int(p.cfg.Limits.HeaderBytes); g.pipes == nil || g.pipes.headerBytes != size {
		g.pipes = g.frontH1(size)
	}
	named := make(map[string]bool)
	var certs []*certificates
	for i, cfg := range p.cfg.Listeners {
		named[cfg.Address] = true
		if l := p.bound[cfg.Address]; l != nil {
			g.listeners[cfg.Address] = l
		}
		g.listeners[cfg.Address].use(p.options[i])
		if p.options[i].certs != nil {
			certs = append(certs, p.options[i].certs)
		}
	}
	for address, l := range g.listeners {
		if !named[address] {
			l.close() // at once: the address may be named again by the next configuration
			delete(g.listeners, address)
		}
	}
	g.watcher.watch(certs)
}

// use makes options current for connections accepted from now on. A server of
// the front door is made for the first ones, and for a new size of heads.
func (l *listener) use(o *listenerOptions) {
	old := l.options.Swap(o)
	if old != nil && old.headerBytes == o.headerBytes {
		return
	}
	server := l.gateway.frontH1(o.headerBytes)
	l.server.Store(server)
	t, before, ended := term{l, l.term.Add(1)}, l.ended, make(chan struct{})
	l.ended = ended
	if before != nil {
		l.socket.(*net.TCPListener).SetDeadline(time.Unix(1, 0)) // the old server's Accept returns
	}
	l.gateway.loops.Go(func() {
		defer close(ended)
		l.succeed(before)
		server.serve(t)
	})
}

// succeed waits until the server before, if there was one, accepts no more.
// Meanwhile clients wait in the kernel's queue.
func (l *listener) succeed(before chan struct{}) {
	if before == nil {
		return
	}
	<-before
	l.socket.(*net.TCPListener).SetDeadline(time.Time{})
}

func (l *listener) close() {
	l.closed.Store(true)
	l.socket.Close()
}

// leastReserved is how many descriptors are kept from clients and origins at
// least: a gateway without either has about half as many.
const leastReserved = 32

// connectionLimit is limits.connections: auto is half of the descriptors that
// the process may have, the other half being the origins'. Some are left for
// what must go on when all are in use: the administrators' listener, the log,
// the next configuration.
func connectionLimit(n config.Auto) int {
	if n > 0 {
		return int(n)
	}
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 1 << 20
	}
	return halfOf(int64(min(r.Cur, 1<<30)))
}

// halfOf is half of the descriptors that are left when some are kept.
func halfOf(descriptors int64) int {
	kept := max(min(descriptors/8, 128), leastReserved)
	return int(max((descriptors-kept)/2, 4))
}

// listenerTLS reads the certificates of a listener; nil without TLS.
func listenerTLS(cfg *config.Config, i int) (*certificates, *config.Problem) {
	l := cfg.Listeners[i].TLS
	if l == nil {
		return nil, nil
	}
	path := fmt.Sprintf("listeners[%d].tls", i)
	c, err := loadCertificates(l)
	if err != nil {
		p := cfg.At(path, config.Error, "E602", fmt.Sprintf("%s: %v", path, err), "")
		return nil, &p
	}
	c.config.MinVersion = minVersions[l.MinVersion]
	c.config.ClientAuth = clientAuth[l.ClientAuth.Mode]
	if c.config.ClientAuth == tls.NoClientCert {
		return c, nil
	}
	c.config.ClientCAs, _, err = authorities(l.ClientAuth.CA)
	if err != nil {
		p := cfg.At(path+".client_auth.ca", config.Error, "E601", fmt.Sprintf("%s.client_auth.ca: %v", path, err), "")
		return nil, &p
	}
	return c, nil
}

var (
	minVersions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
	clientAuth  = map[string]tls.ClientAuthType{
		"none": tls.NoClientCert, "optional": tls.VerifyClientCertIfGiven, "require": tls.RequireAndVerifyClientCert,
	}
)
