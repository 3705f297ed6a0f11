package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"weirkeep/gateway"
	"weirkeep/gateway/admin"
	"weirkeep/gateway/config"
)

// keeper runs a gateway and gives it the next configuration when there is one.
type keeper struct {
	app     *app
	log     *slog.Logger
	gateway *gateway.Gateway
	watch   *watcher      // nil: files are not watched
	server  *admin.Server // nil: not yet, or not any more

	program  string // the file to start a new process from
	notify   notifier
	sockets  *inheritance
	replaces predecessor

	leaving atomic.Bool // a new process is taking the place, and has read what there is

	mu     sync.Mutex // held while a configuration is read and applied
	source *source
	first  *config.Config // what the admin API was started with; never changes
}

func newKeeper(a *app, log *slog.Logger, s *source) *keeper {
	k := &keeper{app: a, log: log, source: s, notify: newNotifier(log), sockets: inherit(log), replaces: findPredecessor()}
	k.gateway = gateway.New(gateway.Options{
		Logger: log, Stdout: a.stdout, Stderr: a.stderr,
		Listen: k.sockets.listen, Bindings: k.replaces.sessions(), Engines: serveEngines,
	})
	var err error
	if k.program, err = program(); err != nil {
		log.Warn("SIGUSR2 will not work: it is not known which file this program is", "because", err)
	}
	return k
}

// start brings the gateway up: the admin API first, so that it can be asked
// why nothing else works, then the listeners.
func (k *keeper) start() error {
	k.mu.Lock() // the admin API may ask for a reload before this is done
	defer k.mu.Unlock()
	k.startWatching()
	cfg, problems := k.read()
	if problems.Errors() > 0 {
		return k.refuse(problems)
	}
	k.first = cfg
	if problems := k.startAdmin(cfg); problems.Errors() > 0 {
		return k.refuse(problems)
	}
	problems = append(problems, k.gateway.Apply(cfg)...)
	if problems.Errors() > 0 {
		return k.refuse(problems)
	}
	k.app.sayProblems(problems)
	k.sockets.closeRest()
	k.replaces.bindings.Close() // they have been read
	if k.replaces.pipe != nil {
		go serveAdmin(k.server, k.log)
	}
	return nil
}

// announce says that the gateway serves, to who waits for that. An error means
// that it must not: it was to take the place of a gateway that has gone, and
// perhaps because somebody ended it.
func (k *keeper) announce() error {
	if err := k.replaces.ready(); err != nil {
		return err
	}
	k.notify.ready(k.statusLine())
	return nil
}

func (k *keeper) statusLine() string {
	s := k.gateway.Status()
	line := fmt.Sprintf("serving revision %d of %s", s.Revision, k.source.name)
	if s.LastRefusal != nil && s.LastRefusal.At.After(s.Applied) {
		line += "; the last change was refused: " + plural(s.LastRefusal.Errors, "error")
	}
	return line
}

// refuse says every reason why the gateway does not start.
func (k *keeper) refuse(ps config.Problems) error {
	k.app.sayProblems(ps)
	k.app.say("%s. Nothing was started.", count(ps))
	return &failure{status: startStatus(ps)}
}

// startStatus tells a configuration that is wrong from one that is right but
// cannot be had here and now: its address is taken, for example.
func startStatus(ps config.Problems) int {
	for _, p := range ps {
		if p.Severity == config.Error && !strings.HasPrefix(p.Code, "E8") {
			return exitConfig
		}
	}
	return exitFailure
}

// keep reloads when it should, until a signal asks for the end, or another
// process has taken our place: then it returns true. A reload may wait for a
// disk, so it has a goroutine of its own: signals are always heard.
func (k *keeper) keep(signals <-chan os.Signal) (succeeded bool) {
	work, u := make(chan func(), 1), newUpgrade(k)
	defer u.giveUp()
	defer close(work)
	go func() {
		for reload := range work {
			reload()
		}
	}()
	for {
		select {
		case s := <-signals:
			switch {
			case s == syscall.SIGUSR1:
				go k.reopenLogs()
			case s == syscall.SIGUSR2:
				u.begin()
			case s == syscall.SIGHUP && k.source.path != "": // without a file the terminal is gone
				enqueue(work, func() { k.reload("SIGHUP") })
			default:
				return false
			}
		case pid := <-u.done:
			if u.ended(pid) {
				return true
			}
		case <-k.changes():
			enqueue(work, k.reloadChanged)
		}
	}
}

