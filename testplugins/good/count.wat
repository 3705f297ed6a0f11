;; Counts its own calls, the self-test's too, which had an instance of its own. Router: lists
;; position 0 as often as it was called, so n = calls. Collector: the metric is the number of
;; calls. Matcher: no match in the first call of an instance, then match.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (global $calls (mut i32) (i32.const 0))
  (func $call (result i32)
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (global.get $calls))
  (func (export "gw_route") (param $size i32) (result i32) (local $n i32)
    (local.set $n (call $call))
    (if (i32.gt_u (local.get $n) (i32.const 256)) (then (local.set $n (i32.const 256))))
    (memory.fill (i32.add (i32.const 0x10000) (i32.load (i32.const 0x10070)))
      (i32.const 0) (i32.mul (local.get $n) (i32.const 2)))
    (local.get $n))
  (func (export "gw_collect") (param $size i32) (result i32) (call $call))
  (func (export "gw_match") (param $size i32) (result i32)
    (i32.gt_u (call $call) (i32.const 1))))
