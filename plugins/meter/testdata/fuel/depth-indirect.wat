;; Indirect calls are as deep as direct ones: 3 deep and no more.
;; f 0, depth 2 -> exhausted, fuel 21, left -1
(module (type $t (func (param i32) (result i32))) (table 1 funcref) (elem (i32.const 0) $f)
  (func $f (export "f") (param i32) (result i32)
    i32.const 1 local.get 0 i32.const 0 call_indirect (type $t) i32.add))