// enqueue leaves work to be done, unless some waits already: whatever is read
// next is what is there then.
func enqueue(work chan<- func(), do func()) {
	select {
	case work <- do:
	default:
	}
}

// changes is nil when files are not watched.
func (k *keeper) changes() <-chan struct{} {
	if k.watch == nil {
		return nil
	}
	return k.watch.changed
}

// reloadChanged reloads when the files hold something else than before.
func (k *keeper) reloadChanged() {
	k.mu.Lock()
	changed := k.source.changed()
	k.mu.Unlock()
	if changed {
		k.reload("files changed")
	}
}

// reload reads the configuration again and applies it. When it has mistakes
// nothing changes; it is read again at the next change of its files.
func (k *keeper) reload(why string) config.Problems {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notify.reloading()
	defer func() { k.notify.ready(k.statusLine()) }()
	cfg, problems := k.read()
	if problems.Errors() == 0 {
		problems = append(problems, k.gateway.Apply(cfg)...)
	} else {
		k.gateway.ReloadFailed(problems)
	}
	if problems.Errors() == 0 {
		problems = append(problems, k.adminWarnings(cfg)...)
	}
	logProblems(k.log, problems)
	if problems.Errors() > 0 {
		k.log.Error("configuration refused, the one before stays", "why", why, "file", k.source.name, "errors", problems.Errors())
		return problems
	}
	k.log.Info("configuration applied", "why", why, "file", k.source.name, "revision", k.gateway.Status().Revision)
	return problems
}

// reopenLogs is for log rotation, which has moved the access log away.
func (k *keeper) reopenLogs() {
	if err := k.gateway.ReopenLogs(); err != nil {
		k.log.Error("the access log goes on in the file it had", "because", err)
		return
	}
	k.log.Info("logs reopened", "why", "SIGUSR1")
}

// adminWarnings say that what the admin API was started with stays as it was.
func (k *keeper) adminWarnings(cfg *config.Config) (ps config.Problems) {
	const later = " has changed: that takes effect when weirkeep is started again"
	if cfg.Admin != k.first.Admin {
		ps = append(ps, cfg.At("admin", config.Warning, "W810", "admin"+later, ""))
	}
	if cfg.Node.StateDir != k.first.Node.StateDir {
		ps = append(ps, cfg.At("node.state_dir", config.Warning, "W810", "node.state_dir"+later, ""))
	}
	return ps
}

// read loads the configuration, and watches what belongs to it. The files are
// watched before they are read, and looked at once more after that, so that no
// change goes unnoticed.
func (k *keeper) read() (*config.Config, config.Problems) {
	k.follow()
	cfg, problems := k.source.read()
	k.log.Debug("configuration read", "files", k.source.files())
	k.follow()
	if k.watch != nil && k.source.changed() {
		k.watch.poke()
	}
	return cfg, problems
}

func (k *keeper) startWatching() {
	w, err := newWatcher()
	if err != nil {
		k.log.Warn("files are not watched, reload with SIGHUP or weirkeep reload", "because", err)
		return
	}
	k.watch = w
}

func (k *keeper) follow() {
	if k.watch == nil {
		return
	}
	if err := k.watch.follow(k.source.dirs()); err != nil {
		k.log.Warn("some files are not watched, reload with SIGHUP or weirkeep reload", "because", err)
	}
}

// close ends everything now.
func (k *keeper) close() {
	if k.watch != nil {
		k.watch.close()
	}
	k.gateway.Close()
	k.closeAdmin()
}
