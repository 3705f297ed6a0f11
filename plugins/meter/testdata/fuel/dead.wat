;; Code after br costs nothing; code behind a taken br_if is not charged.
;; f 1 -> 9, fuel 4
;; f 0 -> 9, fuel 7
(module (func (export "f") (param i32) (result i32) block local.get 0 br_if 0 i32.const 7 drop br 0 i32.const 8 drop end i32.const 9))
