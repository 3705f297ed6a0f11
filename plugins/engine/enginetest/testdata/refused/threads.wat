;; Shared memory is not core 2.0.
;; wat2wasm --enable-all --debug-names
(module
  (memory (export "memory") 1 2 shared)
  (global (export "__gw_fuel") (mut i64) (i64.const 1))
  (global (export "__gw_depth") (mut i64) (i64.const 1))
  (global (export "__gw_mark") (mut i32) (i32.const 0))
)
