;; A module with a start function.
;; wat2wasm --enable-all --debug-names
(module
  (memory (export "memory") 1)
  (func $start (i32.store (i32.const 8) (i32.const 99)))
  (func (export "read") (param i32) (result i32) (i32.load (local.get 0)))
  (start $start))
