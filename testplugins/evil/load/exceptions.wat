;; A tag, try and throw.
;; wat2wasm --enable-exceptions
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (tag $e)
  (func (export "gw_route") (param $size i32) (result i32)
    (try (result i32) (do (throw $e)) (catch $e (i32.const 0)))))
