;; The module's own globals keep their numbers.
;; f 5 -> 47, fuel 8
(module (global $a (mut i32) (i32.const 40)) (global $b i32 (i32.const 2))
  (func (export "f") (param i32) (result i32)
    global.get $a local.get 0 i32.add global.get $b i32.add global.set $a global.get $a))
