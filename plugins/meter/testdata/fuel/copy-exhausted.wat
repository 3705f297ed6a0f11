;; A bulk instruction does not run once its length has used up the fuel: no byte is written.
;; f 800, budget 114 -> exhausted, fuel 115, first 0
;; f 800, budget 115 -> 7, fuel 115, first 7
(module (memory (export "memory") 1) (func (export "f") (param i32) (result i32)
  i32.const 0 i32.const 7 local.get 0 memory.fill i32.const 7))
