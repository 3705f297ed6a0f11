;; SIMD weighs 2, its division and square root 8.
;; f 3 -> 1, fuel 44
(module (func (export "f") (param i32) (result i32)
  local.get 0 i32x4.splat
  f32x4.convert_i32x4_s
  f32x4.sqrt
  v128.const f32x4 1 1 1 1
  f32x4.div
  f64x2.sqrt
  f64x2.sqrt
  i32x4.extract_lane 3
  drop
  i32.const 1))
