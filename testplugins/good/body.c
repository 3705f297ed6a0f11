/*
 * Tells what it is shown of a body, and sets another if it is asked to.
 *
 * Filter: X-Shown is the flags 2 and 4, the body length, how many bytes are shown
 * and their FNV-1a-32, in decimal; of a body that is not there the first two. If
 * the query is "upper" it sets the body in upper case, and if it is "empty" one of
 * no bytes. Router: lists the position that the body's first byte is, a digit, and
 * abstains where there is none.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

static uint8_t text[96];

static uint32_t put_number(uint32_t at, uint64_t n) {
	uint8_t digits[20];
	uint32_t first = sizeof digits;
	do digits[--first] = (uint8_t)('0' + n % 10);
	while (n /= 10);
	gw1_put(text + at, (gw1_bytes){digits + first, sizeof digits - first});
	return at + sizeof digits - first;
}

static uint32_t put_next(uint32_t at, uint64_t n) {
	text[at] = ' ';
	return put_number(at + 1, n);
}

static uint32_t fnv1a(gw1_bytes b) {
	uint32_t h = 2166136261u;
	for (uint32_t i = 0; i < b.len; i++) h = (h ^ b.at[i]) * 16777619u;
	return h;
}

static gw1_bytes shown(gw1_exchange x, gw1_bytes body) {
	uint32_t n = put_number(0, gw1_flags(x) & 6);
	n = put_next(n, gw1_body_length(x));
	if (gw1_there(body)) {
		n = put_next(n, body.len);
		n = put_next(n, fnv1a(body));
	}
	return (gw1_bytes){text, n};
}

/* In the buffer, all of which is the guest's while the call runs. */
static gw1_bytes upper(gw1_bytes b) {
	uint8_t *at = (uint8_t *)b.at;
	for (uint32_t i = 0; i < b.len; i++)
		if (at[i] >= 'a' && at[i] <= 'z') at[i] -= 'a' - 'A';
	return b;
}

static int32_t tell(gw1_exchange x) {
	gw1_bytes body = gw1_body(x), query = gw1_query(x);
	gw1_ops ops = gw1_ops_for(x);
	gw1_set_header(&ops, GW1_TEXT("X-Shown"), shown(x, body));
	if (gw1_equal(query, GW1_TEXT("upper"))) gw1_set_body(&ops, upper(body));
	if (gw1_equal(query, GW1_TEXT("empty"))) gw1_set_body(&ops, gw1_none);
	return gw1_ops_end(&ops);
}

GW1_ON_REQUEST(x) { return tell(x); }
GW1_ON_RESPONSE(x) { return tell(x); }

GW1_ON_ROUTE(x) {
	gw1_bytes body = gw1_body(x);
	gw1_list list = gw1_list_for(x);
	if (body.len && body.at[0] >= '0' && body.at[0] <= '9') gw1_list_add(&list, body.at[0] - '0');
	return list.n;
}
