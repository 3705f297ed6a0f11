// What gw_on_cluster, gw_collect, gw_tick and gw_on_http_response are shown.

import * as c from "./constants";
import { Bytes, equal, NONE } from "./bytes";
import { buffer, entry, ref } from "./buffer";
import { Field, fieldAt, find } from "./exchange";

/** The cluster table that gw_on_cluster is called with. */
export function cluster(): Cluster {
  return changetype<Cluster>(buffer());
}

/** The origin and interval that gw_collect is called for. */
export function sample(): Sample {
  return changetype<Sample>(buffer());
}

/** The tick that gw_tick is called for. */
export function tick(): Tick {
  return changetype<Tick>(buffer());
}

/** The answer that gw_on_http_response is called with. */
export function answer(): Answer {
  return changetype<Answer>(buffer());
}

/** The origins of an attachment; their positions are what routers list. */
@unmanaged
export class Cluster {
  get generation(): u32 {
    return load<u32>(changetype<usize>(this) + c.CLUSTER_GENERATION);
  }

  get count(): u32 {
    return load<u32>(changetype<usize>(this) + c.CLUSTER_COUNT);
  }

  get name(): Bytes {
    return ref(changetype<usize>(this) + c.CLUSTER_CLUSTER);
  }

  get cell(): Bytes {
    return ref(changetype<usize>(this) + c.CLUSTER_CELL);
  }

  memberAt(i: u32): Member {
    const head = changetype<usize>(this);
    const size = load<u32>(head + c.CLUSTER_ENTRY_SIZE);
    return changetype<Member>(buffer() + load<u32>(head + c.CLUSTER_ENTRIES_OFF) + i * size);
  }

  /** The position of the first origin of that name, -1 if there is none. */
  position(name: Bytes): i32 {
    for (let i: u32 = 0; i < this.count; i++) {
      if (equal(this.memberAt(i).name, name)) return <i32>i;
    }
    return -1;
  }
}

/** An origin as the configuration has it. */
@unmanaged
export class Member {
  get name(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_NAME);
  }

  /** scheme://host:port */
  get address(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_ADDRESS);
  }

  get host(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_HOST);
  }

  get zone(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_ZONE);
  }

  get cell(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_CELL);
  }

  get edition(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_EDITION);
  }

  get cluster(): Bytes {
    return ref(changetype<usize>(this) + c.MEMBER_CLUSTER);
  }

  get weight(): u32 {
    return load<u32>(changetype<usize>(this) + c.MEMBER_WEIGHT);
  }

  get hostWeight(): u32 {
    return load<u32>(changetype<usize>(this) + c.MEMBER_HOST_WEIGHT);
  }

  get capacity(): u32 {
    return load<u32>(changetype<usize>(this) + c.MEMBER_CAPACITY);
  }

  /** FLAG_ON_THIS_HOST */
  get flags(): u32 {
    return load<u32>(changetype<usize>(this) + c.MEMBER_FLAGS);
  }

  get labelCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.MEMBER_LABELS);
  }

  /** Labels are sorted by the bytes of their keys. */
  labelAt(i: u32): Label {
    return changetype<Label>(entry(changetype<usize>(this) + c.MEMBER_LABELS, i, c.LABEL_ENTRY));
  }

  label(key: Bytes): Bytes {
    for (let i: u32 = 0; i < this.labelCount; i++) {
      if (equal(this.labelAt(i).key, key)) return this.labelAt(i).value;
    }
    return NONE;
  }
}

/** A label of an origin. */
@unmanaged
export class Label {
  get key(): Bytes {
    return ref(changetype<usize>(this) + c.LABEL_KEY);
  }

  get value(): Bytes {
    return ref(changetype<usize>(this) + c.LABEL_VALUE);
  }
}

/** What is known of one origin in one interval. */
@unmanaged
export class Sample {
  /** FLAG_FIRST_SAMPLE, FLAG_SELF_TEST */
  get flags(): u32 {
    return load<u16>(changetype<usize>(this) + c.COLLECTOR_FLAGS);
  }

