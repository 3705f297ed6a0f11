;; Depth comes back when a call returns: any number of calls one after the other.
;; f 5000, depth 1 -> 5000, fuel 55002, left 1
;; f 1, depth 0 -> exhausted, fuel 8, left -1
(module (func $g (param i32) (result i32) local.get 0 i32.const 1 i32.add)
  (func (export "f") (param i32) (result i32) (local i32)
    loop
      local.get 1 call $g local.tee 1
      local.get 0 i32.lt_u br_if 0
    end
    local.get 1))
