package plugins

import (
	"errors"
	"fmt"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

// Names of exports.
const (
	startExport     = "__gw_start"
	initExport      = "_initialize"
	versionExport   = "gw_abi_1"
	bufferExport    = "gw_buffer"
	configureExport = "gw_configure"
	enableExport    = "gw_enable"
	clusterExport   = "gw_on_cluster"
	routeExport     = "gw_route"
	namesExport     = "gw_route_names"
	matchExport     = "gw_match"
	collectExport   = "gw_collect"
	enabledExport   = "gw_enabled"
	requestExport   = "gw_on_request"
	responseExport  = "gw_on_response"
	tickExport      = "gw_tick"
	answerExport    = "gw_on_http_response"
)

// instance is one memory of a module, made ready. It runs one call at a time and
// belongs to whoever has it.
type instance struct {
	a      *Attachment
	vm     engine.Instance
	env    env
	base   uint64 // address of the buffer
	size   int    // of the buffer
	fresh  int    // bytes of memory after it was made
	table  *table // that was delivered last
	doomed bool   // it is closed when it comes back
	retire bool   // a replacement is on its way

	functions [len(callExports)]engine.Function
}

// call numbers of the exports that are called while serving.
type call uint8

const (
	callRoute call = iota
	callNames
	callMatch
	callCollect
	callEnabled
	callRequest
	callResponse
	callTick
	callAnswer
	callCluster
)

var callExports = [...]string{
	routeExport, namesExport, matchExport, collectExport, enabledExport,
	requestExport, responseExport, tickExport, answerExport, clusterExport,
}

// make makes an instance of an attachment by the steps that the contract has.
func (a *Attachment) make(caller *caller) (*instance, error) {
	i := &instance{a: a, env: env{plugin: a.plugin, place: a.place, caller: caller}}
	vm, err := a.plugin.module.code.Instantiate(&i.env)
	if err != nil {
		return nil, step("instantiate", err)
	}
	i.vm = vm
	if a.plugin.config.Kind == Matcher {
		i.env.random = abi.NewRandom(abi.FNV1a(a.plugin.config.Name))
	}
	if err := i.prepare(); err != nil {
		err = i.describe(err)
		i.close()
		return nil, err
	}
	for n, name := range callExports {
		if a.plugin.has(name) {
			i.functions[n] = vm.Function(name)
		}
	}
	i.fresh = len(vm.Memory())
	a.plugin.counters.Built.Inc()
	return i, nil
}

// prepare is steps 1 to 7.
func (i *instance) prepare() error {
	for _, name := range [...]string{startExport, initExport} {
		if _, _, err := i.step(name, 0); err != nil {
			return err
		}
	}
	if err := i.version(); err != nil {
		return err
	}
	for _, next := range [...]func() error{i.takeBuffer, i.configure, i.enable, i.deliver} {
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}

// version is step 3.
func (i *instance) version() error {
	minor, _, err := i.step(versionExport, 0)
	switch {
	case err != nil:
		return err
	case minor < 0:
		return fmt.Errorf("gw_abi_1 returns %d, which is no minor version", minor)
	case minor > abi.Minor:
		return fmt.Errorf("gw_abi_1 returns the minor version %d, and this gateway has %d: the module needs a newer one", minor, abi.Minor)
	}
	return nil
}

// step calls an export with init fuel, if it is there.
func (i *instance) step(name string, arg uint64) (result int32, there bool, err error) {
	if !i.a.plugin.has(name) {
		return 0, false, nil
	}
	f := i.vm.Function(name)
	if f == nil {
		return 0, false, step(name, errors.New("it is no function that can be called"))
	}
	i.env.begin(making, 0)
	i.vm.SetFuel(i.a.plugin.limits.InitFuel, i.a.plugin.limits.Depth)
	n, err := f.Call(arg)
	if err != nil {
		return 0, true, step(name, err)
	}
	return int32(uint32(n)), true, nil
}

// takeBuffer is step 4.
func (i *instance) takeBuffer() error {
	p := i.a.plugin
	i.size = abi.BufferSize(p.limits.View, p.needs.body(p.limits), max(len(p.config.Params), i.a.tableSize()))
	at, _, err := i.step(bufferExport, uint64(i.size))
	i.base = uint64(uint32(at))
	switch end := i.base + uint64(i.size); {
	case err != nil:
		return err
	case at == 0:
		return fmt.Errorf("gw_buffer refuses %d bytes", i.size)
	case i.base%16 != 0:
		return fmt.Errorf("gw_buffer returns %d, which is no multiple of 16", i.base)
	case end > uint64(len(i.vm.Memory())):
		return fmt.Errorf("gw_buffer returns %d for %d bytes, and memory ends at %d", i.base, i.size, len(i.vm.Memory()))
	}
	return nil
}

// buffer is the guest's buffer.
func (i *instance) buffer() []byte {
	return i.vm.Memory()[i.base : i.base+uint64(i.size) : i.base+uint64(i.size)]
}

// configure is step 5.
func (i *instance) configure() error {
	params := i.a.plugin.config.Params
	copy(i.buffer(), params)
	n, _, err := i.step(configureExport, uint64(len(params)))
	if err != nil {
		return err
	}
	if n < 0 {
		why := fmt.Sprintf("code %d", n)
		if message, ok := abi.ReadRefusal(i.buffer()); ok {
			why = visible(string(message))
		}
		return fmt.Errorf("gw_configure refuses the params: %s", why)
	}
	if n > 0 {
		return fmt.Errorf("gw_configure returns %d, must be 0 or negative", n)
	}
	return nil
}

// enable is step 6.
func (i *instance) enable() error {
	n, _, err := i.step(enableExport, 1)
	if err == nil && n != 0 {
		err = fmt.Errorf("gw_enable returns %d, must be 0", n)
	}
	return err
}

// deliver is step 7: it gives the guest the cluster table that is current.
func (i *instance) deliver() error {
	t := i.a.table.Load()
	if t == nil || !i.a.plugin.has(clusterExport) {
		i.table = t
		return nil
	}
	size, err := t.put(i.buffer())
	if err != nil {
		return step(clusterExport, err)
	}
	n, _, err := i.step(clusterExport, uint64(size))
	if err == nil && n != 0 {
		err = fmt.Errorf("gw_on_cluster returns %d, must be 0", n)
	}
	i.table = t
	return err
}

// describe adds what the guest wrote to stderr.
func (i *instance) describe(err error) error {
	if said := string(i.env.stderr.b); said != "" {
		return fmt.Errorf("%w; it wrote: %s", err, visible(said))
	}
	return err
}

// run makes a call with the fuel of its phase.
func (i *instance) run(c call, p phase, now uint64, size int) (int32, error) {
	l := &i.a.plugin.limits
	fuel := l.Fuel
	if p.ample() {
		fuel = l.InitFuel
	}
	i.env.begin(p, now)
	i.vm.SetFuel(fuel, l.Depth)
	n, err := i.functions[c].Call(uint64(size))
	i.a.plugin.counters.Fuel.Add(uint64(max(0, fuel-i.vm.Fuel())))
	return int32(uint32(n)), err
}

// close frees the instance. Its http calls are forgotten.
func (i *instance) close() {
	if i.env.caller != nil {
		i.env.caller.stop()
	}
	if err := i.vm.Close(); err != nil {
		i.a.plugin.house.log.Warn("an instance could not be freed", "plugin", i.a.plugin.config.Name, "because", err)
	}
}

// large reports whether the memory has grown so much that the instance is to be
// replaced.
func (i *instance) large() bool {
	n := len(i.vm.Memory())
	return n > i.fresh && int64(n) > i.a.plugin.limits.Memory/4*3
}
