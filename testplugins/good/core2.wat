;; Uses what core 2.0 brought: SIMD, bulk memory, several tables, references, several results, sign
;; extension, saturating truncation. Lists position 1 if all of it worked.
(module
  (memory (export "memory") 2)
  (table $a 2 funcref)
  (table $b 2 externref)
  (elem $e funcref (ref.func $pair))
  (data $d "\01\02\03\04")
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func $pair (result i32 i32) (i32.const 2) (i32.const 3))
  (func (export "gw_route") (param $size i32) (result i32) (local $sum i32)
    (memory.init $d (i32.const 0) (i32.const 0) (i32.const 4))
    (table.init $a $e (i32.const 0) (i32.const 0) (i32.const 1))
    (table.set $b (i32.const 1) (ref.null extern))
    (call_indirect $a (result i32 i32) (i32.const 0))
    i32.add ;; 5
    (i32.extend8_s (i32.const 0xff)) ;; -1
    i32.add ;; 4
    (i32.trunc_sat_f32_u (f32.const nan)) ;; 0
    i32.add
    (i32x4.extract_lane 3 (i32x4.add (v128.const i32x4 0 0 0 2) (v128.const i32x4 0 0 0 -1)))
    i32.add ;; 5
    (i32.sub (i32.load8_u (i32.const 3)) (i32.const 4)) ;; 0
    i32.add
    (table.size $b)
    i32.add ;; 7
    (i32.const 6)
    i32.sub ;; 1
    (local.set $sum)
    (i32.store16 (i32.add (i32.const 0x10000) (i32.load (i32.const 0x10070))) (local.get $sum))
    (i32.const 1)))
