package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"weirkeep/gateway/config"
)

// discovery is the finders of the current configuration.
type discovery struct {
	g     *Gateway
	log   *slog.Logger
	files *fileWatcher

	mu      sync.Mutex
	finders map[string]*finder // by cluster
	next    *time.Timer        // when what was found is looked at; nil: there is nothing to
	due     time.Time          // of next
	closed  bool

	kept string // what the file has; guarded by the gateway's applying
}

func newDiscovery(g *Gateway) *discovery {
	d := &discovery{g: g, log: g.log}
	d.files = newFileWatcher("files of origins", g.log, d.readFiles)
	return d
}

// foundSettle is how long what is found is collected before it is used: many clusters
// may find something at the same time.
const foundSettle = 200 * time.Millisecond

// soon has what was found looked at in a while, unless it will be sooner.
func (d *discovery) soon(wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	at := time.Now().Add(wait)
	if d.next != nil && (!at.Before(d.due) || !d.next.Stop()) {
		return
	}
	d.due = at
	d.next = time.AfterFunc(wait, func() {
		d.mu.Lock()
		d.next = nil
		d.mu.Unlock()
		d.g.hearFound()
	})
}

// scout looks once for the origins of a configuration's clusters, all at the same time,
// where nobody looks for them yet, and reads the files. Files that cannot be used are
// warned of. Nothing is changed.
func (g *Gateway) scout(cfg *config.Config) (finders map[string]*finder, doubts config.Problems) {
	finders = make(map[string]*finder)
	before := g.discovery.all()
	var looks sync.WaitGroup
	for name, c := range cfg.Clusters {
		if c.Discover == nil {
			continue
		}
		f := before[name]
		if known := f != nil && sameSource(f.where, c.Discover); !known {
			f = &finder{cluster: name, where: c.Discover, log: g.log}
			looks.Go(func() { f.look(context.Background()) })
		} else if c.Discover.File != "" && f.look(context.Background()) {
			g.discovery.soon(foundSettle) // whatever becomes of the configuration
		}
		finders[name] = f
	}
	looks.Wait()
	for _, name := range sortedKeys(finders) {
		doubts = append(doubts, finders[name].doubt(cfg)...)
	}
	return finders, doubts
}

// doubt warns of a file that cannot be used.
func (f *finder) doubt(cfg *config.Config) config.Problems {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.problem == "" || f.where.File == "" {
		return nil
	}
	return fileDoubt(cfg, f.cluster, f.problem)
}

func fileDoubt(cfg *config.Config, cluster, problem string) config.Problems {
	path := "clusters." + cluster + ".discover.file"
	return config.Problems{cfg.At(path, config.Warning, "W362", path+": no origins can be taken from it: "+problem, "")}
}

// withFiles is a configuration with the origins that its files have now. Nobody else is
// asked.
func withFiles(cfg *config.Config) (with *config.Config, doubts config.Problems) {
	p := present{found: make(map[string]found)}
	for _, name := range sortedKeys(cfg.Clusters) {
		d := cfg.Clusters[name].Discover
		if d == nil || d.File == "" {
			continue
		}
		origins, problems := config.LoadOrigins(d.File)
		if problems.Errors() > 0 {
			doubts = append(doubts, fileDoubt(cfg, name, fileProblem(problems).Error())...)
			continue
		}
		p.found[name] = found{listed: origins}
	}
	return p.over(cfg), doubts
}

// follow makes finders the ones that look.
func (d *discovery) follow(finders map[string]*finder) {
	d.mu.Lock()
	old := d.finders
	d.finders = finders
	d.mu.Unlock()
	for name, f := range old {
		if finders[name] != f {
			f.end()
		}
	}
	var files []string
	for _, f := range finders {
		f.begin(func() { d.soon(foundSettle) })
		if f.where.File != "" {
			files = append(files, f.where.File)
		}
	}
	d.files.watch(files)
	d.readFiles() // one may have changed before it was watched
	d.g.keepFound()
	d.g.watchLeft()
}

// readFiles reads every file again.
func (d *discovery) readFiles() {
	for _, f := range d.all() {
		if f.where.File != "" && f.look(context.Background()) {
			d.soon(foundSettle)
		}
	}
}

// all are the finders, by cluster.
func (d *discovery) all() map[string]*finder {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.finders
}

// tell logs what was found for some clusters.
func (d *discovery) tell(clusters []string, now map[string]found) {
	for _, name := range clusters {
		attrs := []any{"cluster", name, "origins", foundText(now[name].listed)}
		if left := now[name].left; len(left) > 0 {
			var all []config.Origin
			for _, o := range left {
				all = append(all, o.Origin)
			}
			attrs = append(attrs, "leaving", foundText(all))
		}
		d.log.Info("origins were found", attrs...)
	}
}

func (d *discovery) close() {
	d.mu.Lock()
	d.closed = true
	finders := d.finders
	d.finders = nil
	if d.next != nil {
		d.next.Stop()
	}
	d.mu.Unlock()
	d.files.close()
	for _, f := range finders {
		f.end()
	}
}
