package plugins

import (
	"errors"
	"fmt"
	"time"

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
	a     *Attachment
	vm    engine.Instance
	env   env
	base  uint64        // address of the buffer
	size  int           // of the buffer
	made  int           // bytes of memory after it was made
	known int           // bytes of memory that its attachment counts
	table *table        // that was delivered last
	ended time.Duration // the moment its last call did

	successor *instance // takes its place when it comes back; the pool's
	gone      bool      // it does not come back; the pool's

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

// errTakenAway means that the plugin was closed in the meantime.
var errTakenAway = errors.New("the plugin was taken away")

// make makes an instance of an attachment by the steps that the contract has, the
// last of which gives it a table. The instance keeps the module from being freed.
func (a *Attachment) make(t *table) (*instance, error) {
	module := a.plugin.module
	if !a.plugin.house.hold(module) {
		return nil, errTakenAway
	}
	i := &instance{a: a, env: env{plugin: a.plugin, place: a.place}}
	vm, err := module.code.Instantiate(&i.env)
	if err != nil {
		a.plugin.house.give(module)
		return nil, step("instantiate", err)
	}
	i.vm = vm
	i.env.caller = a.newCaller()
	if a.plugin.config.Kind == Matcher {
		i.env.random = abi.NewRandom(abi.FNV1a(a.plugin.config.Name))
	}
	if err := i.prepare(t); err != nil {
		err = i.told(err)
		i.close()
		return nil, err
	}
	for n, name := range callExports {
		if a.plugin.has(name) {
			i.functions[n] = vm.Function(name)
		}
	}
	i.made = len(vm.Memory())
	i.weigh()
	a.plugin.counters.Built.Inc()
	return i, nil
}

// prepare is steps 1 to 7.
func (i *instance) prepare(t *table) error {
	for _, name := range [...]string{startExport, initExport} {
		if _, _, err := i.step(name, 0); err != nil {
			return err
		}
	}
	if err := i.version(); err != nil {
		return err
	}
	if err := i.takeBuffer(t.bytes()); err != nil {
		return err
	}
	if err := i.configure(); err != nil {
		return err
	}
	if err := i.enable(); err != nil {
		return err
	}
	return i.deliver(t)
}

// version is step 3.
func (i *instance) version() error {
	minor, _, err := i.step(versionExport, 0)
	switch {
	case err != nil:
		return err
	case minor < 0:
		return invalid("gw_abi_1 returns %d, which is no minor version", minor)
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
	i.env.begin(making, true, 0)
	i.vm.SetFuel(i.a.plugin.limits.InitFuel, i.a.plugin.limits.Depth)
	n, err := f.Call(arg)
	if err != nil {
		return 0, true, step(name, err)
	}
	return int32(uint32(n)), true, nil
}

// takeBuffer is step 4, for a table of so many bytes.
func (i *instance) takeBuffer(table int) error {
	p := i.a.plugin
	i.size = abi.BufferSize(p.limits.View, p.needs.body(p.limits), max(len(p.config.Params), table))
	at, _, err := i.step(bufferExport, uint64(i.size))
	i.base = uint64(uint32(at))
	switch end := i.base + uint64(i.size); {
	case err != nil:
		return err
	case at == 0:
		return fmt.Errorf("gw_buffer refuses %d bytes", i.size)
	case i.base%16 != 0:
		return invalid("gw_buffer returns %d, which is no multiple of 16", i.base)
	case end > uint64(len(i.vm.Memory())):
		return invalid("gw_buffer returns %d for %d bytes, and memory ends at %d", i.base, i.size, len(i.vm.Memory()))
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
		return invalid("gw_configure returns %d, must be 0 or negative", n)
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

// deliver is step 7: it gives the guest a cluster table.
func (i *instance) deliver(t *table) error {
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

// toldError is an error of a step, with what the guest wrote to stderr before.
type toldError struct {
	error
	stderr string
}

func (e *toldError) Error() string { return e.error.Error() + "; it wrote: " + visible(e.stderr) }
func (e *toldError) Unwrap() error { return e.error }

// told adds to an error what the guest wrote to stderr.
func (i *instance) told(err error) error {
	if said := string(i.env.stderr.b); said != "" {
		return &toldError{err, said}
	}
	return err
}

// ask is a call: the export, and what host functions know while it runs.
type ask struct {
	export call
	phase  phase
	ample  bool       // with the fuel and the host calls of a step
	now    uint64     // of the view
	of     Properties // of the exchange; nil: none
	size   int        // of the view
}

// run makes a call.
func (i *instance) run(ask ask) (int32, error) {
	l := &i.a.plugin.limits
	fuel := l.Fuel
	if ask.ample {
		fuel = l.InitFuel
	}
	i.env.begin(ask.phase, ask.ample, ask.now)
	i.env.of = ask.of
	i.vm.SetFuel(fuel, l.Depth)
	n, err := i.functions[ask.export].Call(uint64(ask.size))
	i.env.of = nil
	i.a.plugin.counters.Fuel.Add(uint64(max(0, fuel-i.vm.Fuel())))
	return int32(uint32(n)), err
}

// weigh tells the attachment how much memory the instance has.
func (i *instance) weigh() {
	if n := len(i.vm.Memory()); n != i.known {
		i.a.memory.Add(int64(n - i.known))
		i.known = n
	}
}

// close frees the instance. Its http calls are forgotten.
func (i *instance) close() {
	if i.env.caller != nil {
		i.env.caller.close()
	}
	i.a.memory.Add(-int64(i.known))
	i.known = 0
	defer i.a.plugin.house.give(i.a.plugin.module)
	if err := i.vm.Close(); err != nil {
		i.a.plugin.house.log.Warn("an instance could not be freed", "plugin", i.a.plugin.config.Name, "because", err)
	}
}

// large reports whether the memory has grown so much that the instance is to be
// replaced.
func (i *instance) large() bool {
	n := len(i.vm.Memory())
	return n > i.made && int64(n) > i.a.plugin.limits.Memory/4*3
}
