;; Keeps 1 MiB more in each call, until it is refused: the host retires it at ¾ of its limit.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (drop (memory.grow (i32.const 16)))
    (i32.const 0)))
