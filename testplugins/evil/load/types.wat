;; gw_route gives an f32 where it says i32: the module does not validate.
;; wat2wasm --no-check
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (f32.const 0)))
