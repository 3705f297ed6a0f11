;; Fills all its memory, view and buffer included, with 0xff, and returns 3: the host reads its own
;; lengths and finds positions that do not exist.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (memory.fill (i32.const 0) (i32.const 255) (i32.const 0x20000))
    (i32.const 3)))
