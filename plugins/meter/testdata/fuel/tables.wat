;; table.fill, table.copy and table.init weigh 50 and their length; ref.func weighs 50.
;; f 4 -> 4, fuel 222
(module (table $t 8 funcref) (elem $e func $g $g $g $g) (func $g) (func (export "f") (param i32) (result i32)
  i32.const 0 ref.func $g local.get 0 table.fill $t
  i32.const 0 i32.const 4 local.get 0 table.copy $t $t
  i32.const 0 i32.const 0 local.get 0 table.init $t $e
  local.get 0))
