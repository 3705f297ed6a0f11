package meter

// A feature is a part of WebAssembly that came after core 2.0. None is run.
type feature int

const (
	threads feature = iota + 1
	memory64
	multiMemory
	tailCalls
	exceptions
	garbageCollection
	relaxedSIMD
	extendedConst
	wideArithmetic
	pageSizes
)

// features says of each feature what it is called and how to do without it.
var features = map[feature]struct{ name, cure string }{
	threads:           {"threads", "build without shared memory and atomics: no -pthread, -matomics or +atomics"},
	memory64:          {"64-bit memory", "build for wasm32"},
	multiMemory:       {"several memories", "build with one memory: no --enable-multimemory"},
	tailCalls:         {"tail calls", "build with -mno-tail-call, or -C target-feature=-tail-call"},
	exceptions:        {"exceptions", "build with -fno-exceptions and without -fwasm-exceptions; Rust: panic=abort"},
	garbageCollection: {"GC and typed references", "build for linear memory; languages that need WebAssembly GC do not run here"},
	relaxedSIMD:       {"relaxed SIMD", "build with -mno-relaxed-simd, or -C target-feature=-relaxed-simd"},
	extendedConst:     {"extended constant expressions", "build with -mno-extended-const"},
	wideArithmetic:    {"wide arithmetic", "build with -mno-wide-arithmetic"},
	pageSizes:         {"custom page sizes", "build with pages of 64 KiB"},
}

func (f feature) name() string { return features[f].name }

func (f feature) cure() string { return features[f].cure }

// laterOpcodes names the feature of each first byte that core 2.0 does not have.
var laterOpcodes = map[byte]feature{
	0x06: exceptions, 0x07: exceptions, 0x08: exceptions, 0x09: exceptions, 0x0a: exceptions,
	0x12: tailCalls, 0x13: tailCalls,
	0x14: garbageCollection, 0x15: tailCalls,
	0x18: exceptions, 0x19: exceptions, 0x1f: exceptions,
	0xd3: garbageCollection, 0xd4: garbageCollection, 0xd5: garbageCollection, 0xd6: garbageCollection,
	0xfb: garbageCollection,
	0xfe: threads,
}

// laterTypes names the feature of each byte that begins a type of a later version.
var laterTypes = map[byte]feature{
	0x78: garbageCollection, 0x77: garbageCollection, // packed
	0x75: exceptions, 0x74: exceptions, 0x69: exceptions, 0x68: exceptions,
	0x73: garbageCollection, 0x72: garbageCollection, 0x71: garbageCollection,
	0x6e: garbageCollection, 0x6d: garbageCollection, 0x6c: garbageCollection, 0x6b: garbageCollection, 0x6a: garbageCollection,
	0x64: garbageCollection, 0x63: garbageCollection,
	0x5f: garbageCollection, 0x5e: garbageCollection, 0x5d: garbageCollection, // struct, array, cont
	0x50: garbageCollection, 0x4f: garbageCollection, 0x4e: garbageCollection, // sub, sub final, rec
}
