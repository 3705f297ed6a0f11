;; A filter with a typing mistake in the name of its export.
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_on_requst") (param $size i32) (result i32) (i32.const 0)))
