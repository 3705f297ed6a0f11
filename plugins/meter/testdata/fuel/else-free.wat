;; else, end, block, loop and nop weigh nothing; what is behind end is a block of its own.
;; f 0 -> 0, fuel 4
;; f 1 -> 0, fuel 4
(module (func (export "f") (param i32) (result i32)
  local.get 0
  if nop else nop nop end
  block nop nop end
  i32.const 0))
