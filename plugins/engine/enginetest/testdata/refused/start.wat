;; A start function would run before anybody has set the fuel.
;; wat2wasm --enable-all --debug-names
(module
  (func $start)
  (start $start)
  (global (export "__gw_fuel") (mut i64) (i64.const 1))
  (global (export "__gw_depth") (mut i64) (i64.const 1))
  (global (export "__gw_mark") (mut i32) (i32.const 0))
)
