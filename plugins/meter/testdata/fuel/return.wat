;; return ends a block, and is paid for with it.
;; f 7 -> 7, fuel 3
(module (func (export "f") (param i32) (result i32)
  local.get 0 return i32.const 1 i32.const 2 i32.add))
