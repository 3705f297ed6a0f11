;; gw_configure refuses, with the message "split must be one letter" at B.
(module
  (data (i32.const 0) "\18\00\00\00split must be one letter")
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_configure") (param $size i32) (result i32)
    (memory.copy (i32.const 0x10000) (i32.const 0) (i32.const 28))
    (i32.const -4))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
