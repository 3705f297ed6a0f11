;; Loads, stores, bulk instructions, growth, with a local for the length in use.
(module
  (memory (export "memory") 1 4)
  (data (i32.const 8) "hello, world")
  (data $passive "0123456789")
  (global $n (export "n") (mut i64) (i64.const 0))
  (func (export "load") (param i32) (result i64)
    local.get 0 i64.load align=1
    local.get 0 i64.load8_s offset=3 i64.add
    local.get 0 i64.load16_u offset=5 i64.xor
    local.get 0 i64.load32_s i64.add)
  (func (export "store") (param i32 i64)
    local.get 0 local.get 1 i64.store offset=1
    local.get 0 local.get 1 i64.store8
    local.get 0 local.get 1 i32.wrap_i64 i32.store16 offset=70)
  (func (export "fill") (param i32 i32) (result i32) (local i32 i64 f32)
    local.get 0 local.get 1 local.get 1 memory.fill
    i32.const 77 local.set 2
    local.get 2 local.get 0 i32.add)
  (func (export "copy") (param i32 i32 i32)
    local.get 0 local.get 1 local.get 2 memory.copy)
  (func (export "init") (param i32 i32)
    local.get 0 i32.const 2 local.get 1 memory.init $passive
    data.drop $passive)
  (func (export "grow") (param i32) (result i32)
    local.get 0 i32.const 3 i32.rem_u memory.grow memory.size i32.add)
  (func (export "grow_twice") (param i32) (result i32) (local i32)
    i32.const 5 local.set 1
    i32.const 0 memory.grow i32.const 0 memory.grow i32.sub local.get 1 i32.add)
  (func (export "count") (param i64) (result i64)
    global.get $n local.get 0 i64.add global.set $n global.get $n)
  (func (export "hash") (param i32) (result i32) (local $h i32) (local $i i32)
    i32.const 0x811c9dc5 local.set $h
    loop
      local.get $h local.get $i i32.load8_u i32.xor i32.const 16777619 i32.mul local.set $h
      local.get $i i32.const 1 i32.add local.tee $i i32.const 512 i32.lt_u br_if 0
    end
    local.get $h local.get 0 i32.add))
