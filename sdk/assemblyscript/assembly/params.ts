// Params: a JSON object, compact and valid, as gw_configure gets it.

import { buffer } from "./buffer";
import { at, byteAt, Bytes, bytes, equal, hex, length, NONE, slice } from "./bytes";

/** The params that gw_configure is called with; empty if there are none. */
export function params(size: i32): Bytes {
  return bytes(buffer(), <u32>size);
}

/** The length of the JSON value that b begins with. */
function valueLength(b: Bytes): u32 {
  let depth = 0;
  let quoted = false;
  for (let i: u32 = 0; i < length(b); i++) {
    const c = byteAt(b, i);
    if (quoted) {
      if (c == 0x5c) i++;
      else if (c == 0x22) quoted = false;
    } else if (c == 0x22) {
      quoted = true;
    } else if (c == 0x7b || c == 0x5b) {
      depth++;
    } else if (depth > 0 && (c == 0x7d || c == 0x5d)) {
      depth--;
    } else if (depth == 0 && (c == 0x2c || c == 0x3a || c == 0x7d || c == 0x5d)) {
      return i;
    }
  }
  return length(b);
}

/** The JSON value of a key, as written; absent without it. Keys with escapes are not found. */
export function param(json: Bytes, key: Bytes): Bytes {
  let rest = json;
  while (length(rest) > 1) {
    rest = slice(rest, 1, length(rest)); // { or ,
    const n = valueLength(rest);
    if (n + 1 >= length(rest)) break;
    const name = slice(rest, 0, n);
    rest = slice(rest, n + 1, length(rest));
    const value = slice(rest, 0, valueLength(rest));
    if (n >= 2 && equal(slice(name, 1, n - 1), key)) return value;
    rest = slice(rest, length(value), length(rest));
  }
  return NONE;
}

/** What an escape of one letter stands for. */
function escaped(c: u8): u8 {
  if (c == 0x62) return 0x08;
  if (c == 0x66) return 0x0c;
  if (c == 0x6e) return 0x0a;
  if (c == 0x72) return 0x0d;
  if (c == 0x74) return 0x09;
  return c;
}

/**
 * A copy of the string that a JSON value is, its escapes undone, which may be
 * kept; absent if it is no string. It allocates: for gw_configure.
 */
export function paramText(json: Bytes): Bytes {
  if (length(json) < 2 || byteAt(json, 0) != 0x22) return NONE;
  const to = heap.alloc(length(json));
  let n: u32 = 0;
  for (let i: u32 = 1; i + 1 < length(json); i++) {
    let c = byteAt(json, i);
    if (c == 0x5c) {
      c = byteAt(json, ++i);
      if (c == 0x75) { // 00xx: the host writes no other
        if (i + 5 >= length(json)) return NONE;
        c = <u8>((hex(byteAt(json, i + 3)) << 4) | hex(byteAt(json, i + 4)));
        i += 4;
      } else {
        c = escaped(c);
      }
    }
    store<u8>(to + n++, c);
  }
  return bytes(to, n);
}

/** A copy that may be kept. It allocates: not for every call. */
export function keep(b: Bytes): Bytes {
  const to = heap.alloc(length(b));
  memory.copy(to, at(b), length(b));
  return bytes(to, length(b));
}
