;; A loop without end stops where fuel is looked at: at its header, here each 2.
;; f 0, budget 100 -> exhausted, fuel 101
;; f 0, budget 101 -> exhausted, fuel 103
(module (func (export "f") (param i32) (result i32) loop br 0 end i32.const 1))
