;; Each loop header costs 1 more; 3 outer rounds of 2 inner ones.
;; f 3 -> 6, fuel 92
(module (func (export "f") (param $n i32) (result i32) (local $i i32) (local $j i32) (local $sum i32)
  loop $outer
    i32.const 2
    local.set $j
    loop $inner
      local.get $sum i32.const 1 i32.add local.set $sum
      local.get $j i32.const 1 i32.sub local.tee $j
      br_if $inner
    end
    local.get $i i32.const 1 i32.add local.tee $i
    local.get $n i32.lt_s
    br_if $outer
  end
  local.get $sum))
