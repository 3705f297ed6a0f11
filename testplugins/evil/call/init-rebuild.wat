;; The first call writes "broken" to kv and traps. No instance that finds that there can be
;; configured: the first fault is `trap`, the rebuild ends in `init`.
(module
  (import "gw1" "kv_get" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (import "gw1" "kv_set" (func $set (param i32 i32 i32 i32 i64 i64) (result i32)))
  (data (i32.const 0) "broken")
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_configure") (param $size i32) (result i32)
    (if (i32.ge_s (call $get (i32.const 0) (i32.const 6) (i32.const 16) (i32.const 0) (i32.const 0))
                  (i32.const 0))
      (then unreachable))
    (i32.const 0))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (drop (call $set (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 1) (i64.const 0) (i64.const 0)))
    unreachable))
