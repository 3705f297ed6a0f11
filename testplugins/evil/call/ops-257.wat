;; 257 ops, each a good one: add header X: y.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_on_request") (param $size i32) (result i32) (local $to i32) (local $n i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (local.set $to (i32.add (i32.const 0x10000) (i32.load (i32.const 0x10070))))
    (local.set $n (i32.const 257))
    (loop $again
      (i64.store (local.get $to) (i64.const 0x00000001_0001_0002))
      (i32.store offset=8 (local.get $to) (i32.const 0x7978))
      (local.set $to (i32.add (local.get $to) (i32.const 12)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (i32.const 3084)))
