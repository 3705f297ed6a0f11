;; Arithmetic in the first value of a global.
;; wat2wasm --enable-extended-const
(module
  (global i32 (i32.add (i32.const 1) (i32.const 2)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
