// The buffer: where views arrive and results go.

import { MINOR } from "./constants";
import { Bytes, bytes, NONE } from "./bytes";

let b: usize = 0;

/** B, the address of the buffer. Set once, good for life. */
export function buffer(): usize {
  return b;
}

/** Every guest exports this. */
export function gw_abi_1(): i32 {
  return MINOR;
}

/** Every guest exports this. */
export function gw_buffer(size: i32): usize {
  b = (heap.alloc(<usize>size + 15) + 15) & ~(<usize>15);
  return b;
}

/** The bytes that a ref {offset, length} at that address names. */
export function ref(address: usize): Bytes {
  const off = load<u32>(address);
  return off == 0 ? NONE : bytes(b + off, load<u32>(address, 4));
}

/** The address of an entry of the table {count, offset} at that address. */
export function entry(table: usize, i: u32, size: u32): usize {
  return b + load<u32>(table, 4) + i * size;
}
