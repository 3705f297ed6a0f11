// A matcher: does the request look as if no person sent it?
//
//	when: plugin("automated")
//	when: plugin("automated", "strict")
//
// A request without User-Agent does, and one whose User-Agent has a word that
// programs call themselves by. With "strict" so does one that names no language,
// which all browsers do. It needs "headers".

import { Bytes, containsFold, equal, exchange, length, MATCH, NEED_HEADERS, NO_MATCH, text, there, UNKNOWN } from "../assembly";

export { gw_abi_1, gw_buffer } from "../assembly";

const USER_AGENT = text("user-agent");
const ACCEPT_LANGUAGE = text("accept-language");
const STRICT = text("strict");
const WORDS: StaticArray<Bytes> = [text("bot"), text("spider"), text("crawler"), text("curl/"), text("wget/"), text("python")];

export function gw_match(size: i32): i32 {
  const x = exchange();
  if (!(x.granted & NEED_HEADERS)) return UNKNOWN;

  const agent = x.header(USER_AGENT);
  if (length(agent) == 0) return MATCH;
  for (let i = 0; i < WORDS.length; i++) {
    if (containsFold(agent, WORDS[i])) return MATCH;
  }

  const strict = equal(x.arg(0), STRICT);
  return strict && !there(x.header(ACCEPT_LANGUAGE)) ? MATCH : NO_MATCH;
}
