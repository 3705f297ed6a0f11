;; log of lines that lie outside memory, or would be 4 GiB long: -4 has no place in a function
;; without a result, so nothing happens.
(module
  (import "gw1" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (call $log (i32.const 2) (i32.const -1) (i32.const 16))
    (call $log (i32.const 2) (i32.const 0) (i32.const -1))
    (call $log (i32.const 99) (i32.const 0) (i32.const 0))
    (i32.const 0)))
