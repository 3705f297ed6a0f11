package meter

// A shape is what follows an instruction's opcode, and what it does that the
// walk has to know of.
type shape uint8

const (
	unknown shape = iota
	plain         // nothing follows
	unreachableShape
	blockShape
	loopShape
	ifShape
	elseShape
	endShape
	branch
	branchIf
	branchTable
	returnShape
	callShape
	callIndirect
	selectTyped
	local
	globalGet
	globalSet
	tableShape // one table index
	tableGrow
	tableFill
	tableCopy
	tableInit
	elemDrop
	access // alignment and offset
	accessLane
	memorySize
	memoryGrow
	memoryCopy
	memoryFill
	memoryInit
	dataDrop
	const32
	const64
	constF32
	constF64
	const128
	shuffle
	lane
	refNull
	refFunc
	prefixed // a second opcode follows, in a table of its own
)

// An opcode is an instruction: its shape and its price in fuel.
type opcode struct {
	shape  shape
	weight uint16
	// width is the binary logarithm of the bytes that an access reads or writes,
	// and the number of lanes for a lane; accessLane has 16 >> width of them.
	width uint8
}

// A run is consecutive instructions that are alike.
type run struct {
	first, last byte
	opcode
}

// table lays runs out by opcode. What no run covers is unknown.
func table(runs []run) *[256]opcode {
	var t [256]opcode
	for _, r := range runs {
		for op := int(r.first); op <= int(r.last); op++ {
			t[op] = r.opcode
		}
	}
	return &t
}

// The weights are part of the contract with guests: fuel is the same on every
// engine and in every release.
const (
	free     = 0
	ordinary = 1
	slow     = 2 // call_indirect, SIMD
	division = 8 // and remainder, square root
	bulk     = 10
	foreign  = 50
	growth   = 1000
)

// opcodes are the instructions of one byte. A call is worth ordinary, or foreign
// where an import is called.
var opcodes = table([]run{
	{0x00, 0x00, opcode{unreachableShape, ordinary, 0}},
	{0x01, 0x01, opcode{plain, free, 0}}, // nop
	{0x02, 0x02, opcode{blockShape, free, 0}},
	{0x03, 0x03, opcode{loopShape, free, 0}},
	{0x04, 0x04, opcode{ifShape, ordinary, 0}},
	{0x05, 0x05, opcode{elseShape, free, 0}},
	{0x0b, 0x0b, opcode{endShape, free, 0}},
	{0x0c, 0x0c, opcode{branch, ordinary, 0}},
	{0x0d, 0x0d, opcode{branchIf, ordinary, 0}},
	{0x0e, 0x0e, opcode{branchTable, ordinary, 0}},
	{0x0f, 0x0f, opcode{returnShape, ordinary, 0}},
	{0x10, 0x10, opcode{callShape, ordinary, 0}},
	{0x11, 0x11, opcode{callIndirect, slow, 0}},
	{0x1a, 0x1b, opcode{plain, ordinary, 0}}, // drop, select
	{0x1c, 0x1c, opcode{selectTyped, ordinary, 0}},
	{0x20, 0x22, opcode{local, ordinary, 0}},
	{0x23, 0x23, opcode{globalGet, ordinary, 0}},
	{0x24, 0x24, opcode{globalSet, ordinary, 0}},
	{0x25, 0x26, opcode{tableShape, ordinary, 0}}, // table.get, table.set
	{0x28, 0x28, opcode{access, ordinary, 2}},     // i32.load
	{0x29, 0x29, opcode{access, ordinary, 3}},
	{0x2a, 0x2a, opcode{access, ordinary, 2}}, // f32.load
	{0x2b, 0x2b, opcode{access, ordinary, 3}},
	{0x2c, 0x2d, opcode{access, ordinary, 0}}, // i32.load8
	{0x2e, 0x2f, opcode{access, ordinary, 1}},
	{0x30, 0x31, opcode{access, ordinary, 0}}, // i64.load8
	{0x32, 0x33, opcode{access, ordinary, 1}},
	{0x34, 0x35, opcode{access, ordinary, 2}},
	{0x36, 0x36, opcode{access, ordinary, 2}}, // i32.store
	{0x37, 0x37, opcode{access, ordinary, 3}},
	{0x38, 0x38, opcode{access, ordinary, 2}}, // f32.store
	{0x39, 0x39, opcode{access, ordinary, 3}},
	{0x3a, 0x3a, opcode{access, ordinary, 0}}, // i32.store8
	{0x3b, 0x3b, opcode{access, ordinary, 1}},
	{0x3c, 0x3c, opcode{access, ordinary, 0}}, // i64.store8
	{0x3d, 0x3d, opcode{access, ordinary, 1}},
	{0x3e, 0x3e, opcode{access, ordinary, 2}},
	{0x3f, 0x3f, opcode{memorySize, ordinary, 0}},
	{0x40, 0x40, opcode{memoryGrow, growth, 0}},
	{0x41, 0x41, opcode{const32, ordinary, 0}},
	{0x42, 0x42, opcode{const64, ordinary, 0}},
	{0x43, 0x43, opcode{constF32, ordinary, 0}},
	{0x44, 0x44, opcode{constF64, ordinary, 0}},
	{0x45, 0xc4, opcode{plain, ordinary, 0}}, // comparisons, arithmetic, conversions
	{0x6d, 0x70, opcode{plain, division, 0}}, // i32.div, i32.rem
	{0x7f, 0x82, opcode{plain, division, 0}}, // i64.div, i64.rem
	{0x91, 0x91, opcode{plain, division, 0}}, // f32.sqrt
	{0x95, 0x95, opcode{plain, division, 0}}, // f32.div
	{0x9f, 0x9f, opcode{plain, division, 0}}, // f64.sqrt
	{0xa3, 0xa3, opcode{plain, division, 0}}, // f64.div
	{0xd0, 0xd0, opcode{refNull, ordinary, 0}},
	{0xd1, 0xd1, opcode{plain, ordinary, 0}}, // ref.is_null
	{0xd2, 0xd2, opcode{refFunc, foreign, 0}},
	{0xfc, 0xfd, opcode{prefixed, free, 0}},
})

