/*
 * Calls out. As a router it asks, in each tick, the URL of params.url with POST,
 * one field and a body; the answer's body names the origin of all requests that
 * follow. As a collector it asks in each sampling, and the last answer's body is
 * the metric. Until an answer is there, it has no opinion.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

static uint8_t url_text[1024];
static gw1_bytes url = {url_text, 0};
static int32_t token = GW1_NOT_FOUND; /* of the last call, or why there was none */
static int64_t metric = GW1_NO_OPINION;

GW1_ON_CONFIGURE(params) {
	int32_t n = gw1_param_text(gw1_param(params, GW1_TEXT("url")), url_text, sizeof url_text);
	if (n <= 0) return gw1_refuse(GW1_TEXT("url must be there"));
	url.len = (uint32_t)n;
	return 0;
}

static void ask(void) {
	static uint8_t memory[2048];
	gw1_ops call = gw1_ops_in(memory, sizeof memory);
	gw1_call_method(&call, GW1_TEXT("POST"));
	gw1_call_url(&call, url);
	gw1_add_header(&call, GW1_TEXT("Accept"), GW1_TEXT("text/plain"));
	gw1_set_body(&call, GW1_TEXT("where?"));
	token = gw1_http_call(&call, 1000);
}

GW1_ON_TICK(t) {
	(void)t;
	ask();
	return 0;
}

GW1_ON_COLLECT(s) {
	(void)s;
	ask();
	return (int32_t)metric;
}

/* Both are kept: the collector's pool is this instance, a router's is not. */
GW1_ON_HTTP_RESPONSE(a) {
	if (gw1_answer_token(a) != token || gw1_answer_status(a) != 200) return 0;
	gw1_whole(gw1_answer_body(a), &metric);
	gw1_kv_set(GW1_TEXT("origin"), gw1_answer_body(a), 0, GW1_KV_ALWAYS);
	return 0;
}

GW1_ON_ROUTE_NAMES(x) {
	static uint8_t name[256];
	int32_t n = gw1_kv_get(GW1_TEXT("origin"), name, sizeof name, NULL);
	if (n <= 0 || n > (int32_t)sizeof name) return 0;
	gw1_list list = gw1_list_for(x);
	gw1_list_add_name(&list, (gw1_bytes){name, (uint32_t)n});
	return list.n;
}
