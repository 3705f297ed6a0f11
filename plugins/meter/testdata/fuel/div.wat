;; Division weighs 8.
;; f 7 -> 14, fuel 11
(module (func (export "f") (param i32) (result i32) i32.const 100 local.get 0 i32.div_u))
