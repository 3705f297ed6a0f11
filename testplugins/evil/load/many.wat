;; Five mistakes at once. All are listed: gw_buffer is missing, gw_route has a wrong type, gw_rout
;; is unknown, two imports do not exist.
(module
  (import "gw1" "sleep" (func (param i32)))
  (import "gw1" "teleport" (func))
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_rout") (param i32) (result i32) (i32.const 0))
  (func (export "gw_route") (param i64) (result i32) (i32.const 0)))
