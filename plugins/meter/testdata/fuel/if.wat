;; Only the branch taken is charged.
;; f 1 -> 1, fuel 4
;; f 0 -> 5, fuel 6
(module (func (export "f") (param i32) (result i32) local.get 0 if (result i32) i32.const 1 else i32.const 2 i32.const 3 i32.add end))
