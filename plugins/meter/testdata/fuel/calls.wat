;; call 1, call_indirect 2, and the entry of each callee.
;; f 5 -> 5, fuel 10
(module (type $t (func (param i32) (result i32))) (table 1 funcref) (elem (i32.const 0) $g) (func $g (param i32) (result i32) local.get 0) (func (export "f") (param i32) (result i32) local.get 0 call $g i32.const 0 call_indirect (type $t)))
