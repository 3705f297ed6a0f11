;; A collector whose metric is what stands in its view at params.at: below 128 a u32, from
;; there on an f64, of which -1 is no opinion, -2 an error and -3 a trap; without a number
;; there it has no opinion. At 0 it is what was called before: 1 gw_configure, 2 gw_enable,
;; a digit each.
(module
  (memory (export "memory") 2)
  (global $at (mut i32) (i32.const 0))
  (global $steps (mut i32) (i32.const 0))
  (func $step (param $digit i32)
    (global.set $steps (i32.add (i32.mul (global.get $steps) (i32.const 10)) (local.get $digit))))
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  ;; The params begin with {"at": and then come the digits.
  (func (export "gw_configure") (param $size i32) (result i32) (local $p i32) (local $digit i32)
    (call $step (i32.const 1))
    (if (i32.eqz (local.get $size)) (then (return (i32.const 0))))
    (local.set $p (i32.const 0x10006))
    (block $end
      (loop $next
        (local.set $digit (i32.sub (i32.load8_u (local.get $p)) (i32.const 48)))
        (br_if $end (i32.gt_u (local.get $digit) (i32.const 9)))
        (global.set $at (i32.add (i32.mul (global.get $at) (i32.const 10)) (local.get $digit)))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $next)))
    (i32.const 0))
  (func (export "gw_enable") (param $on i32) (result i32)
    (call $step (i32.const 2))
    (i32.const 0))
  (func (export "gw_collect") (param $size i32) (result i32) (local $f f64)
    (if (i32.eqz (global.get $at)) (then (return (global.get $steps))))
    (if (i32.lt_u (global.get $at) (i32.const 128))
      (then (return (i32.and (i32.load (i32.add (i32.const 0x10000) (global.get $at))) (i32.const 0x7fffffff)))))
    ;; The table of sources: where it begins, how many it has.
    (if (i32.eqz (i32.load (i32.const 0x1006c))) (then (return (i32.const 0x80000000))))
    (local.set $f (f64.load (i32.add (i32.const 0x10000) (global.get $at))))
    (if (f64.eq (local.get $f) (f64.const -1)) (then (return (i32.const 0x80000000))))
    (if (f64.eq (local.get $f) (f64.const -2)) (then (return (i32.const -1))))
    (if (f64.eq (local.get $f) (f64.const -3)) (then (unreachable)))
    (i32.trunc_sat_f64_s (local.get $f))))
