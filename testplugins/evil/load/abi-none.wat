;; No gw_abi_N at all.
(module
  (memory (export "memory") 2)
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
