;; gw_abi_1 ends in a trap.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) unreachable)
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
