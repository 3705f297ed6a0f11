/*
 * Says what an answer tells it: a test's origin can make it give any result.
 *
 * The field X-Say of the answer is NUMBER or NUMBER.HEX. The bytes go to the result
 * area, and the number is returned; "trap" traps, and "loop" does not return. Without
 * X-Say it returns 0. Its gw_on_request always returns an error.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

GW1_ON_REQUEST(x) {
	(void)x;
	return GW1_FAILED;
}

GW1_ON_RESPONSE(x) {
	gw1_bytes bytes = gw1_header(x, GW1_TEXT("x-say")), number = gw1_cut(&bytes, '.');
	gw1_list area = gw1_list_for(x);
	int64_t n = 0;
	if (gw1_equal(number, GW1_TEXT("trap"))) __builtin_trap();
	while (gw1_equal(number, GW1_TEXT("loop"))) *(volatile uint8_t *)area.to = 0;
	for (uint32_t i = 0; 2 * i + 1 < bytes.len && i < area.cap; i++)
		area.to[i] = (uint8_t)(gw1_hex(bytes.at[2 * i]) << 4 | gw1_hex(bytes.at[2 * i + 1]));
	gw1_whole(number, &n);
	return (int32_t)n;
}
