package meter

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"weirkeep/abi"
)

// The instructions that are known are those that wazero knows as core 2.0. Behind
// unreachable operands may be anything, and zeros are immediates of any length:
// those that are too many are unreachable again.
func TestKnownInstructionsAreThoseOfCore2(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	known := 0
	for _, op := range everyOpcode() {
		wasm := withOneOf(op)
		_, err := Inspect(wasm)
		if want := compiles(ctx, r, wasm); (err == nil) != want {
			t.Errorf("instruction %x: Inspect() = %v, wazero compiles it: %t", op, err, want)
		}
		if err == nil {
			known++
		}
	}
	if known != 430 {
		t.Errorf("%d instructions are known, want 430", known)
	}
}

// everyOpcode is every byte that may be one, and all behind the prefixes.
func everyOpcode() (ops [][]byte) {
	for b := range 256 {
		if b != 0xfc && b != 0xfd {
			ops = append(ops, []byte{byte(b)})
		}
	}
	for second := range uint32(300) {
		ops = append(ops, appendU32([]byte{0xfc}, second), appendU32([]byte{0xfd}, second))
	}
	return ops
}

// withOneOf is a module that has everything an instruction may name, and one function.
func withOneOf(op []byte) []byte {
	instructions := append([]byte{opUnreachable}, op...)
	instructions = append(instructions, make([]byte, 20)...)
	return module(
		list(typeSection, nullary),
		list(functionSection, []byte{0}),
		list(tableSection, []byte{0x70, 0, 1}),
		page,
		list(globalSection, []byte{0x7f, 1, 0x41, 0, opEnd}),
		list(exportSection, named("f", 0, 0)),
		list(elementSection, []byte{1, 0, 1, 0}),
		raw(dataCountSection, 1),
		list(codeSection, fnWith([]byte{1, 1, 0x7f}, instructions...)),
		list(dataSection, []byte{1, 0}),
	)
}

// The weights as the contract tells them: what is not named weighs 1.
func TestWeights(t *testing.T) {
	one := func(op byte) uint16 {
		switch op {
		case 0x01, 0x02, 0x03, 0x05, 0x0b: // nop block loop else end
			return 0
		case 0x11: // call_indirect
			return 2
		case 0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82, 0x91, 0x95, 0x9f, 0xa3:
			return 8
		case 0xd2: // ref.func
			return 50
		case 0x40: // memory.grow
			return 1000
		}
		return 1
	}
	var told []int
	for _, w := range abi.Weights {
		told = append(told, w.Fuel)
	}
	if want := []int{free, ordinary, slow, division, bulk, foreign, foreign, growth, growth}; !slices.Equal(told, want) {
		t.Errorf("the contract tells the weights %d, want %d", told, want)
	}
	bulks := map[byte]uint16{8: 10, 10: 10, 11: 10, 12: 50, 14: 50, 17: 50, 15: 1000}
	simd := map[byte]uint16{0xe3: 8, 0xe7: 8, 0xef: 8, 0xf3: 8}
	for i := range 256 {
		op := byte(i)
		checkWeight(t, fmt.Sprintf("%02x", op), opcodes[op], one(op))
		checkWeight(t, fmt.Sprintf("fc %d", op), bulkOpcodes[op], max(bulks[op], 1))
		checkWeight(t, fmt.Sprintf("fd %02x", op), simdOpcodes[op], max(simd[op], 2))
	}
}

func checkWeight(t *testing.T, name string, op opcode, want uint16) {
	t.Helper()
	if op.shape != unknown && op.shape != prefixed && op.weight != want {
		t.Errorf("instruction %s weighs %d, want %d", name, op.weight, want)
	}
}
