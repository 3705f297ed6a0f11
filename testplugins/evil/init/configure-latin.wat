;; gw_configure refuses, with a message that is not UTF-8.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_configure") (param $size i32) (result i32)
    (i64.store (i32.const 0x10000) (i64.const 0xfcfc_fcfc_0000_0004))
    (i32.const -4))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
