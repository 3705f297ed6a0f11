;; log in a loop without an end.
(module
  (import "gw1" "log" (func $log (param i32 i32 i32)))
  (data (i32.const 0) "flood")
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (loop $again
      (call $log (i32.const 4) (i32.const 0) (i32.const 5))
      (br $again))
    (i32.const 0)))
