/*
 * Says what it is told: a test can make it give any result.
 *
 * The query is NUMBER or NUMBER.HEX. The bytes go to the result area and the
 * number is returned, by every call of section 5. As a collector it returns the
 * value of the first source. Without a query or source it returns 0.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

static int32_t say(gw1_exchange x) {
	gw1_bytes bytes = gw1_query(x), number = gw1_cut(&bytes, '.');
	gw1_list area = gw1_list_for(x);
	int64_t n = 0;
	for (uint32_t i = 0; 2 * i + 1 < bytes.len && i < area.cap; i++)
		area.to[i] = (uint8_t)(gw1_hex(bytes.at[2 * i]) << 4 | gw1_hex(bytes.at[2 * i + 1]));
	gw1_whole(number, &n);
	return (int32_t)n;
}

GW1_ON_ROUTE(x) { return say(x); }
GW1_ON_MATCH(x) { return say(x); }
GW1_ON_REQUEST(x) { return say(x); }
GW1_ON_RESPONSE(x) { return say(x); }

GW1_ON_COLLECT(s) { return gw1_source_count(s) ? (int32_t)gw1_source_at(s, 0).value : 0; }
