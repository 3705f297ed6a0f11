;; Is at depth 1,000 once, as deep as a call may go by default.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func $down (param $left i32) (result i32)
    (if (result i32) (local.get $left)
      (then (call $down (i32.sub (local.get $left) (i32.const 1))))
      (else (i32.const 0))))
  (func (export "gw_route") (param $size i32) (result i32)
    (call $down (i32.const 999))))
