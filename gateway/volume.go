package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/tier"
	"weirkeep/gateway/config"
)

// longestPart of the memory is the longest body that is kept on the disk: what is brought
// back has to find room without driving all else out.
const longestPart = 16

// openVolume opens the folder that stored answers are kept in, if it is not the one that
// is in use.
func (p *preparation) openVolume() {
	want := p.snap.disk
	if want == nil || p.keepsVolume() || p.problems.Errors() > 0 {
		return
	}
	v, err := p.openFolder()
	switch {
	case err == nil:
		p.volume = v
	case errors.Is(err, disk.ErrInUse) && p.g.opts.Bindings != nil && (p.g.applied == nil || p.g.tier.Awaits()):
		p.awaits = true // the gateway whose place this one takes has it still
	default:
		p.problem("cache.disk.path", "E808", "cache.disk.path: %v", err)
	}
}

// volumeLook is how often is tried whether the gateway before has let go of the folder.
const volumeLook = 100 * time.Millisecond

// awaitVolume opens the folder once the gateway before has let go of it. What is in it is
// told then of what was purged meanwhile.
func (g *Gateway) awaitVolume() {
	for !g.tryVolume() {
		time.Sleep(volumeLook)
	}
}

// tryVolume reports whether there is no more to be done about the folder.
func (g *Gateway) tryVolume() bool {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.closing.Load() || g.tier.Volume() != nil {
		return true
	}
	p := &preparation{g: g, cfg: g.applied.config, snap: g.current.Load()}
	if p.snap.disk == nil {
		return true
	}
	v, err := p.openFolder()
	switch {
	case errors.Is(err, disk.ErrInUse):
		return false
	case err != nil:
		g.log.Error("stored answers are not kept on the disk", slog.Any("error", err))
		return true
	}
	g.tier.Use(v)
	g.log.Info("the folder with stored answers was taken over", "path", v.Path())
	return true
}

func (p *preparation) openFolder() (*tier.Volume, error) {
	return tier.Open(p.snap.disk.Path, tier.Options{Size: int64(p.snap.disk.Size), Longest: p.longest(), Told: p.g.tellDisk, FS: p.g.opts.diskFS})
}

func (p *preparation) longest() int64 { return p.snap.stored.Memory / longestPart }

// keepsVolume reports whether the folder is the one that is in use.
func (p *preparation) keepsVolume() bool {
	now, want := p.g.tier.Volume(), p.snap.disk
	return now != nil && want != nil && now.Path() == want.Path
}

// useVolume makes the folder the one that is in use. What is in one that is given up is
// removed: it would not hear of what is purged from now on.
func (p *preparation) useVolume() {
	g := p.g
	if p.keepsVolume() {
		g.tier.Volume().Resize(int64(p.snap.disk.Size), p.longest())
		return
	}
	if p.awaits && !g.tier.Awaits() {
		g.tier.Await()
		g.loops.Go(g.awaitVolume)
	}
	if before := g.tier.Use(p.volume); before != nil {
		if err := before.Clear(); err != nil {
			g.log.Warn("the folder that stored answers were kept in cannot be cleared: delete it before it is named again", slog.Any("error", err))
		}
	}
}

// leaveVolume is closeVolume in the background, for the gateway that takes this one's place.
func (g *Gateway) leaveVolume() {
	g.loops.Go(func() {
		if err := g.closeVolume(); err != nil {
			g.log.Warn("not all stored answers are on the disk", slog.Any("error", err))
		}
	})
}

// closeVolume writes what is still to be written.
func (g *Gateway) closeVolume() error {
	if v := g.tier.Use(nil); v != nil {
		return v.Close()
	}
	return nil
}

// checkVolume says what can be seen of a folder that stored answers are to be kept in.
func checkVolume(cfg *config.Config) config.Problems {
	if cfg.Cache.Disk == nil {
		return nil
	}
	err := checkFolder(cfg.Cache.Disk.Path)
	if err == nil {
		return nil
	}
	return config.Problems{cfg.At("cache.disk.path", config.Error, "E808", fmt.Sprintf("cache.disk.path: cache folder %s: %v", cfg.Cache.Disk.Path, err), "")}
}

// checkFolder says why a folder cannot be used or made, as far as can be seen.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path:
		return checkFolder(filepath.Dir(path))
	case err != nil:
		return reasonOfPath(err)
	case !info.IsDir():
		return fmt.Errorf("%s is no folder; name one, or one that does not exist yet", path)
	case syscall.Access(path, mayWrite) != nil:
		return fmt.Errorf("user %d may not write to %s", syscall.Geteuid(), path)
	}
	return nil
}

// mayWrite asks for the rights to write and search.
const mayWrite = 3

// reasonOfPath is an error of the file system without the path.
func reasonOfPath(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return cmp.Or(of.Err, err)
	}
	return err
}

// measureDisk sets the gauges of what is kept behind memory.
func (g *Gateway) measureDisk() {
	m, now := &g.metrics.Store.Disk, g.tier.Stats()
	m.Objects.Set(now.Objects)
	m.Waiting.Set(now.Waiting)
	m.Bytes.Set(now.Bytes)
	m.Limit.Set(now.Limit)
	m.Hits.Set(now.Hits)
	m.Evicted.Set(now.Evicted)
	m.Dropped.Set(now.Dropped)
	m.Failed.Set(now.Failed)
	m.Corrupt.Set(now.Corrupt)
	m.Errors.Set(now.Errors)
}
