;; A matcher with kv: its answer would depend on more than view and params.
(module
  (import "gw1" "kv_set" (func (param i32 i32 i32 i32 i64 i64) (result i32)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_match") (param i32) (result i32) (i32.const 0)))
