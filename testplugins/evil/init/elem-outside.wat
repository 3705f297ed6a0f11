;; An element segment lies outside its table. Not every engine says so when it makes the instance;
;; the loader has to.
(module
  (table 1 funcref)
  (func $f)
  (elem (i32.const 1) $f)
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32) (i32.const 0)))
