;; 2^60 calls, without a loop and at depth 60.
(module
  (func $tree (param $n i32) (result i32)
    (if (result i32) (local.get $n)
      (then (i32.add
        (call $tree (i32.sub (local.get $n) (i32.const 1)))
        (call $tree (i32.sub (local.get $n) (i32.const 1)))))
      (else (i32.const 1))))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (call $tree (i32.const 60))))
