/*
 * Answers with a property: the query is its name. Status 200 with the value;
 * 404 or 403 if the host function says not found or denied; 500 with all else.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

static uint32_t status_of(int32_t n) {
	switch (n) {
	case GW1_NOT_FOUND: return 404;
	case GW1_DENIED: return 403;
	}
	return n < 0 ? 500 : 200;
}

GW1_ON_REQUEST(x) {
	static uint8_t value[1024];
	int32_t n = gw1_property(gw1_query(x), value, sizeof value);
	gw1_ops ops = gw1_ops_for(x);
	gw1_respond(&ops, status_of(n), (gw1_bytes){value, n > 0 && n <= (int32_t)sizeof value ? (uint32_t)n : 0});
	return gw1_ops_end(&ops);
}
