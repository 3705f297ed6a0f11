;; The optional gw_enable has a wrong type.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_enable") (param i32))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
