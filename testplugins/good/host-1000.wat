;; Makes 1,000 host calls, as many as a call may make.
(module
  (import "gw1" "now_ns" (func $now (result i64)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (local $n i32)
    (local.set $n (i32.const 1000))
    (loop $again
      (drop (call $now))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i32.const 0)))
