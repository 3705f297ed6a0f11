;; Three plain instructions: 1 for the entry and 3.
;; f 0 -> 1, fuel 4
(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 1 i32.add))
