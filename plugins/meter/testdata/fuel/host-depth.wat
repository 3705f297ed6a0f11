;; A direct call of an import is not deeper.
;; f 0, depth 0 -> 0, fuel 52
(module (import "gw1" "now_ns" (func $n (result i64)))
  (func (export "f") (param i32) (result i32) call $n i32.wrap_i64))
