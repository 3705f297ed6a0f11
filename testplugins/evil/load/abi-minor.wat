;; Built for minor 1000, which is above the host's. The module is good but for that; step 3 finds
;; it.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 1000))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