  /** Unix time in ns. */
  get now(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_NOW);
  }

  /** In the cluster table. */
  get position(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_POSITION);
  }

  /** ms since the last sample. */
  get window(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_WINDOW);
  }

  /** In the window, as all that follows down to p99. */
  get answers(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_ANSWERS);
  }

  /** 502, 503, 504, reset. */
  get failed(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_FAILED);
  }

  get timeouts(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_TIMEOUTS);
  }

  get failedConnects(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_FAILED_CONNECTS);
  }

  /** ns to the head of the answer; 0 without answers. */
  get p50(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_P50);
  }

  get p95(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_P95);
  }

  get p99(): u64 {
    return load<u64>(changetype<usize>(this) + c.COLLECTOR_P99);
  }

  get inFlight(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_IN_FLIGHT);
  }

  /** In the queue of the cluster. */
  get waiting(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_WAITING);
  }

  get name(): Bytes {
    return ref(changetype<usize>(this) + c.COLLECTOR_NAME);
  }

  get address(): Bytes {
    return ref(changetype<usize>(this) + c.COLLECTOR_ADDRESS);
  }

  get generation(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_GENERATION);
  }

  /** Now in force, 0 to 100. */
  get metric(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_METRIC);
  }

  get capacity(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_CAPACITY);
  }

  get health(): u32 {
    return load<u8>(changetype<usize>(this) + c.COLLECTOR_HEALTH);
  }

  get state(): u32 {
    return load<u8>(changetype<usize>(this) + c.COLLECTOR_STATE);
  }

  get sourceCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.COLLECTOR_SOURCES);
  }

  /** What the origin reported, of params.source. */
  sourceAt(i: u32): Source {
    return changetype<Source>(entry(changetype<usize>(this) + c.COLLECTOR_SOURCES, i, c.SOURCE_ENTRY));
  }
}

/** A number that the origin reported. */
@unmanaged
export class Source {
  /** "header:x-busy" and so on. */
  get name(): Bytes {
    return ref(changetype<usize>(this) + c.SOURCE_NAME);
  }

  get value(): f64 {
    return load<f64>(changetype<usize>(this) + c.SOURCE_VALUE);
  }
}

/** A tick. */
@unmanaged
export class Tick {
  get flags(): u32 {
    return load<u16>(changetype<usize>(this) + c.TICK_FLAGS);
  }

  /** Unix time in ns. */
  get now(): u64 {
    return load<u64>(changetype<usize>(this) + c.TICK_NOW);
  }

  /** From 0. */
  get number(): u64 {
    return load<u64>(changetype<usize>(this) + c.TICK_NUMBER);
  }

  /** ms */
  get period(): u32 {
    return load<u32>(changetype<usize>(this) + c.TICK_PERIOD);
  }
}

/** The answer to an httpCall. */
@unmanaged
export class Answer {
  /** FLAG_BODY, FLAG_WHOLE, FLAG_FIELDS_LEFT */
  get flags(): u32 {
    return load<u16>(changetype<usize>(this) + c.RESPONSE_FLAGS);
  }

  get now(): u64 {
    return load<u64>(changetype<usize>(this) + c.RESPONSE_NOW);
  }

  /** What httpCall returned. */
  get token(): i32 {
    return load<i32>(changetype<usize>(this) + c.RESPONSE_TOKEN);
  }

  /** 0, TIMEOUT or UNREACHABLE. */
  get error(): i32 {
    return load<i32>(changetype<usize>(this) + c.RESPONSE_ERROR);
  }

  get status(): u32 {
    return load<u16>(changetype<usize>(this) + c.RESPONSE_STATUS);
  }

  get body(): Bytes {
    return ref(changetype<usize>(this) + c.RESPONSE_BODY);
  }

  get headerCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.RESPONSE_HEADERS);
  }

  headerAt(i: u32): Field {
    return fieldAt(changetype<usize>(this) + c.RESPONSE_HEADERS, i);
  }

  header(name: Bytes): Bytes {
    return find(changetype<usize>(this) + c.RESPONSE_HEADERS, name, true);
  }
}
