/*
 * Learns in its ticks and acts in its calls: each tick writes its number to kv,
 * and requests go to the origin at that number, modulo their count. Before the
 * first tick it lists nothing.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

GW1_ON_TICK(t) {
	uint64_t number = gw1_tick_number(t);
	int32_t code = gw1_kv_set(GW1_TEXT("tick"), (gw1_bytes){(const uint8_t *)&number, sizeof number}, 0, GW1_KV_ALWAYS);
	return gw1_tick_flags(t) & GW1_FLAG_SELF_TEST ? 0 : code;
}

GW1_ON_ROUTE(x) {
	uint64_t number;
	uint32_t origins = gw1_origin_count(x);
	if (gw1_kv_get(GW1_TEXT("tick"), (uint8_t *)&number, sizeof number, NULL) != sizeof number || origins == 0) return 0;
	gw1_list list = gw1_list_for(x);
	gw1_list_add(&list, (int32_t)(number % origins));
	return list.n;
}
