;; Does what the second byte of the path says, so that good and bad calls can be mixed: /t traps,
;; /l loops, /m is refused memory and traps, /x exits, /i lists 257 origins, /n returns -4, /1
;; lists position 1; all else abstains.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (local $do i32)
    ;; The path is at off 56, its length at 60.
    (if (i32.ge_u (i32.load (i32.const 0x1003c)) (i32.const 2))
      (then (local.set $do
        (i32.load8_u offset=0x10001 (i32.load (i32.const 0x10038))))))
    (if (i32.eq (local.get $do) (i32.const 0x74)) (then unreachable))
    (if (i32.eq (local.get $do) (i32.const 0x6c)) (then (loop $again (br $again))))
    (if (i32.eq (local.get $do) (i32.const 0x6d))
      (then (drop (memory.grow (i32.const 16384))) unreachable))
    (if (i32.eq (local.get $do) (i32.const 0x78)) (then (call $exit (i32.const 1))))
    (if (i32.eq (local.get $do) (i32.const 0x69)) (then (return (i32.const 257))))
    (if (i32.eq (local.get $do) (i32.const 0x6e)) (then (return (i32.const -4))))
    (if (i32.eq (local.get $do) (i32.const 0x31))
      (then
        (i32.store16 (i32.add (i32.const 0x10000) (i32.load (i32.const 0x10070))) (i32.const 1))
        (return (i32.const 1))))
    (i32.const 0)))
