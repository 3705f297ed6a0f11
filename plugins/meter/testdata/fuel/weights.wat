;; Division, remainder and square root weigh 8: twelve of them, 18 others and 1 for the entry.
;; f 3 -> 12, fuel 115
(module (func (export "f") (param i32) (result i32)
  local.get 0 i32.const 1 i32.div_s i32.const 1 i32.div_u i32.const 5 i32.rem_s i32.const 5 i32.rem_u
  i64.extend_i32_s i64.const 1 i64.div_s i64.const 1 i64.div_u i64.const 5 i64.rem_s i64.const 5 i64.rem_u
  drop
  f32.const 9 f32.sqrt f32.const 1 f32.div drop
  f64.const 9 f64.sqrt f64.const 1 f64.div drop
  i32.const 12))
