;; One host call more than the 1,000 that a call may make. good/host-1000 makes 1,000.
(module
  (import "gw1" "now_ns" (func $now (result i64)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (local $n i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (local.set $n (i32.const 1001))
    (loop $again
      (drop (call $now))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i32.const 0)))
