;; Would be at depth 1,001; good/deep is at 1,000.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func $down (param $left i32) (result i32)
    (if (result i32) (local.get $left)
      (then (call $down (i32.sub (local.get $left) (i32.const 1))))
      (else (i32.const 0))))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (call $down (i32.const 1000))))
