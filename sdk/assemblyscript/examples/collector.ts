// A collector: how much an origin can still take, 0 to 100.
//
// An origin that reports how busy it is, in percent, is believed. Of another the
// answers say it: those that take longer than target_ms lower the metric, those
// that failed lower it by their share. The metric is half what was seen now and
// half what it was before, so that one bad window does not empty an origin.
//
//	params: { source: "header:x-busy", target_ms: 50 }

import { cluster, LIMIT, NO_OPINION, param, params, refuse, sample, Sample, text, there, whole } from "../assembly";

export { gw_abi_1, gw_buffer } from "../assembly";

const TARGET = text("target_ms");
const WRONG = text("target_ms must be a whole number from 1 to 60000");

const ORIGINS: u32 = 1024;

/** The last metric of each origin and 1; 0: none yet. */
const before = memory.data(1024);

let targetMs: f64 = 50;

export function gw_configure(size: i32): i32 {
  const target = param(params(size), TARGET);
  if (!there(target)) return 0;
  const ms = whole(target, 0);
  if (ms < 1 || ms > 60000) return refuse(WRONG);
  targetMs = <f64>ms;
  return 0;
}

/** The table may have changed its positions. */
export function gw_on_cluster(size: i32): i32 {
  memory.fill(before, 0, ORIGINS);
  return cluster().count <= ORIGINS ? 0 : LIMIT;
}

function clamp(metric: f64): f64 {
  return max<f64>(0, min<f64>(metric, 100));
}

/** What the answers of the window say. */
function byAnswers(s: Sample): f64 {
  const slow = <f64>s.p95 / (targetMs * 1e6);
  const metric: f64 = slow > 1 ? 100 / slow : 100;
  return (metric * clamp(100 - (100 * <f64>s.failed) / <f64>s.answers)) / 100;
}

export function gw_collect(size: i32): i32 {
  const s = sample();
  let seen: f64;
  if (s.sourceCount > 0) {
    seen = clamp(100 - s.sourceAt(0).value);
  } else if (s.answers > 0) {
    seen = byAnswers(s);
  } else {
    return NO_OPINION;
  }

  const last = before + (s.position % ORIGINS);
  if (load<u8>(last) > 0) seen = (seen + <f64>load<u8>(last) - 1) / 2;
  const metric = <i32>(seen + 0.5);
  store<u8>(last, <u8>(metric + 1));
  return metric;
}
