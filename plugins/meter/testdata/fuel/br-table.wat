;; br_table ends a block; each label has its own price.
;; f 0 -> 10, fuel 5
;; f 1 -> 20, fuel 6
;; f 5 -> 20, fuel 6
(module (func (export "f") (param i32) (result i32)
  block $b
    block $a
      local.get 0
      br_table $a $b
    end
    i32.const 10
    return
  end
  i32.const 19
  i32.const 1
  i32.add))
