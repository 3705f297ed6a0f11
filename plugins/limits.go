package plugins

import (
	"runtime"
	"time"
)

const pageBytes = 64 << 10

// orDefaults fills in what is not said; of some limits Go guests need more.
func (l Limits) orDefaults(goGuest bool) Limits {
	memory, fuel := int64(16<<20), int64(2_000_000)
	if goGuest {
		memory, fuel = 64<<20, 16_000_000
	}
	orElse(&l.Memory, memory)
	orElse(&l.Fuel, fuel)
	orElse(&l.InitFuel, 16_000_000)
	orElse(&l.Depth, 1000)
	orElse(&l.Instances, 2*runtime.GOMAXPROCS(0))
	orElse(&l.Wait, time.Millisecond)
	orElse(&l.View, 48<<10)
	orElse(&l.Body, 64<<10)
	orElse(&l.LogRate, 100)
	return l
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// pages is the limit of memory in pages, which are whole.
func (l Limits) pages() uint32 { return uint32(max(1, l.Memory/pageBytes)) }