// bulkOpcodes are those behind 0xfc.
var bulkOpcodes = table([]run{
	{0, 7, opcode{plain, ordinary, 0}}, // trunc_sat
	{8, 8, opcode{memoryInit, bulk, 0}},
	{9, 9, opcode{dataDrop, ordinary, 0}},
	{10, 10, opcode{memoryCopy, bulk, 0}},
	{11, 11, opcode{memoryFill, bulk, 0}},
	{12, 12, opcode{tableInit, foreign, 0}},
	{13, 13, opcode{elemDrop, ordinary, 0}},
	{14, 14, opcode{tableCopy, foreign, 0}},
	{15, 15, opcode{tableGrow, growth, 0}},
	{16, 16, opcode{tableShape, ordinary, 0}}, // table.size
	{17, 17, opcode{tableFill, foreign, 0}},
})

// simdOpcodes are those behind 0xfd.
var simdOpcodes = table([]run{
	{0x00, 0x00, opcode{access, slow, 4}}, // v128.load
	{0x01, 0x06, opcode{access, slow, 3}}, // load8x8 and the like
	{0x07, 0x07, opcode{access, slow, 0}}, // load_splat
	{0x08, 0x08, opcode{access, slow, 1}},
	{0x09, 0x09, opcode{access, slow, 2}},
	{0x0a, 0x0a, opcode{access, slow, 3}},
	{0x0b, 0x0b, opcode{access, slow, 4}}, // v128.store
	{0x0c, 0x0c, opcode{const128, slow, 0}},
	{0x0d, 0x0d, opcode{shuffle, slow, 0}},
	{0x0e, 0x14, opcode{plain, slow, 0}}, // swizzle, splat
	{0x15, 0x17, opcode{lane, slow, 16}}, // extract_lane, replace_lane
	{0x18, 0x1a, opcode{lane, slow, 8}},
	{0x1b, 0x1c, opcode{lane, slow, 4}},
	{0x1d, 0x1e, opcode{lane, slow, 2}},
	{0x1f, 0x20, opcode{lane, slow, 4}},
	{0x21, 0x22, opcode{lane, slow, 2}},
	{0x23, 0x53, opcode{plain, slow, 0}},
	{0x54, 0x54, opcode{accessLane, slow, 0}}, // load_lane
	{0x55, 0x55, opcode{accessLane, slow, 1}},
	{0x56, 0x56, opcode{accessLane, slow, 2}},
	{0x57, 0x57, opcode{accessLane, slow, 3}},
	{0x58, 0x58, opcode{accessLane, slow, 0}}, // store_lane
	{0x59, 0x59, opcode{accessLane, slow, 1}},
	{0x5a, 0x5a, opcode{accessLane, slow, 2}},
	{0x5b, 0x5b, opcode{accessLane, slow, 3}},
	{0x5c, 0x5c, opcode{access, slow, 2}}, // load32_zero
	{0x5d, 0x5d, opcode{access, slow, 3}},
	{0x5e, 0x99, opcode{plain, slow, 0}},
	{0x9b, 0xa1, opcode{plain, slow, 0}}, // the gaps were given up
	{0xa3, 0xa4, opcode{plain, slow, 0}},
	{0xa7, 0xae, opcode{plain, slow, 0}},
	{0xb1, 0xb1, opcode{plain, slow, 0}},
	{0xb5, 0xba, opcode{plain, slow, 0}},
	{0xbc, 0xc1, opcode{plain, slow, 0}},
	{0xc3, 0xc4, opcode{plain, slow, 0}},
	{0xc7, 0xce, opcode{plain, slow, 0}},
	{0xd1, 0xd1, opcode{plain, slow, 0}},
	{0xd5, 0xe1, opcode{plain, slow, 0}},
	{0xe3, 0xed, opcode{plain, slow, 0}},
	{0xef, 0xff, opcode{plain, slow, 0}},
	{0xe3, 0xe3, opcode{plain, division, 0}}, // f32x4.sqrt
	{0xe7, 0xe7, opcode{plain, division, 0}}, // f32x4.div
	{0xef, 0xef, opcode{plain, division, 0}}, // f64x2.sqrt
	{0xf3, 0xf3, opcode{plain, division, 0}}, // f64x2.div
})
