;; 900 lines in each call, which is no fault: what is over limits.log_rate is dropped and counted.
(module
  (import "gw1" "log" (func $log (param i32 i32 i32)))
  (data (i32.const 0) "flood")
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (local $n i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (local.set $n (i32.const 900))
    (loop $again
      (call $log (i32.const 2) (i32.const 0) (i32.const 5))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i32.const 0)))
