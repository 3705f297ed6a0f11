;; memory.copy weighs 10 and an eighth of its length, charged before it traps.
;; f 16 -> 16, fuel 17
;; f 65536 -> 65536, fuel 8207
;; f 65537 -> trap, fuel 8207
;; f -1, budget 1000 -> exhausted, fuel 536870926
(module (memory (export "memory") 1) (func (export "f") (param i32) (result i32)
  i32.const 0 i32.const 0 local.get 0 memory.copy local.get 0))
