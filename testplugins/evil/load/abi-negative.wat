;; gw_abi_1 returns a negative number, which is no minor.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const -1))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
