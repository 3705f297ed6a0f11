;; gw_buffer of 64 bits.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param i64) (result i64) (i64.const 0))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
