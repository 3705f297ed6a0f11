// What calls answer. The writers are made once and start over in each call, so
// that nothing is allocated.

import * as c from "./constants";
import { at, Bytes, length, NONE } from "./bytes";
import { buffer } from "./buffer";
import { Exchange } from "./exchange";

/** Writes the list of a router, best first: `return list.n`. */
export class List {
  /** How many origins are listed: what gw_route and gw_route_names return. */
  n: i32 = 0;

  private to: usize = 0;
  private end: usize = 0;

  /** Begins a list in the result area. */
  start(x: Exchange): void {
    this.n = 0;
    this.to = x.result;
    this.end = x.result + x.resultCap;
  }

  /**
   * Lists the origin at that position of the cluster table; -1, which is "not
   * found", is left out. False if the list is full. For gw_route.
   */
  add(position: i32): bool {
    if (position < 0) return true;
    if (this.n == c.MAX_ROUTE || this.end - this.to < 2) return false;
    store<u16>(this.to, <u16>position);
    this.to += 2;
    this.n++;
    return true;
  }

  /**
   * Lists an origin by name, or cell/cluster/name. False if the list is full. For
   * gw_route_names.
   */
  addName(name: Bytes): bool {
    if (this.n == c.MAX_ROUTE || length(name) > 0xffff || this.end - this.to < 2 + length(name)) return false;
    store<u16>(this.to, <u16>length(name));
    memory.copy(this.to + 2, at(name), length(name));
    this.to += 2 + length(name);
    this.n++;
    return true;
  }
}

/** Writes a row of ops. One that does not fit is left out, and spoils the row. */
export class Ops {
  private begin: usize = 0;
  private to: usize = 0;
  private cap: u32 = 0;
  private n: u32 = 0;
  private error: i32 = 0;

  /** Begins a row in the result area: gw_on_request, gw_on_response. */
  start(x: Exchange): void {
    this.startIn(x.result, x.resultCap);
  }

  /** Begins a row in memory of your own: for httpCall. */
  startIn(address: usize, cap: u32): void {
    this.begin = address;
    this.to = address;
    this.cap = cap;
    this.n = 0;
    this.error = 0;
  }

  op(code: u32, key: Bytes, value: Bytes): void {
    const size = ((<u64>c.OP_HEAD) + length(key) + length(value) + 3) & ~(<u64>3);
    if (this.n == c.MAX_OPS || length(key) > 0xffff || size > this.cap - <u32>(this.to - this.begin)) {
      this.error = c.BUFFER_SMALL;
      return;
    }
    store<u32>(this.to + <u32>size - 4, 0); // the padding
    store<u16>(this.to + c.OP_CODE, <u16>code);
    store<u16>(this.to + c.OP_KEY_LENGTH, <u16>length(key));
    store<u32>(this.to + c.OP_VALUE_LENGTH, length(value));
    memory.copy(this.to + c.OP_HEAD, at(key), length(key));
    memory.copy(this.to + c.OP_HEAD + length(key), at(value), length(value));
    this.to += <u32>size;
    this.n++;
  }

  setHeader(name: Bytes, value: Bytes): void {
    this.op(c.OP_SET_HEADER, name, value);
  }

  addHeader(name: Bytes, value: Bytes): void {
    this.op(c.OP_ADD_HEADER, name, value);
  }

  deleteHeader(name: Bytes): void {
    this.op(c.OP_DELETE_HEADER, name, NONE);
  }

  setPath(path: Bytes): void {
    this.op(c.OP_SET_PATH, NONE, path);
  }

  /** An empty query is taken away. */
  setQuery(query: Bytes): void {
    this.op(c.OP_SET_QUERY, NONE, query);
  }

  setHost(host: Bytes): void {
    this.op(c.OP_SET_HOST, NONE, host);
  }

  setBody(body: Bytes): void {
    this.op(c.OP_SET_BODY, NONE, body);
  }

  /** Answers at once; status is three digits. Header ops of the row then are the answer's. */
  respond(status: Bytes, body: Bytes): void {
    this.op(c.OP_RESPOND, status, body);
  }

  /** For the access record. */
  tag(key: Bytes, value: Bytes): void {
    this.op(c.OP_TAG, key, value);
  }

  /** Of an httpCall. */
  method(method: Bytes): void {
    this.op(c.OP_METHOD, NONE, method);
  }

  /** Of an httpCall. */
  url(url: Bytes): void {
    this.op(c.OP_URL, NONE, url);
  }

  /** What gw_on_request and gw_on_response return: the bytes of the row, or why there is none. */
  finish(): i32 {
    return this.error ? this.error : <i32>(this.to - this.begin);
  }

  /** Where the row is. */
  get address(): usize {
    return this.begin;
  }
}

/** Refuses the params with a message: `return refuse(WHY)`. */
export function refuse(message: Bytes): i32 {
  const n = min(length(message), <u32>c.MAX_MESSAGE);
  store<u32>(buffer(), n);
  memory.copy(buffer() + 4, at(message), n);
  return c.BAD_ARGUMENT;
}
