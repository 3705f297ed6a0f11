;; 8 an iteration (1 for the header, 7 instructions), 1 for the entry, 1 after the loop.
;; f 1 -> 1, fuel 10
;; f 10 -> 10, fuel 82
(module (func (export "f") (param i32) (result i32) (local i32) loop $l local.get 1 i32.const 1 i32.add local.tee 1 local.get 0 i32.lt_u br_if $l end local.get 1))
