;; A line on descriptor 2, then a trap: the line goes into the fault record.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (data (i32.const 0) "\10\00\00\00\14\00\00\00\00\00\00\00\00\00\00\00panic: no such shop\n")
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (if (i32.and (i32.load16_u (i32.const 0x10006)) (i32.const 256))
      (then (return (i32.const 0)))) ;; the self-test
    (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
    unreachable))
