;; Seven declared locals are free, and parameters are not counted.
;; f 3 -> 3, fuel 9
(module (func (export "f") (param i32) (result i32) (local i32 i32 i32 i32) (local f64 f64 f64)
  local.get 0 i32.const 0 i32.add call $g drop local.get 0) (func $g (param i32) (result i32) local.get 0))
