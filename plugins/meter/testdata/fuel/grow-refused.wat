;; A refused memory.grow leaves a mark; that alone is no fault.
;; f 1 -> 1, fuel 1002, mark 0
;; f 256 -> -1, fuel 1002, mark 1
(module (memory (export "memory") 1) (func (export "f") (param i32) (result i32)
  local.get 0 memory.grow))
