package enginetest

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"weirkeep/plugins/engine"
)

// allocations: none in a call that returns, nor in what goes with it.
func allocations(t *testing.T, e engine.Engine) {
	i := guest(t, e, &visit{limit: 1 << 40})
	for _, name := range []string{"nothing", "route", "peek", "mix", "count"} {
		f := i.Function(name)
		n := testing.AllocsPerRun(1000, func() {
			i.SetFuel(fuel, depth)
			i.Memory()[0]++
			if _, err := f.Call(8); err != nil || i.Fuel() < 0 || i.Depth() < 0 || i.Mark() != 0 {
				t.Fatal(name, err)
			}
		})
		if n != 0 {
			t.Errorf("a call of %s allocates %v times, want 0", name, n)
		}
	}
}

// closeFrees: an instance that is closed gives back all of its memory, at
// once, without waiting for the garbage collector.
func closeFrees(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	round := func() {
		i, err := m.Instantiate(nil)
		noError(t, err)
		i.SetFuel(10*fuel, depth)
		call(t, i, "grow", 255)
		before := resident(t)
		call(t, i, "fill", 16<<20)
		if grown := resident(t) - before; grown < 12<<20 {
			t.Errorf("16 MiB in use are only %d bytes more; is this measured right?", grown)
		}
		noError(t, i.Close())
		noError(t, i.Close())
		if i.Memory() != nil {
			t.Error("a closed instance has memory")
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	round() // what the engine keeps for ever is there now
	before, mapped := resident(t), virtual(t)
	for range 4 {
		round()
	}
	if grown := resident(t) - before; grown > 24<<20 {
		t.Errorf("4 instances of 16 MiB left %d MiB behind", grown>>20)
	}
	if grown := virtual(t) - mapped; grown > 512<<20 {
		t.Errorf("4 instances left %d MiB of address space behind", grown>>20)
	}
}

// failuresFree: an instance that cannot be made leaves no memory behind.
func failuresFree(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "data_outside")
	try := func() {
		if _, err := m.Instantiate(nil); err == nil {
			t.Fatal("data outside of memory was put somewhere")
		}
	}
	try()
	before := virtual(t)
	for range 100 {
		try()
	}
	if grown := virtual(t) - before; grown > 512<<20 {
		t.Errorf("100 failures left %d MiB of address space behind", grown>>20)
	}
}

// faultsFree: what an engine made of a fault, and of the deep stack before it,
// goes with the fault and the instance.
func faultsFree(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	round := func() {
		i, err := m.Instantiate(&visit{})
		noError(t, err)
		defer i.Close()
		i.SetFuel(fuel, depth)
		fault(t, i, "recurses", 0)
		fault(t, i, "count", 1)
	}
	for range 20 {
		round()
	}
	runtime.GC()
	before := resident(t)
	for range 300 {
		round()
	}
	debug.FreeOSMemory()
	if grown := resident(t) - before; grown > 8<<20 {
		t.Errorf("300 instances with faults left %d KiB behind", grown>>10)
	}
}

// resident and virtual return how many bytes the process has in memory, and
// how many of addresses it has mapped.
func resident(t *testing.T) int { _, r := pages(t); return r * os.Getpagesize() }
func virtual(t *testing.T) int  { v, _ := pages(t); return v * os.Getpagesize() }

func pages(t *testing.T) (virtual, resident int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	noError(t, err)
	_, err = fmt.Sscan(string(b), &virtual, &resident)
	noError(t, err)
	return virtual, resident
}

// growing: memory stays where it is while it grows, what is in it stays, its
// new pages are empty, and it ends at the module's maximum.
func growing(t *testing.T, e engine.Engine) {
	i := guest(t, e, nil)
	first := i.Memory()
	first[0] = 5
	for pages := 1; pages < 256; pages++ {
		i.SetFuel(fuel, depth)
		if got := call(t, i, "grow", 1); got != uint64(pages) {
			t.Fatalf("grow gives %d, want %d", got, pages)
		}
	}
	now := i.Memory()
	if &now[0] != &first[0] || len(now) != 256<<16 {
		t.Errorf("memory is at %p with %d bytes, was at %p", now, len(now), first)
	}
	if now[0] != 5 || now[len(now)-1] != 0 {
		t.Errorf("memory begins with %d and ends with %d, want 5 and 0", now[0], now[len(now)-1])
	}
	now[len(now)-1] = 6
	if got := call(t, i, "read", uint64(len(now)-1)); got != 6 {
		t.Errorf("the guest reads %d in its last byte, want 6", got)
	}
	if got := call(t, i, "grow", 1); got != 0xffffffff || i.Mark() == 0 {
		t.Errorf("growing over the maximum gives %#x, mark %d, want -1 and a mark", got, i.Mark())
	}
}

// parallel: instances of one module work side by side, and come and go.
func parallel(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	var wg sync.WaitGroup
	for g := range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for range 10 {
				if err := visitGuest(m, byte(g)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

const readCost = 1 + 2

// visitGuest makes an instance, checks that nobody else is in it, and leaves
// by a fault.
func visitGuest(m engine.Module, me byte) error {
	v := &visit{limit: 50}
	i, err := m.Instantiate(v)
	if err != nil {
		return err
	}
	defer i.Close()
	read, count := i.Function("read"), i.Function("count")
	i.Memory()[300] = me
	for n := range 50 {
		i.SetFuel(fuel, depth)
		got, err := read.Call(300)
		if err != nil || got != uint64(me) || i.Fuel() != fuel-readCost {
			return fmt.Errorf("read gives %d, %v with fuel %d, want %d", got, err, i.Fuel(), me)
		}
		if _, err = count.Call(1); err != nil || v.calls != n+1 {
			return fmt.Errorf("count was called %d times: %v", v.calls, err)
		}
	}
	if _, err = count.Call(1); err == nil {
		return fmt.Errorf("count was called %d times of %d", v.calls, v.limit)
	}
	return nil
}

// manyModules: the same bytes may be compiled more than once, with host
// functions of their own, and outlive each other.
func manyModules(t *testing.T, e engine.Engine) {
	other := host()
	other[1].Call = func(_ *engine.Call, stack []uint64) { stack[0] = 123 }
	first := compiled(t, e, "guest")
	second, err := e.Compile(t.Context(), metered(t, "guest"), other)
	noError(t, err)
	kept := instance(t, first, nil)
	gone, err := second.Instantiate(nil)
	noError(t, err)
	if a, b := call(t, kept, "peek", 64), call(t, gone, "peek", 64); a != 'a' || b != 123 {
		t.Errorf("peek gives %d and %d, want %d and 123", a, b, 'a')
	}
	noError(t, gone.Close())
	noError(t, second.Close())
	runtime.GC()
	if got := call(t, kept, "peek", 64); got != 'a' {
		t.Errorf("peek gives %d after the other module has gone", got)
	}
	if got := call(t, instance(t, first, nil), "answer", 0); got != 42 {
		t.Errorf("a new instance gives %d", got)
	}
}
