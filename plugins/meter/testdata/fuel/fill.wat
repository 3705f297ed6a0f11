;; memory.fill: 10 and an eighth of its length.
;; f 800 -> 800, fuel 115
;; f 7 -> 7, fuel 15
(module (memory (export "memory") 1) (func (export "f") (param i32) (result i32) i32.const 0 i32.const 1 local.get 0 memory.fill local.get 0))
