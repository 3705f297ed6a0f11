;; table.grow weighs 1000 and its length; its maximum is what is left of 65,536 entries.
;; f 5 -> 1, fuel 1008
;; f 65535 -> 1, fuel 66538
;; f 65536 -> -1, fuel 66539
(module (table $t 1 externref) (func (export "f") (param i32) (result i32)
  ref.null extern local.get 0 table.grow $t))
