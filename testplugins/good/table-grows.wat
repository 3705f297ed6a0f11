;; table.grow is refused beyond 65,536 more entries than there were, and that is no fault: lists
;; position 0 if it was refused.
(module
  (memory (export "memory") 2)
  (table $t 1 funcref)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (i32.store16 (i32.add (i32.const 0x10000) (i32.load (i32.const 0x10070)))
      (i32.ne (table.grow $t (ref.null func) (i32.const 65536)) (i32.const -1)))
    (i32.const 1)))
