;; The depth is not counted.
;; wat2wasm --enable-all --debug-names
(module
  (global (export "__gw_fuel") (mut i64) (i64.const 1))
  (global (export "__gw_mark") (mut i32) (i32.const 0))
)
