// Host functions. One that is called somewhere is imported; no other is.

import { METRIC_COUNTER, METRIC_GAUGE } from "./constants";
import { at, Bytes, length } from "./bytes";
import { Ops } from "./results";

// @ts-ignore: decorator
@external("gw1", "log")
declare function hostLog(level: i32, address: usize, len: u32): void;
// @ts-ignore: decorator
@external("gw1", "get_property")
declare function hostProperty(name: usize, len: u32, to: usize, cap: u32): i32;
// @ts-ignore: decorator
@external("gw1", "now_ns")
declare function hostNow(): u64;
// @ts-ignore: decorator
@external("gw1", "random")
declare function hostRandom(to: usize, len: u32): i32;
// @ts-ignore: decorator
@external("gw1", "metric_define")
declare function hostMetric(kind: i32, name: usize, len: u32): i32;
// @ts-ignore: decorator
@external("gw1", "counter_add")
declare function hostCounterAdd(id: i32, n: i64): i32;
// @ts-ignore: decorator
@external("gw1", "gauge_set")
declare function hostGaugeSet(id: i32, v: f64): i32;
// @ts-ignore: decorator
@external("gw1", "kv_get")
declare function hostKvGet(key: usize, klen: u32, to: usize, cap: u32, version: usize): i32;
// @ts-ignore: decorator
@external("gw1", "kv_set")
declare function hostKvSet(key: usize, klen: u32, value: usize, vlen: u32, ttl: i64, version: i64): i32;
// @ts-ignore: decorator
@external("gw1", "kv_delete")
declare function hostKvDelete(key: usize, klen: u32): i32;
// @ts-ignore: decorator
@external("gw1", "http_call")
declare function hostHttpCall(ops: usize, len: u32, timeout: i32): i32;

/** One line of at most 1024 bytes, at a level: LOG_INFO and so on. Over limits.log_rate it is dropped. */
export function log(level: i32, line: Bytes): void {
  hostLog(level, at(line), length(line));
}

/** The length of the property's value, which is at that address if it fits; NOT_FOUND, DENIED. */
export function property(name: Bytes, to: usize, cap: u32): i32 {
  return hostProperty(at(name), length(name), to, cap);
}

/** Unix time in ns; in a matcher that of the view. */
export function nowNs(): u64 {
  return hostNow();
}

/** Fills at most 4096 bytes. */
export function random(to: usize, len: u32): i32 {
  return hostRandom(to, len);
}

/** The id of a counter. Negative in the self-test, where nothing is counted: no reason to refuse. */
export function counter(name: Bytes): i32 {
  return hostMetric(<i32>METRIC_COUNTER, at(name), length(name));
}

/** The id of a gauge. */
export function gauge(name: Bytes): i32 {
  return hostMetric(<i32>METRIC_GAUGE, at(name), length(name));
}

/** n is 0 or more. */
export function counterAdd(id: i32, n: i64): i32 {
  return hostCounterAdd(id, n);
}

/** v must be finite. */
export function gaugeSet(id: i32, v: f64): i32 {
  return hostGaugeSet(id, v);
}

/** The length of the value, which is at that address if it fits; NOT_FOUND. Its version goes to version, a u64, unless that is 0. */
export function kvGet(key: Bytes, to: usize, cap: u32, version: usize = 0): i32 {
  return hostKvGet(at(key), length(key), to, cap, version);
}

/** version is the one that must be there, KV_ABSENT or KV_ALWAYS. ttl in ms, 0 keeps for ever. 0; CONFLICT; LIMIT. */
export function kvSet(key: Bytes, value: Bytes, ttl: i64, version: i64): i32 {
  return hostKvSet(at(key), length(key), at(value), length(value), ttl, version);
}

/** 0 or NOT_FOUND. */
export function kvDelete(key: Bytes): i32 {
  return hostKvDelete(at(key), length(key));
}

/** A token of 1 or more, which gw_on_http_response will name; DENIED out of gw_tick and gw_collect; BUSY. */
export function httpCall(call: Ops, timeoutMs: i32): i32 {
  const n = call.finish();
  return n < 0 ? n : hostHttpCall(call.address, <u32>n, timeoutMs);
}
