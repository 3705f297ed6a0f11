;; A trap in a block that had paid for more than there was fuel for. The loop uses up 1,999,208 of
;; 2,000,000, the block behind it costs over 3,000; the load in it traps first.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (local $n i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (local.set $n (i32.const 333200))
    (loop $again
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (drop (i32.load (i32.const -16)))
    (drop (memory.grow (i32.const 0)))
    (drop (memory.grow (i32.const 0)))
    (drop (memory.grow (i32.const 0)))
    (i32.const 0)))
