// A filter: every shop has a host of its own under one domain.
//
// blue.shops.example is the shop "blue": the origins learn it from X-Tenant, the
// access record from a tag. Another host is answered here. X-Debug is ours to
// send, not the client's; what the origins run on is nobody's business.
//
//	needs: [host]
//	params: { domain: shops.example }
//	on_error: reject

import { Bytes, equal, exchange, indexOf, length, NONE, Ops, param, params, paramText, refuse, slice, text } from "../assembly";

export { gw_abi_1, gw_buffer } from "../assembly";

const DOMAIN = text("domain");
const WRONG = text("domain must be a host name");
const NOT_FOUND = text("404");
const NO_SHOP = text("no such shop\n");
const CONTENT_TYPE = text("Content-Type");
const TEXT_PLAIN = text("text/plain");
const X_TENANT = text("X-Tenant");
const X_DEBUG = text("X-Debug");
const X_POWERED_BY = text("X-Powered-By");
const TENANT = text("tenant");

const ops = new Ops();

let domain: Bytes = NONE;

export function gw_configure(size: i32): i32 {
  domain = paramText(param(params(size), DOMAIN));
  return length(domain) == 0 ? refuse(WRONG) : 0;
}

/** What stands before the domain and its dot, if it is one label; else empty. */
function shopOf(host: Bytes): Bytes {
  const dot = indexOf(host, 0x2e);
  if (dot == length(host)) return NONE;
  return equal(slice(host, dot + 1, length(host)), domain) ? slice(host, 0, dot) : NONE;
}

export function gw_on_request(size: i32): i32 {
  const x = exchange();
  const shop = shopOf(x.host);
  ops.start(x);
  if (length(shop) == 0) {
    ops.respond(NOT_FOUND, NO_SHOP);
    ops.setHeader(CONTENT_TYPE, TEXT_PLAIN);
  } else {
    ops.setHeader(X_TENANT, shop);
    ops.deleteHeader(X_DEBUG);
    ops.tag(TENANT, shop);
  }
  return ops.finish();
}

export function gw_on_response(size: i32): i32 {
  ops.start(exchange());
  ops.deleteHeader(X_POWERED_BY);
  return ops.finish();
}
