;; The guest of the suite: each function does one thing that an engine must get right.
;; wat2wasm --enable-all --debug-names
(module
  (import "test" "mix" (func $host_mix (param i32 i64 f32 f64) (result i64)))
  (import "test" "peek" (func $host_peek (param i32) (result i32)))
  (import "test" "count" (func $host_count))
  (import "test" "panic" (func $host_panic))
  (import "test" "exit" (func $host_exit (param i32)))

  (memory (export "memory") 1 256)
  (data (i32.const 64) "a guest")
  (table 4 funcref)
  (elem (i32.const 0) $nothing $answer)
  (type $number (func (result i32)))

  ;; Values in and out.
  (func $nothing (export "nothing"))
  (func $answer (export "answer") (result i32) (i32.const 42))
  (func $double (export "double") (param i32) (result i32) (i32.shl (local.get 0) (i32.const 1)))
  (func $negate (export "negate") (param i32) (result i32) (i32.sub (i32.const 0) (local.get 0)))
  (func $square (export "square") (param i64) (result i64) (i64.mul (local.get 0) (local.get 0)))
  (func $halve32 (export "halve32") (param f32) (result f32) (f32.div (local.get 0) (f32.const 2)))
  (func $halve64 (export "halve64") (param f64) (result f64) (f64.div (local.get 0) (f64.const 2)))
  (func $take (export "take") (param i32))
  (func $two_in (export "two_in") (param i32 i32) (result i32) (local.get 0))
  (func $two_out (export "two_out") (result i32 i32) (i32.const 1) (i32.const 2))

  ;; Memory.
  (func $read (export "read") (param i32) (result i32) (i32.load8_u (local.get 0)))
  (func $write (export "write") (param i32) (i32.store8 (local.get 0) (i32.const 7)))
  (func $grow (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func $fill (export "fill") (param i32) (memory.fill (i32.const 0) (i32.const 1) (local.get 0)))
  ;; What a router does: FNV-1a of the first n bytes, one of which it writes back.
  (func $route (export "route") (param $n i32) (result i32) (local $hash i32) (local $i i32)
    (local.set $hash (i32.const 0x811c9dc5))
    (loop $next
      (local.set $hash (i32.mul (i32.xor (local.get $hash) (i32.load8_u (local.get $i))) (i32.const 0x01000193)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $n))))
    (i32.store16 (i32.const 1024) (local.get $hash))
    (i32.and (local.get $hash) (i32.const 3)))

  ;; Host functions.
  (func $mix (export "mix") (param i32) (result i64)
    (call $host_mix (local.get 0) (i64.const -3) (f32.const 1.5) (f64.const -2.25)))
  (func $peek (export "peek") (param i32) (result i32) (call $host_peek (local.get 0)))
  (func $grow_and_peek (export "grow_and_peek") (param i32) (result i32)
    (drop (memory.grow (i32.const 1)))
    (call $host_peek (local.get 0)))
  (func $count (export "count") (param $n i32)
    (loop $again
      (call $host_count)
      (local.tee $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $again)))
  (func $panic (export "panic") (call $host_panic))
  (func $exit (export "exit") (param i32) (call $host_exit (local.get 0)))
  (func $exit_without_memory (export "exit_without_memory") (param i32)
    (drop (call $grow (i32.const 60000)))
    (call $host_exit (local.get 0)))

  ;; Traps.
  (func $gives_up (export "gives_up") unreachable)
  (func $reads_outside (export "reads_outside") (param i32) (result i32) (i32.load offset=16 (local.get 0)))
  (func $writes_outside (export "writes_outside") (param i32) (i64.store (local.get 0) (i64.const 1)))
  (func $fills_outside (export "fills_outside") (param i32) (memory.fill (i32.const 0) (i32.const 0) (local.get 0)))
  (func $divides (export "divides") (param i32) (result i32) (i32.div_u (i32.const 1) (local.get 0)))
  (func $overflows (export "overflows") (param i32) (result i32) (i32.div_s (i32.const 0x80000000) (local.get 0)))
  (func $converts (export "converts") (param f64) (result i32) (i32.trunc_f64_s (local.get 0)))
  (func $calls_entry (export "calls_entry") (param i32) (result i32) (call_indirect (type $number) (local.get 0)))
  (func $without_memory (export "without_memory")
    (drop (call $grow (i32.const 60000)))
    unreachable)
  (func $outer (export "outer") (call $middle))
  (func $middle (call $gives_up))

  ;; Without end.
  (func $loops (export "loops") (loop $again (br $again)))
  (func $recurses (export "recurses") (param i32) (result i32)
    (i32.add (call $recurses (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
  (func $down (export "down") (param i32) (result i32)
    (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
    (i32.add (call $down (i32.sub (local.get 0) (i32.const 1))) (i32.const 1))))
