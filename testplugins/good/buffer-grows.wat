;; Grows its memory by what `gw_buffer` asks for, so that any N will do.
(module
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (memory (export "memory") 1)
  (func (export "gw_buffer") (param $size i32) (result i32)
    (if (i32.eq (i32.const -1) (memory.grow
          (i32.shr_u (i32.add (local.get $size) (i32.const 0xffff)) (i32.const 16))))
      (then (return (i32.const 0))))
    (i32.const 0x10000))
  (func (export "gw_configure") (param $size i32) (result i32) (i32.const 0))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
