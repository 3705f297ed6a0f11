;; What follows br is free up to the next end, even when that closes a block opened behind it.
;; f 1 -> 9, fuel 3
(module (func (export "f") (param i32) (result i32)
  block
    br 0
    block i32.const 1 drop i32.const 2 drop end
    i32.const 3 drop
  end
  i32.const 9))
