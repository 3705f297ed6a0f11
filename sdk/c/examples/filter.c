/*
 * A filter: every shop has a host of its own under one domain.
 *
 * blue.shops.example is the shop "blue": the origins learn it from X-Tenant, the
 * access record from a tag. Another host is answered here. X-Debug is ours to
 * send, not the client's; what the origins run on is nobody's business.
 *
 *	needs: [host]
 *	params: { domain: shops.example }
 *	on_error: reject
 */
#include "../gw1.h"

GW1_GUEST;

static uint8_t domain_text[256] = ".";
static gw1_bytes domain = {domain_text, 0}; /* with the dot before it */

GW1_ON_CONFIGURE(params) {
	int32_t n = gw1_param_text(gw1_param(params, GW1_TEXT("domain")), domain_text + 1, sizeof domain_text - 1);
	if (n <= 0) return gw1_refuse(GW1_TEXT("domain must be a host name"));
	domain.len = (uint32_t)n + 1;
	return 0;
}

/* What stands before the domain, if it is one label; else empty. */
static gw1_bytes shop_of(gw1_bytes host) {
	if (host.len <= domain.len) return gw1_none;
	gw1_bytes end = {host.at + host.len - domain.len, domain.len};
	gw1_bytes shop = {host.at, host.len - domain.len};
	gw1_bytes rest = shop;
	if (!gw1_equal(end, domain) || gw1_cut(&rest, '.').len != shop.len) return gw1_none;
	return shop;
}

GW1_ON_REQUEST(x) {
	gw1_bytes shop = shop_of(gw1_host(x));
	gw1_ops ops = gw1_ops_for(x);
	if (shop.len == 0) {
		gw1_respond(&ops, 404, GW1_TEXT("no such shop\n"));
		gw1_set_header(&ops, GW1_TEXT("Content-Type"), GW1_TEXT("text/plain"));
	} else {
		gw1_set_header(&ops, GW1_TEXT("X-Tenant"), shop);
		gw1_delete_header(&ops, GW1_TEXT("X-Debug"));
		gw1_tag(&ops, GW1_TEXT("tenant"), shop);
	}
	return gw1_ops_end(&ops);
}

GW1_ON_RESPONSE(x) {
	gw1_ops ops = gw1_ops_for(x);
	gw1_delete_header(&ops, GW1_TEXT("X-Powered-By"));
	return gw1_ops_end(&ops);
}
