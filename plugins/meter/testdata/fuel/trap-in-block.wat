;; A block is paid for at once: a trap before its end with fuel below 0 is exhausted.
;; f 0, budget 20 -> trap, fuel 18
;; f 0, budget 10 -> exhausted, fuel 18
(module (func (export "f") (param i32) (result i32)
  block
    i32.const 1 local.get 0 i32.div_u
    i32.const 1 i32.add i32.const 1 i32.add i32.const 1 i32.add drop
  end
  i32.const 2))
