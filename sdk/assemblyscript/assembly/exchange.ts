// What calls are shown: typed overlays of the buffer, which cost nothing. Nothing
// of them may be kept beyond the call.

import * as c from "./constants";
import { Bytes, bytes, equal, equalFold, NONE } from "./bytes";
import { buffer, entry, ref } from "./buffer";

/** The exchange that a router, matcher or filter is called for. */
export function exchange(): Exchange {
  return changetype<Exchange>(buffer());
}

/** A header field or a cookie. */
@unmanaged
export class Field {
  get name(): Bytes {
    return bytes(this.start, this.nameLength);
  }

  get value(): Bytes {
    return bytes(this.start + this.nameLength, load<u16>(changetype<usize>(this) + c.FIELD_VALUE_LENGTH));
  }

  private get start(): usize {
    return buffer() + load<u32>(changetype<usize>(this) + c.FIELD_OFF);
  }

  private get nameLength(): u32 {
    return load<u16>(changetype<usize>(this) + c.FIELD_NAME_LENGTH);
  }
}

/** Entry i of a table of fields. */
export function fieldAt(table: usize, i: u32): Field {
  return changetype<Field>(entry(table, i, c.FIELD_ENTRY));
}

/** The value of the first field of that name, in any case of its letters if fold. */
export function find(table: usize, name: Bytes, fold: bool): Bytes {
  const n = load<u32>(table);
  for (let i: u32 = 0; i < n; i++) {
    const f = fieldAt(table, i);
    if (fold ? equalFold(f.name, name) : equal(f.name, name)) return f.value;
  }
  return NONE;
}

/** One exchange. What needs does not name is absent. */
@unmanaged
export class Exchange {
  /** FLAG_HTTPS and so on. */
  get flags(): u32 {
    return load<u16>(changetype<usize>(this) + c.VIEW_FLAGS);
  }

  get requestId(): u64 {
    return load<u64>(changetype<usize>(this) + c.VIEW_REQUEST_ID);
  }

  /** Unix time in ns, read once per exchange. */
  get now(): u64 {
    return load<u64>(changetype<usize>(this) + c.VIEW_NOW);
  }

  /** METHOD_GET and so on. */
  get methodId(): u32 {
    return load<u8>(changetype<usize>(this) + c.VIEW_METHOD_ID);
  }

  /** HTTP11 and so on. */
  get version(): u32 {
    return load<u8>(changetype<usize>(this) + c.VIEW_VERSION);
  }

  get attempts(): u32 {
    return load<u16>(changetype<usize>(this) + c.VIEW_ATTEMPTS);
  }

  /** Of the cluster table. */
  get generation(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_GENERATION);
  }

  /** The bits of needs: NEED_METHOD and so on. */
  get granted(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_GRANTED);
  }

  get port(): u32 {
    return load<u16>(changetype<usize>(this) + c.VIEW_PORT);
  }

  /** Of the answer; 0 but in gw_on_response. */
  get status(): u32 {
    return load<u16>(changetype<usize>(this) + c.VIEW_STATUS);
  }

  /** As declared; LENGTH_UNKNOWN if it was not. */
  get bodyLength(): u64 {
    return load<u64>(changetype<usize>(this) + c.VIEW_BODY_LENGTH);
  }

  /** From the request sent to the head of the answer; 0 from the cache. */
  get upstreamNs(): u64 {
    return load<u64>(changetype<usize>(this) + c.VIEW_UPSTREAM_NS);
  }

  get method(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_METHOD);
  }

  get scheme(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_SCHEME);
  }

  get host(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_HOST);
  }

  /** Canonical: what rules match on. */
  get path(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_PATH);
  }

  /** Raw; absent without "?". */
  get query(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_QUERY);
  }

  get client(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_CLIENT);
  }

  get mapping(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_MAPPING);
  }

  get session(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_SESSION);
  }

  /** Path and query as received. */
  get target(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_TARGET);
  }

  get site(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_SITE);
  }

  /** cell/cluster. */
  get cluster(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_CLUSTER);
  }

  get application(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_APPLICATION);
  }

  /** The bound origin; the one that answered in gw_on_response. */
  get origin(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_ORIGIN);
  }

  /** FLAG_WHOLE says whether it is all of it. */
  get body(): Bytes {
    return ref(changetype<usize>(this) + c.VIEW_BODY);
  }

  get headerCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_HEADERS);
  }

  /** One for each field line, in the order received. */
  headerAt(i: u32): Field {
    return fieldAt(changetype<usize>(this) + c.VIEW_HEADERS, i);
  }

  /** The value of the first field of that name. */
  header(name: Bytes): Bytes {
    return find(changetype<usize>(this) + c.VIEW_HEADERS, name, true);
  }

  get cookieCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_COOKIES);
  }

  cookieAt(i: u32): Field {
    return fieldAt(changetype<usize>(this) + c.VIEW_COOKIES, i);
  }

  cookie(name: Bytes): Bytes {
    return find(changetype<usize>(this) + c.VIEW_COOKIES, name, false);
  }

  get argCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_ARGS);
  }

  /** Argument i of plugin("name", args…); absent if there are not so many. */
  arg(i: u32): Bytes {
    return i < this.argCount ? ref(entry(changetype<usize>(this) + c.VIEW_ARGS, i, c.REF_ENTRY)) : NONE;
  }

  get originCount(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_ORIGINS);
  }

  /** The origin at position i of the cluster table, as it is now. */
  originAt(i: u32): Origin {
    return changetype<Origin>(entry(changetype<usize>(this) + c.VIEW_ORIGINS, i, c.ORIGIN_ENTRY));
  }

  /** Where the result goes. */
  get result(): usize {
    return buffer() + load<u32>(changetype<usize>(this) + c.VIEW_RESULT_OFF);
  }

  /** How many bytes there are for it. */
  get resultCap(): u32 {
    return load<u32>(changetype<usize>(this) + c.VIEW_RESULT_CAP);
  }
}

/** An origin as a router sees it. */
@unmanaged
export class Origin {
  /** HEALTH_UP and so on. */
  get health(): u32 {
    return load<u8>(changetype<usize>(this) + c.ORIGIN_HEALTH);
  }

  /** STATE_SERVING and so on. */
  get state(): u32 {
    return load<u8>(changetype<usize>(this) + c.ORIGIN_STATE);
  }

  /** Stops at 65535. */
  get inFlight(): u32 {
    return load<u16>(changetype<usize>(this) + c.ORIGIN_IN_FLIGHT);
  }

  /** Stops at 65535. */
  get capacity(): u32 {
    return load<u16>(changetype<usize>(this) + c.ORIGIN_CAPACITY);
  }

  /** 0 to 100, or METRIC_NONE. */
  get metric(): u32 {
    return load<u8>(changetype<usize>(this) + c.ORIGIN_METRIC);
  }

  /** ORIGIN_USABLE and so on. */
  get flags(): u32 {
    return load<u8>(changetype<usize>(this) + c.ORIGIN_FLAGS);
  }
}
