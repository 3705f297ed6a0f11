;; The start function wants 1 GiB, and traps when it is refused.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func $start
    (if (i32.eq (memory.grow (i32.const 16384)) (i32.const -1))
      (then unreachable)))
  (start $start)
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
