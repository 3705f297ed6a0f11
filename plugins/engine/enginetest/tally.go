package enginetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"weirkeep/plugins/engine"
)

// Tally is an engine that counts what it has given out and not got back.
type Tally struct {
	engine.Engine
	Compiled           atomic.Int64 // modules, ever
	Modules, Instances atomic.Int64 // that are open

	Broken atomic.Bool // no instance can be made
	Buggy  atomic.Bool // the host function now_ns panics, as a bug of ours would
}

var (
	errBroken = errors.New("the engine is broken")
	errBuggy  = errors.New("a bug of ours")
)

// Compile implements engine.Engine.
func (t *Tally) Compile(ctx context.Context, metered []byte, host []engine.HostFunction) (engine.Module, error) {
	m, err := t.Engine.Compile(ctx, metered, t.buggy(host))
	if err != nil {
		return nil, err
	}
	t.Compiled.Add(1)
	t.Modules.Add(1)
	return &tallied{Module: m, tally: t}, nil
}

// buggy are host functions of which one may panic.
func (t *Tally) buggy(host []engine.HostFunction) []engine.HostFunction {
	host = slices.Clone(host)
	for i, f := range host {
		if f.Name != "now_ns" {
			continue
		}
		host[i].Call = func(c *engine.Call, stack []uint64) {
			if t.Buggy.Load() {
				panic(errBuggy)
			}
			f.Call(c, stack)
		}
	}
	return host
}

type tallied struct {
	engine.Module
	tally *Tally
}

// Instantiate implements engine.Module.
func (m *tallied) Instantiate(env any) (engine.Instance, error) {
	if m.tally.Broken.Load() {
		return nil, errBroken
	}
	i, err := m.Module.Instantiate(env)
	if err != nil {
		return nil, err
	}
	m.tally.Instances.Add(1)
	return &talliedInstance{Instance: i, tally: m.tally}, nil
}

// Close implements engine.Module.
func (m *tallied) Close() error {
	m.tally.Modules.Add(-1)
	return m.Module.Close()
}

type talliedInstance struct {
	engine.Instance
	tally  *Tally
	closed atomic.Bool
}

// Close implements engine.Instance. Who closes an instance twice has lost count of it.
func (i *talliedInstance) Close() error {
	if i.closed.Swap(true) {
		panic("an instance was closed twice")
	}
	i.tally.Instances.Add(-1)
	return i.Instance.Close()
}
