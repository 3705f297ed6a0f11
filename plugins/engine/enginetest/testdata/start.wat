;; A module with a start function.
(module
  (memory (export "memory") 1)
  (func $start (i32.store (i32.const 8) (i32.const 99)))
  (func (export "read") (param i32) (result i32) (i32.load (local.get 0)))
  (global (export "__gw_fuel") (mut i64) (i64.const 1000000))
  (global (export "__gw_depth") (mut i64) (i64.const 1000))
  (global (export "__gw_mark") (mut i32) (i32.const 0))
  (export "__gw_start" (func $start)))
