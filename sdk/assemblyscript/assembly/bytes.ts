// Bytes that somebody else owns, without an object for them: nothing is allocated
// in a call, so the stub runtime, which frees nothing, never runs full.

/**
 * An address and a length in one number. 0 is absent, or not asked for in needs;
 * length 0 at another address is there, but empty. What a view shows is valid
 * until the call returns.
 */
export type Bytes = u64;

export const NONE: Bytes = 0;

// @ts-ignore: decorator
@inline
export function bytes(at: usize, length: u32): Bytes {
  return ((<u64>at) << 32) | length;
}

// @ts-ignore: decorator
@inline
export function at(b: Bytes): usize {
  return <usize>(b >> 32);
}

// @ts-ignore: decorator
@inline
export function length(b: Bytes): u32 {
  return <u32>b;
}

/** Whether it is there, perhaps empty. */
// @ts-ignore: decorator
@inline
export function there(b: Bytes): bool {
  return at(b) != 0;
}

/** Byte i; i must be below the length. */
// @ts-ignore: decorator
@inline
export function byteAt(b: Bytes, i: u32): u8 {
  return load<u8>(at(b) + i);
}

/**
 * The bytes of a text in UTF-8. It allocates: call it outside of functions, as in
 * `const FOO = text("foo")`.
 */
export function text(s: string): Bytes {
  const encoded = String.UTF8.encode(s);
  return bytes(changetype<usize>(encoded), <u32>encoded.byteLength);
}

/** From the byte from up to the byte to. */
export function slice(b: Bytes, from: u32, to: u32): Bytes {
  return bytes(at(b) + from, to - from);
}

export function equal(a: Bytes, b: Bytes): bool {
  return length(a) == length(b) && memory.compare(at(a), at(b), length(a)) == 0;
}

function lower(c: u8): u8 {
  return c >= 0x41 && c <= 0x5a ? c | 0x20 : c;
}

/** Equal but for the case of ASCII letters: for names of header fields. */
export function equalFold(a: Bytes, b: Bytes): bool {
  if (length(a) != length(b)) return false;
  for (let i: u32 = 0; i < length(a); i++) {
    if (lower(byteAt(a, i)) != lower(byteAt(b, i))) return false;
  }
  return true;
}

/** Below, at or above 0, as a sorts before, with or after b, byte by byte. */
export function compare(a: Bytes, b: Bytes): i32 {
  const order = memory.compare(at(a), at(b), min(length(a), length(b)));
  if (order != 0) return order;
  return length(a) < length(b) ? -1 : i32(length(a) > length(b));
}

/** The first place of c at or after from; the length if there is none. */
export function indexOf(b: Bytes, c: u8, from: u32 = 0): u32 {
  let i = from;
  while (i < length(b) && byteAt(b, i) != c) i++;
  return i;
}

/** Whether b has the word, in lower case, in any case of its letters. */
export function containsFold(b: Bytes, word: Bytes): bool {
  for (let i: u32 = 0; i + length(word) <= length(b); i++) {
    if (equalFold(slice(b, i, i + length(word)), word)) return true;
  }
  return false;
}

/** The part behind the last c; all of it without one. */
export function afterLast(b: Bytes, c: u8): Bytes {
  let i = length(b);
  while (i > 0 && byteAt(b, i - 1) != c) i--;
  return slice(b, i, length(b));
}

/** A whole number, decimal, with a sign or not; otherwise if it is none. */
export function whole(b: Bytes, otherwise: i64): i64 {
  const minus = length(b) > 0 && byteAt(b, 0) == 0x2d;
  let sum: i64 = 0;
  if (length(b) == u32(minus)) return otherwise;
  for (let i = u32(minus); i < length(b); i++) {
    const digit = byteAt(b, i) - 0x30;
    if (digit > 9 || sum > (i64.MAX_VALUE - digit) / 10) return otherwise;
    sum = sum * 10 + digit;
  }
  return minus ? -sum : sum;
}

/** The value of a hex digit, -1 if it is none. */
export function hex(c: u8): i32 {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  c |= 0x20;
  return c >= 0x61 && c <= 0x66 ? c - 0x61 + 10 : -1;
}

/**
 * The value of the first parameter of that name in a query, not decoded: absent
 * without such a parameter, empty without "=".
 */
export function queryValue(query: Bytes, name: Bytes): Bytes {
  for (let from: u32 = 0; from < length(query); ) {
    const end = indexOf(query, 0x26, from); // &
    const pair = slice(query, from, end);
    const equals = indexOf(pair, 0x3d);
    if (equal(slice(pair, 0, equals), name)) return slice(pair, min(equals + 1, length(pair)), length(pair));
    from = end + 1;
  }
  return NONE;
}

/**
 * Undoes the coding of a value in a query, "+" and %XX, where it stands: in the
 * buffer. Absent if a % is not followed by two hex digits.
 */
export function decode(value: Bytes): Bytes {
  let n: u32 = 0;
  for (let i: u32 = 0; i < length(value); i++) {
    let c = byteAt(value, i);
    if (c == 0x2b) c = 0x20;
    if (c == 0x25) {
      if (length(value) - i < 3) return NONE;
      const high = hex(byteAt(value, i + 1));
      const low = hex(byteAt(value, i + 2));
      if (high < 0 || low < 0) return NONE;
      c = <u8>((high << 4) | low);
      i += 2;
    }
    store<u8>(at(value) + n++, c);
  }
  return bytes(at(value), n);
}
