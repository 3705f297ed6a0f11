;; Two tables of 40,000 entries: each alone would do, together they are more than 65,536.
(module
  (memory (export "memory") 2)
  (table 40000 funcref)
  (table 40000 externref)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
