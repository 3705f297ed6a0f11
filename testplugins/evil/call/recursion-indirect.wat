;; Two functions that call each other through a table.
(module
  (type $f (func (param i32) (result i32)))
  (table 2 funcref)
  (elem (i32.const 0) $even $odd)
  (func $even (type $f)
    (i32.add (i32.const 1) (call_indirect (type $f) (local.get 0) (i32.const 1))))
  (func $odd (type $f)
    (i32.add (i32.const 1) (call_indirect (type $f) (local.get 0) (i32.const 0))))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (call_indirect (type $f) (i32.const 0) (i32.const 0))))
