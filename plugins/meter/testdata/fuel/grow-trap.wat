;; A trap after a refused memory.grow is told apart by the mark.
;; f 256 -> memory, fuel 1004
;; f 1 -> trap, fuel 1004
(module (memory (export "memory") 1) (func (export "f") (param i32) (result i32)
  local.get 0 memory.grow drop unreachable))
