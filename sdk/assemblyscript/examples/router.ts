// A call router: who is asked for decides where it goes.
//
// The method of the call is the last segment of the path, its argument the query
// parameter "arg". Calls of foo whose argument sorts before "n" go to server1, all
// others to server2; server3 stands in for either. Calls of anything else are
// balanced as always.

import { afterLast, BAD_ARGUMENT, cluster, compare, decode, equal, exchange, length, List, queryValue, text } from "../assembly";

export { gw_abi_1, gw_buffer } from "../assembly";

const FOO = text("foo");
const ARG = text("arg");
const N = text("n");
const NAME1 = text("server1");
const NAME2 = text("server2");
const NAME3 = text("server3");

const list = new List();

let server1: i32 = -1;
let server2: i32 = -1;
let server3: i32 = -1;

export function gw_on_cluster(size: i32): i32 {
  server1 = cluster().position(NAME1);
  server2 = cluster().position(NAME2);
  server3 = cluster().position(NAME3);
  return 0;
}

export function gw_route(size: i32): i32 {
  const x = exchange();
  if (!equal(afterLast(x.path, 0x2f), FOO)) return 0;

  const argument = decode(queryValue(x.query, ARG));
  if (length(argument) == 0) return BAD_ARGUMENT;

  list.start(x);
  list.add(compare(argument, N) < 0 ? server1 : server2);
  list.add(server3);
  return list.n;
}
