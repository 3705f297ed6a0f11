;; Gives host functions addresses outside memory, and sizes that leave 32 bits. Each answers -4;
;; gw_route returns how many did not.
(module
  (import "gw1" "random" (func $random (param i32 i32) (result i32)))
  (import "gw1" "get_property" (func $property (param i32 i32 i32 i32) (result i32)))
  (import "gw1" "metric_define" (func $define (param i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (i32.add
      (i32.add
        (i32.ne (call $random (i32.const -8) (i32.const 16)) (i32.const -4))
        (i32.ne (call $random (i32.const 0x1fff8) (i32.const 9)) (i32.const -4)))
      (i32.add
        (i32.ne (call $property (i32.const 0x20000) (i32.const 1) (i32.const 0) (i32.const 8)) (i32.const -4))
        (i32.ne (call $define (i32.const 1) (i32.const 0) (i32.const -1)) (i32.const -4))))))
