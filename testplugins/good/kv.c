/*
 * Counts the requests to each path, in kv: the origin learns the count from
 * X-Visits. DELETE forgets it. An answer carries what went wrong in X-Kv, the
 * code of the host function.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

enum { TRIES = 10, TTL_MS = 60000 };

static uint8_t digits[20];

static gw1_bytes decimal(uint64_t n) {
	uint32_t at = sizeof digits;
	do digits[--at] = (uint8_t)('0' + n % 10);
	while (n /= 10);
	return (gw1_bytes){digits + at, sizeof digits - at};
}

/* Adds one to the count of the key; negative if that failed. Others may write
 * between get and set, so the version decides. */
static int64_t visit(gw1_bytes key) {
	uint8_t old[20];
	for (int i = 0; i < TRIES; i++) {
		uint64_t version = 0;
		int64_t count = 0, must = GW1_KV_ABSENT;
		int32_t n = gw1_kv_get(key, old, sizeof old, &version);
		if (n < 0 && n != GW1_NOT_FOUND) return n;
		if (n >= 0) {
			gw1_whole((gw1_bytes){old, (uint32_t)n}, &count);
			must = (int64_t)version;
		}
		n = gw1_kv_set(key, decimal((uint64_t)count + 1), TTL_MS, must);
		if (n == 0) return count + 1;
		if (n != GW1_CONFLICT) return n;
	}
	return GW1_CONFLICT;
}

static int32_t failed(gw1_ops *ops, int64_t code) {
	gw1_set_header(ops, GW1_TEXT("X-Kv"), decimal((uint64_t)-code));
	return gw1_ops_end(ops);
}

GW1_ON_REQUEST(x) {
	gw1_ops ops = gw1_ops_for(x);
	gw1_bytes key = gw1_path(x);
	if (gw1_method_id(x) == GW1_METHOD_DELETE) {
		int32_t code = gw1_kv_delete(key);
		return code < 0 ? failed(&ops, code) : 0;
	}
	int64_t count = visit(key);
	if (count < 0) return failed(&ops, count);
	gw1_set_header(&ops, GW1_TEXT("X-Visits"), decimal((uint64_t)count));
	return gw1_ops_end(&ops);
}
