package abi

// Weight is what instructions cost.
type Weight struct {
	Fuel         int
	Instructions string
	More         string // what is added for the length operand, which is unsigned
}

// Weights are what all instructions cost. What is in several lines costs what
// the line of the heaviest says.
var Weights = []Weight{
	{0, "`nop` `block` `loop` `else` `end`", ""},
	{1, "all that are not in another line: `call` of an own function, `if`, `br`, `br_if`, `br_table` and `return` among them", ""},
	{2, "`call_indirect`, SIMD", ""},
	{8, "`div`, `rem` and `sqrt`: integer, float and SIMD", ""},
	{10, "`memory.copy` `memory.fill` `memory.init`", "⌊n/8⌋"},
	{50, "`call` of an imported function, `ref.func`", ""},
	{50, "`table.copy` `table.fill` `table.init`", "n"},
	{1000, "`memory.grow`", ""},
	{1000, "`table.grow`", "n"},
}
