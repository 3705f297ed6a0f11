;; A shared memory: the pool of instances could not be trusted.
;; wat2wasm --enable-threads
(module
  (memory (export "memory") 2 2 shared)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
