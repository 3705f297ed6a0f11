/*
 * A matcher that shows what a matcher is given of chance and time: match if the
 * next 8 bytes of random are the argument, 16 hex digits, and the clock says
 * what the view says. With two arguments the second is compared with the 8 bytes
 * after those.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

static int next_is(gw1_bytes want) {
	uint8_t got[8];
	if (gw1_random(got, sizeof got) != 0 || want.len != 2 * sizeof got) return 0;
	for (uint32_t i = 0; i < sizeof got; i++)
		if ((gw1_hex(want.at[2 * i]) << 4 | gw1_hex(want.at[2 * i + 1])) != got[i]) return 0;
	return 1;
}

GW1_ON_MATCH(x) {
	if (gw1_now_ns() != gw1_now(x)) return GW1_NO_MATCH;
	for (uint32_t i = 0; i < gw1_arg_count(x); i++)
		if (!next_is(gw1_arg(x, i))) return GW1_NO_MATCH;
	return GW1_MATCH;
}
