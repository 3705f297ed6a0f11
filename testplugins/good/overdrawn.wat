;; Returns with fuel below 0, where nobody looks: it has succeeded. evil/call/late-trap does the
;; same and traps.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (local $n i32)
    (local.set $n (i32.const 333200))
    (loop $again
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (drop (memory.grow (i32.const 0)))
    (drop (memory.grow (i32.const 0)))
    (drop (memory.grow (i32.const 0)))
    (i32.const 0)))
