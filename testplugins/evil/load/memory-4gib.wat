;; 4 GiB from the start.
(module
  (memory (export "memory") 65536)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
