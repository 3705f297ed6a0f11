;; A WASI function with a typing mistake in its name.
(module
  (import "wasi_snapshot_preview1" "fd_wirte" (func (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
