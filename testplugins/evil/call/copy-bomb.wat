;; memory.copy of 8 MiB, again and again.
(module
  (memory (export "memory") 192)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (loop $again
      (memory.copy (i32.const 0x20000) (i32.const 0x20001) (i32.const 0x800000))
      (br $again))
    (i32.const 0)))
