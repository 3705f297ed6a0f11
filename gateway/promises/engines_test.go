package promises

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/wazero"
)

// engines are those of this build by name. What a build tag adds stands in a file of
// that tag.
func engines() map[string]func(folder string) (engine.Engine, error) {
	all := map[string]func(string) (engine.Engine, error){
		"wazero": func(folder string) (engine.Engine, error) { return wazero.New(wazero.Options{CacheDir: folder}) },
	}
	maps.Copy(all, taggedEngines)
	return all
}

// eachEngine runs a test with every engine of this build.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	for name := range engines() {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

// A ledger counts what an engine has given out and not got back.
type ledger struct {
	modules, instances atomic.Int64
	buggy              atomic.Bool // the host function now_ns panics, as a bug of ours would
}

// engines is [gateway.Options.Engines]: the one engine of that name, with the ledger.
func (l *ledger) engines(name string) func(folder string) ([]engine.Engine, error) {
	return func(folder string) ([]engine.Engine, error) {
		open := engines()[name]
		if open == nil {
			return nil, fmt.Errorf("this build has no engine %q", name)
		}
		e, err := open(folder)
		return []engine.Engine{noted{e, l}}, err
	}
}

// noted is an engine that keeps the ledger.
type noted struct {
	engine.Engine
	*ledger
}

var errOfOurs = errors.New("a bug of ours")

// Compile implements engine.Engine.
func (n noted) Compile(ctx context.Context, metered []byte, host []engine.HostFunction) (engine.Module, error) {
	host = slices.Clone(host)
	for i, f := range host {
		if f.Name == "now_ns" {
			host[i].Call = func(c *engine.Call, stack []uint64) {
				if n.buggy.Load() {
					panic(errOfOurs)
				}
				f.Call(c, stack)
			}
		}
	}
	m, err := n.Engine.Compile(ctx, metered, host)
	if err != nil {
		return nil, err
	}
	n.modules.Add(1)
	return &notedModule{Module: m, ledger: n.ledger}, nil
}

type notedModule struct {
	engine.Module
	*ledger
	closed atomic.Bool
}

// Instantiate implements engine.Module.
func (m *notedModule) Instantiate(env any) (engine.Instance, error) {
	i, err := m.Module.Instantiate(env)
	if err != nil {
		return nil, err
	}
	m.instances.Add(1)
	return &notedInstance{Instance: i, ledger: m.ledger}, nil
}

// Close implements engine.Module.
func (m *notedModule) Close() error {
	if m.closed.CompareAndSwap(false, true) {
		m.modules.Add(-1)
	}
	return m.Module.Close()
}

type notedInstance struct {
	engine.Instance
	*ledger
	closed atomic.Bool
}

// Close implements engine.Instance.
func (i *notedInstance) Close() error {
	if i.closed.CompareAndSwap(false, true) {
		i.instances.Add(-1)
	}
	return i.Instance.Close()
}
