/*
 * A call router: who is asked for decides where it goes.
 *
 * The method of the call is the last segment of the path, its argument the query
 * parameter "arg". Calls of foo whose argument sorts before "n" go to server1,
 * all others to server2; server3 stands in for either. Calls of anything else
 * are balanced as always.
 */
#include "../gw1.h"

GW1_GUEST;

static int32_t server1 = -1, server2 = -1, server3 = -1;

GW1_ON_CLUSTER(cluster) {
	server1 = gw1_position(cluster, GW1_TEXT("server1"));
	server2 = gw1_position(cluster, GW1_TEXT("server2"));
	server3 = gw1_position(cluster, GW1_TEXT("server3"));
	return 0;
}

GW1_ON_ROUTE(x) {
	if (!gw1_equal(gw1_after_last(gw1_path(x), '/'), GW1_TEXT("foo"))) return 0;

	gw1_bytes argument = gw1_query_value(gw1_query(x), GW1_TEXT("arg"));
	int32_t n = gw1_decode(argument, (uint8_t *)argument.at, argument.len);
	if (n <= 0) return GW1_BAD_ARGUMENT;
	argument.len = (uint32_t)n;

	int before = gw1_compare(argument, GW1_TEXT("n")) < 0;
	gw1_list list = gw1_list_for(x);
	gw1_list_add(&list, before ? server1 : server2);
	gw1_list_add(&list, server3);
	return list.n;
}
