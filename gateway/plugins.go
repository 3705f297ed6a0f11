package gateway

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/plugins"
	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wazero"
)

// Engines makes the engines that guests run on; the first is the one of plugins that
// name none. Native code is kept in a folder; empty: nowhere.
type Engines func(folder string) ([]engine.Engine, error)

// OnlyWazero makes the engine that every build has.
func OnlyWazero(folder string) ([]engine.Engine, error) {
	e, err := wazero.New(wazero.Options{CacheDir: folder})
	return []engine.Engine{e}, err
}

// codeFolder is where native code of guests is kept.
func codeFolder(stateDir string) string { return filepath.Join(stateDir, "wasm") }

// houseOf is the house of the gateway's plugins, made for the first configuration that
// has some. The state directory counts from then on.
func (r *registry) houseOf(cfg *config.Config) (*plugins.House, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.house != nil {
		return r.house, nil
	}
	folder := ""
	if r.serves {
		folder = codeFolder(cfg.Node.StateDir)
	}
	engines, err := r.engines(folder)
	if err != nil {
		return nil, err
	}
	r.house = plugins.NewHouse(r.log, engines...)
	return r.house, nil
}

// allPlugins loads the plugins, each of which is kept as it is while nothing of it has
// changed.
func (c *compiler) allPlugins() {
	c.plugins, c.keys, c.made = make(map[string]*plugins.Plugin), make(map[string]string), make(map[string]string)
	c.snap.plugins = c.plugins
	if len(c.cfg.Plugins) == 0 {
		return
	}
	house, err := c.uses.r.houseOf(c.cfg)
	if err != nil {
		c.fail("plugins", "E510", "plugins: no engine can run them: %v", err)
		return
	}
	for _, name := range sortedKeys(c.cfg.Plugins) {
		path := "plugins." + name
		p, err := c.plugin(house, name, c.cfg.Plugins[name])
		switch problems, ok := err.(plugins.Problems); {
		case ok:
			for _, problem := range problems {
				c.problems = append(c.problems, c.cfg.At(path+".module", config.Error, "E511", "plugin "+name+": "+problem.What, problem.Cure))
			}
		case err != nil:
			c.fail(path+".module", "E511", "plugin %s: %v", name, err)
		default:
			c.plugins[name] = p
		}
	}
}

// plugin loads one plugin, or takes the one that is there.
func (c *compiler) plugin(house *plugins.House, name string, cfg config.Plugin) (*plugins.Plugin, error) {
	wasm, err := config.ReadFile(cfg.Module)
	if err != nil {
		return nil, err
	}
	o := c.pluginConfig(name, cfg)
	o.Wasm = wasm
	c.keys[name] = pluginKey(o)
	c.made[name] = fmt.Sprintf("%s %x %q %q", name, plugins.Sum(wasm), o.Params, o.Needs)
	return c.uses.plugin(c.keys[name], func() (*plugins.Plugin, error) { return house.Load(context.Background(), o) })
}

func (c *compiler) pluginConfig(name string, cfg config.Plugin) plugins.Config {
	node, l := c.cfg.Node, cfg.Limits
	return plugins.Config{
		Name: name, Kind: plugins.Kind(cfg.Kind), SHA256: cfg.SHA256, Engine: cfg.Engine,
		Params: cfg.Params.JSON(), Needs: cfg.Needs, OnError: cfg.OnError,
		Limits: plugins.Limits{
			Memory: int64(l.Memory), Fuel: int64(l.Fuel), InitFuel: int64(l.InitFuel), Depth: int32(l.Depth),
			Instances: l.Instances, Wait: time.Duration(l.Wait), View: int(l.View), Body: int(l.Body), LogRate: l.LogRate,
		},
		Tick: time.Duration(cfg.Tick), KV: int64(cfg.KV), HTTP: cfg.HTTP,
		Node:     plugins.Node{Name: node.Name, Host: node.Host, Cell: node.Cell, Zone: c.cfg.Hosts[node.Host].Zone},
		Counters: c.set.Plugin(name),
	}
}

// pluginKey is all that makes two plugins different.
func pluginKey(o plugins.Config) string {
	var b strings.Builder
	wasm := o.Wasm
	o.Wasm = nil
	fmt.Fprintf(&b, "%+v %x", o, plugins.Sum(wasm))
	return b.String()
}

// plugin takes a plugin of the shelf; one that cannot be loaded is not put there.
func (u *uses) plugin(key string, load func() (*plugins.Plugin, error)) (*plugins.Plugin, error) {
	var err error
	p := use(u, u.r.plugins, key, func() (p *plugins.Plugin) { p, err = load(); return p }, func(p *plugins.Plugin) {
		if p != nil {
			p.Close()
		}
	})
	return p, err
}

// attachment takes an attachment of the shelf, which is told of the table that the
// snapshot has when that is current.
func (u *uses) attachment(key string, p *plugins.Plugin, o plugins.AttachOptions) (*plugins.Attachment, error) {
	var err error
	a := use(u, u.r.attachments, key, func() (a *plugins.Attachment) { a, err = p.Attach(o); return a }, func(a *plugins.Attachment) {
		if a != nil {
			a.Close()
		}
	})
	if err == nil && o.Table != nil {
		u.tell = append(u.tell, func() { a.SetTable(o.Table) })
	}
	return a, err
}

// attach attaches a plugin. Nil: it cannot be, which is told.
func (c *compiler) attach(path, name string, o plugins.AttachOptions) *plugins.Attachment {
	p := c.plugins[name]
	if p == nil {
		return nil // that is told already
	}
	if o.Still = !c.uses.r.serves; !o.Still {
		o.Fetch = c.uses.r.fetch
	}
	key := c.keys[name] + " at " + o.Place.String()
	a, err := c.uses.attachment(key, p, o)
	if err != nil {
		c.fail(path, "E512", "plugin %s: no instance can be made: %v", name, err)
		return nil
	}
	c.note(a)
	return a
}

// PluginStatus is how one plugin is.
type PluginStatus struct {
	plugins.Info
	Standings []PluginStanding
	Faults    []plugins.Fault // the last ones, the newest first
	Counters  *plugins.Counters
}

// PluginStanding is how one is where it is attached.
type PluginStanding struct {
	plugins.Standing
	Stages []string // of filters: when they see answers, deliver or store
}

// Plugins tells how the plugins of the current configuration are, by their names.
func (g *Gateway) Plugins() []PluginStatus {
	snap, _, err := g.hold()
	if err != nil {
		return nil
	}
	defer snap.release()
	var all []PluginStatus
	for _, name := range sortedKeys(snap.plugins) {
		p := snap.plugins[name]
		s := PluginStatus{Info: p.Info(), Faults: p.Faults(), Counters: p.Counters()}
		for _, a := range snap.attachments {
			if a.Plugin() == p {
				s.Standings = append(s.Standings, PluginStanding{a.Standing(), a.stages})
			}
		}
		all = append(all, s)
	}
	return all
}
