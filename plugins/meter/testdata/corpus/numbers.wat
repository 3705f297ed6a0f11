;; Arithmetic: traps of division and conversion, signs, rounding, NaN.
(module
  (func (export "div_s") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s)
  (func (export "rem_s") (param i32 i32) (result i32) local.get 0 local.get 1 i32.rem_s)
  (func (export "div_u64") (param i64 i64) (result i64) local.get 0 local.get 1 i64.div_u)
  (func (export "rem_s64") (param i64 i64) (result i64) local.get 0 local.get 1 i64.rem_s)
  (func (export "bits") (param i64) (result i64)
    local.get 0 i64.clz local.get 0 i64.ctz i64.add local.get 0 i64.popcnt i64.sub
    local.get 0 i64.const 13 i64.rotl i64.xor local.get 0 i64.extend8_s i64.add local.get 0 i64.extend32_s i64.xor)
  (func (export "bits32") (param i32) (result i32)
    local.get 0 i32.clz local.get 0 i32.ctz i32.add local.get 0 i32.popcnt i32.sub
    local.get 0 i32.const 13 i32.rotr i32.xor local.get 0 i32.extend16_s i32.add)
  (func (export "trunc") (param f64) (result i32) local.get 0 i32.trunc_f64_s)
  (func (export "trunc_u64") (param f32) (result i64) local.get 0 i64.trunc_f32_u)
  (func (export "trunc_sat") (param f64) (result i64)
    local.get 0 i64.trunc_sat_f64_s local.get 0 i64.trunc_sat_f64_u i64.xor
    local.get 0 i32.trunc_sat_f64_s i64.extend_i32_s i64.add)
  (func (export "float") (param f64 f64) (result f64)
    local.get 0 local.get 1 f64.div f64.sqrt local.get 0 f64.min local.get 1 f64.copysign f64.nearest)
  (func (export "float32") (param f32 f32) (result f32)
    local.get 0 local.get 1 f32.mul f32.ceil local.get 1 f32.max local.get 0 f32.sub f32.abs)
  (func (export "compare") (param f64 f64) (result i32)
    local.get 0 local.get 1 f64.lt local.get 0 local.get 1 f64.ge i32.const 1 i32.shl i32.or
    local.get 0 local.get 1 f64.ne i32.const 2 i32.shl i32.or)
  (func (export "reinterpret") (param f32) (result i64)
    local.get 0 f64.promote_f32 i64.reinterpret_f64 local.get 0 i32.reinterpret_f32 i64.extend_i32_u i64.xor))
