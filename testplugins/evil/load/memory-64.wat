;; A memory of 64-bit addresses.
;; wat2wasm --enable-memory64
(module
  (memory (export "memory") i64 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
