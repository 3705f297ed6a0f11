;; memory.grow weighs 1000.
;; f 1 -> 1, fuel 1002
(module (memory (export "memory") 1 2) (func (export "f") (param i32) (result i32) local.get 0 memory.grow))
