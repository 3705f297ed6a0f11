;; The host function is of another type.
;; wat2wasm --enable-all --debug-names
(module
  (import "test" "count" (func (param i64)))
  (global (export "__gw_fuel") (mut i64) (i64.const 1))
  (global (export "__gw_depth") (mut i64) (i64.const 1))
  (global (export "__gw_mark") (mut i32) (i32.const 0))
)
