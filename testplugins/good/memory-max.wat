;; May grow to 4 GiB by its own word; the host writes its own limit. gw_route is refused 1 GiB and
;; goes on, which is no fault.
(module
  (memory (export "memory") 2 65536)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    ;; Lists position 0 if 1 GiB was refused, else position 1.
    (i32.store16 (i32.add (i32.const 0x10000) (i32.load (i32.const 0x10070)))
      (i32.ne (memory.grow (i32.const 16384)) (i32.const -1)))
    (i32.const 1)))
