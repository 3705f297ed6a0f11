;; An instruction of relaxed SIMD.
;; wat2wasm --enable-relaxed-simd
(module
  (memory (export "memory") 2)
  (func (export "gw_abi_1") (result i32) (i32.const 0))
  (func (export "gw_buffer") (param $size i32) (result i32) (i32.const 0x10000))
  (func (export "gw_route") (param $size i32) (result i32)
    (i32x4.extract_lane 0
      (i32x4.relaxed_trunc_f32x4_s (v128.const f32x4 0 0 0 0)))))
