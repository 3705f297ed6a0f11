;; memory.init weighs 10 and an eighth of its length; data.drop weighs 1.
;; f 8 -> 98, fuel 20
;; f 9 -> trap, fuel 20
(module (memory (export "memory") 1) (data $d "abcdefgh") (func (export "f") (param i32) (result i32)
  i32.const 0 i32.const 0 local.get 0 memory.init $d
  data.drop $d
  i32.const 0 i32.load8_u offset=1 drop i32.const 98))
