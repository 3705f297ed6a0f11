;; SIMD with immediates of every shape.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "abcdefghijklmnopqrstuvwxyz012345")
  (func (export "lanes") (param i32 i64) (result i64)
    local.get 0 i8x16.splat local.get 0 i32x4.splat
    i8x16.shuffle 0 17 2 19 4 21 6 23 8 25 10 27 12 29 14 31
    local.get 1 i64x2.replace_lane 1
    i16x8.extract_lane_u 5 i64.extend_i32_u
    v128.const i8x16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
    local.get 0 i8x16.shl i8x16.extract_lane_s 15 i64.extend_i32_s i64.add)
  (func (export "access") (param i32) (result i64)
    local.get 0 i32.const 0xffff i32.and local.tee 0
    v128.load align=1
    local.get 0 v128.load8x8_u i16x8.add
    local.get 0 v128.load32_splat v128.xor
    i64x2.extract_lane 0)
  (func (export "access_lane") (param i32) (result i32)
    local.get 0 local.get 0 v128.load64_zero v128.load16_lane 3
    i32x4.extract_lane 1
    local.get 0 v128.const i32x4 1 2 3 4 v128.store8_lane offset=9 4)
  (func (export "float") (param f32 f64) (result f64)
    local.get 0 f32x4.splat f32x4.sqrt local.get 0 f32x4.splat f32x4.div
    f64x2.promote_low_f32x4 local.get 1 f64x2.splat f64x2.pmax f64x2.sqrt
    f64x2.extract_lane 1)
  (func (export "compare") (param i32 i32) (result i32)
    local.get 0 i32x4.splat local.get 1 i32x4.splat i32x4.gt_s
    i8x16.bitmask
    local.get 0 i16x8.splat local.get 1 i16x8.splat i16x8.q15mulr_sat_s v128.any_true i32.add
    local.get 0 i64.extend_i32_s i64x2.splat i64x2.abs i64x2.all_true i32.add)
  (func (export "dot") (param i32 i32) (result i32)
    local.get 0 i16x8.splat local.get 1 i16x8.splat i32x4.dot_i16x8_s
    i32x4.trunc_sat_f32x4_s i32x4.extract_lane 2))
