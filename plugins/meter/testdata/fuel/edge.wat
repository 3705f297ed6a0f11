;; fuel-straight with a budget of 4 returns, with 3 it is exhausted.
;; f 0, budget 4 -> 1, fuel 4
;; f 0, budget 3 -> exhausted
(module (func (export "f") (param i32) (result i32) local.get 0 i32.const 1 i32.add))
