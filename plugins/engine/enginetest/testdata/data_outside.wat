;; A module that compiles, but of which no instance can be made: its data lies
;; outside of its memory.
;; wat2wasm --enable-all --debug-names
(module
  (memory (export "memory") 1 256)
  (data (i32.const 10) "inside")
  (data (i32.const 70000) "outside"))
