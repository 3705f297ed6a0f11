;; Endless recursion ends at depth 1,000 as exhausted, after 1,001 frames of 5.
;; f 0 -> exhausted, fuel 5005
(module (func $f (export "f") (param i32) (result i32) i32.const 1 local.get 0 call $f i32.add))
