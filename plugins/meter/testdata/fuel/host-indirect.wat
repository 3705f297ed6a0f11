;; An import that is called through the table weighs as any call_indirect, and is as deep.
;; f 0 -> 0, fuel 5
;; f 0, depth 0 -> exhausted, fuel 5, left -1
(module (type $n (func (result i64))) (import "gw1" "now_ns" (func $n (type $n)))
  (table 1 funcref) (elem (i32.const 0) $n)
  (func (export "f") (param i32) (result i32) i32.const 0 call_indirect (type $n) i32.wrap_i64))
