;; Blocks of all kinds, with values that go through them.
(module
  (type $pair (func (param i32 i32) (result i32 i32)))
  (memory (export "memory") 1)
  (func (export "block") (param i32) (result i32)
    block (result i32) i32.const 7 local.get 0 br_if 0 drop i32.const 8 end)
  (func (export "swap") (param i32 i32) (result i32 i32)
    local.get 0 local.get 1 block (type $pair) local.set 0 local.set 1 local.get 0 local.get 1 end)
  (func (export "loop_params") (param i32) (result i32) (local $n i32)
    i32.const 1
    loop (param i32) (result i32)
      i32.const 3 i32.mul
      local.get $n i32.const 1 i32.add local.tee $n i32.const 10 i32.lt_u
      br_if 0
    end
    local.get 0 i32.add)
  (func (export "if_params") (param i32) (result i64)
    i64.const 5 local.get 0
    if (param i64) (result i64) i64.const 2 i64.mul else i64.const 3 i64.sub end)
  (func (export "if_alone") (param i32) (result i32)
    local.get 0 if i32.const 3 local.set 0 end local.get 0)
  (func (export "switch") (param i32) (result i32)
    block $d block $c block $b block $a
      local.get 0 br_table $a $b $c $b $d
    end i32.const 10 return
    end i32.const 20 return
    end i32.const 30 return
    end i32.const 40)
  (func (export "switch_value") (param i32) (result i32)
    block $b (result i32) block $a (result i32)
      i32.const 5 local.get 0 br_table $a $b $a
    end i32.const 100 i32.add end)
  (func (export "branch_out") (param i32) (result i32)
    loop $l
      block $b
        local.get 0 i32.eqz br_if $b
        local.get 0 i32.const 1 i32.sub local.tee 0
        i32.const 100 i32.gt_u br_if $b
        br $l
      end
    end
    local.get 0)
  (func (export "dead") (param i32) (result i32)
    local.get 0
    return
    block (result i32)
      i32.const 1 if unreachable else nop end
      loop br 0 end
      i32.const 0 memory.grow
      i32.const 0 i32.const 0 memory.fill
      i32.const 4
    end
    drop)
  (func (export "dead_in_if") (param i32) (result i32)
    local.get 0
    if (result i32)
      i32.const 1 br 0
      i32.const 0 i32.const 0 i32.const 9 memory.copy
    else
      unreachable
      local.get 0 i32.div_u
      loop end
    end)
  (func $fib (export "fib") (param i32) (result i32)
    local.get 0 i32.const 20 i32.and local.tee 0 i32.const 2 i32.lt_u
    if (result i32) local.get 0
    else
      local.get 0 i32.const 1 i32.sub call $fib2
      local.get 0 i32.const 2 i32.sub call $fib2 i32.add
    end)
  (func $fib2 (param i32) (result i32)
    local.get 0 i32.const 2 i32.lt_u
    if (result i32) local.get 0
    else local.get 0 i32.const 1 i32.sub call $fib2 local.get 0 i32.const 2 i32.sub call $fib2 i32.add end)
  (func (export "collatz") (param i32) (result i32) (local $steps i32) (local $n i64)
    local.get 0 i32.const 0xffff i32.and i32.const 1 i32.or i64.extend_i32_u local.set $n
    block $done
      loop $next
        local.get $n i64.const 1 i64.eq br_if $done
        local.get $n i64.const 1 i64.and i64.eqz
        if local.get $n i64.const 1 i64.shr_u local.set $n
        else local.get $n i64.const 3 i64.mul i64.const 1 i64.add local.set $n end
        local.get $steps i32.const 1 i32.add local.set $steps
        br $next
      end
    end
    local.get $steps)
  (func (export "select") (param i32) (result f64)
    f64.const 1.5 f64.const -0.0 local.get 0 select
    f64.const 2 f64.const 3 local.get 0 select (result f64) f64.div)
  (func (export "unreachable") unreachable)
  (func (export "nothing")))
