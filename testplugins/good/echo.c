/*
 * Tells all that it is shown, one fact a line: "name: value", lists as
 * "name[i]: …". What is absent has no line.
 *
 * As a filter it answers with the text, status 200, or in gw_on_response in the
 * place of the answer. As router, matcher and collector, and of params, cluster
 * table and ticks, it logs the lines. A router lists the origins that are usable.
 */
#include "../../sdk/c/gw1.h"

GW1_GUEST;

static uint8_t text[60000];
static uint32_t length;
static int logging;
static uint32_t line; /* where the line that is being written begins */

static void begin(int log) { logging = log, length = line = 0; }

__attribute__((noinline)) static void put(gw1_bytes b) {
	if (b.len > sizeof text - length) b.len = sizeof text - length;
	gw1_put(text + length, b);
	length += b.len;
}

static void put_number(uint64_t n) {
	uint8_t digits[20];
	uint32_t at = sizeof digits;
	do digits[--at] = (uint8_t)('0' + n % 10);
	while (n /= 10);
	put((gw1_bytes){digits + at, sizeof digits - at});
}

__attribute__((noinline)) static void end(void) {
	if (logging) {
		gw1_log(GW1_LOG_INFO, (gw1_bytes){text, length});
		length = 0;
	} else {
		put(GW1_TEXT("\n"));
	}
}

__attribute__((noinline)) static void number(gw1_bytes name, uint64_t n) {
	put(name);
	put(GW1_TEXT(": "));
	put_number(n);
	end();
}

__attribute__((noinline)) static void string(gw1_bytes name, gw1_bytes value) {
	if (!gw1_there(value)) return;
	put(name);
	put(GW1_TEXT(": "));
	put(value);
	end();
}

static void indexed(gw1_bytes name, uint32_t i) {
	put(name);
	put(GW1_TEXT("["));
	put_number(i);
	put(GW1_TEXT("]: "));
}

__attribute__((noinline)) static void pair(gw1_bytes name, uint32_t i, gw1_field f) {
	indexed(name, i);
	put(f.name);
	put(GW1_TEXT("="));
	put(f.value);
	end();
}

/* The numbers of a list are separated by spaces. */
static void more(uint64_t n) {
	put(GW1_TEXT(" "));
	put_number(n);
}

static void more_text(gw1_bytes b) {
	put(GW1_TEXT(" "));
	put(gw1_there(b) ? b : GW1_TEXT("-"));
}

#define NUMBER(view, name, field) number(GW1_TEXT(name), gw1_##field(view))
#define STRING(view, name, field) string(GW1_TEXT(name), gw1_##field(view))

static void tell_numbers(gw1_exchange x) {
	NUMBER(x, "flags", flags);
	NUMBER(x, "request id", request_id);
	NUMBER(x, "now", now);
	NUMBER(x, "method id", method_id);
	NUMBER(x, "version", version);
	NUMBER(x, "attempts", attempts);
	NUMBER(x, "generation", generation);
	NUMBER(x, "granted", granted);
	NUMBER(x, "port", port);
	NUMBER(x, "status", status);
	NUMBER(x, "body length", body_length);
	NUMBER(x, "upstream ns", upstream_ns);
}

static void tell_strings(gw1_exchange x) {
	STRING(x, "method", method);
	STRING(x, "scheme", scheme);
	STRING(x, "host", host);
	STRING(x, "path", path);
	STRING(x, "query", query);
	STRING(x, "client", client);
	STRING(x, "mapping", mapping);
	STRING(x, "session id", session);
	STRING(x, "target", target);
	STRING(x, "site", site);
	STRING(x, "cluster", cluster_name);
	STRING(x, "application", application);
	STRING(x, "origin", origin_name);
}

static void tell_origin(gw1_origin o, uint32_t i) {
	indexed(GW1_TEXT("origin"), i);
	put_number(o.health);
	more(o.state);
	more(o.in_flight);
	more(o.capacity);
	more(o.metric);
	more(o.flags);
	end();
}

static void tell(gw1_exchange x) {
	tell_numbers(x);
	tell_strings(x);
	for (uint32_t i = 0; i < gw1_origin_count(x); i++) tell_origin(gw1_origin_at(x, i), i);
	for (uint32_t i = 0; i < gw1_header_count(x); i++) pair(GW1_TEXT("header"), i, gw1_header_at(x, i));
	for (uint32_t i = 0; i < gw1_cookie_count(x); i++) pair(GW1_TEXT("cookie"), i, gw1_cookie_at(x, i));
	for (uint32_t i = 0; i < gw1_arg_count(x); i++) {
		indexed(GW1_TEXT("arg"), i);
		put(gw1_arg(x, i));
		end();
	}
	STRING(x, "body", body);
}

static int32_t answer(gw1_exchange x) {
	begin(0);
	tell(x);
	gw1_ops ops = gw1_ops_for(x);
	gw1_respond(&ops, 200, (gw1_bytes){text, length});
	gw1_set_header(&ops, GW1_TEXT("Content-Type"), GW1_TEXT("text/plain"));
	return gw1_ops_end(&ops);
}

GW1_ON_REQUEST(x) { return answer(x); }
GW1_ON_RESPONSE(x) { return answer(x); }

GW1_ON_MATCH(x) {
	begin(1);
	tell(x);
	return GW1_MATCH;
}

GW1_ON_ROUTE(x) {
	begin(1);
	tell(x);
	gw1_list list = gw1_list_for(x);
	for (uint32_t i = 0; i < gw1_origin_count(x); i++)
		if (gw1_origin_at(x, i).flags & GW1_ORIGIN_USABLE) gw1_list_add(&list, (int32_t)i);
	return list.n;
}

GW1_ON_CONFIGURE(params) {
	begin(1);
	string(GW1_TEXT("params"), params.json);
	return 0;
}

static void tell_member(gw1_member m, uint32_t i) {
	indexed(GW1_TEXT("member"), i);
	put(gw1_member_name(m));
	more_text(gw1_member_address(m));
	more_text(gw1_member_host(m));
	more_text(gw1_member_zone(m));
	more_text(gw1_member_cell(m));
	more_text(gw1_member_edition(m));
	more_text(gw1_member_cluster(m));
	more(gw1_member_weight(m));
	more(gw1_member_host_weight(m));
	more(gw1_member_capacity(m));
	more(gw1_member_flags(m));
	end();
	for (uint32_t l = 0; l < gw1_label_count(m); l++) pair(GW1_TEXT("label"), l, gw1_label_at(m, l));
}

GW1_ON_CLUSTER(c) {
	begin(1);
	NUMBER(c, "generation", cluster_generation);
	STRING(c, "cluster", cluster_cluster);
	STRING(c, "cell", cluster_cell);
	for (uint32_t i = 0; i < gw1_member_count(c); i++) tell_member(gw1_member_at(c, i), i);
	return 0;
}

static void tell_window(gw1_sample s) {
	NUMBER(s, "window", sample_window);
	NUMBER(s, "answers", sample_answers);
	NUMBER(s, "failed", sample_failed);
	NUMBER(s, "timeouts", sample_timeouts);
	NUMBER(s, "p50", sample_p50);
	NUMBER(s, "p95", sample_p95);
	NUMBER(s, "p99", sample_p99);
	NUMBER(s, "failed connects", sample_failed_connects);
}

GW1_ON_COLLECT(s) {
	begin(1);
	NUMBER(s, "flags", sample_flags);
	NUMBER(s, "now", sample_now);
	NUMBER(s, "position", sample_position);
	tell_window(s);
	NUMBER(s, "in flight", sample_in_flight);
	NUMBER(s, "waiting", sample_waiting);
	STRING(s, "name", sample_name);
	STRING(s, "address", sample_address);
	NUMBER(s, "generation", sample_generation);
	NUMBER(s, "metric", sample_metric);
	NUMBER(s, "capacity", sample_capacity);
	NUMBER(s, "health", sample_health);
	NUMBER(s, "state", sample_state);
	for (uint32_t i = 0; i < gw1_source_count(s); i++) {
		gw1_source source = gw1_source_at(s, i);
		indexed(GW1_TEXT("source"), i);
		put(source.name);
		more_text(GW1_TEXT("in thousandths"));
		more((uint64_t)(source.value * 1000));
		end();
	}
	return GW1_NO_OPINION;
}

GW1_ON_TICK(t) {
	begin(1);
	NUMBER(t, "flags", tick_flags);
	NUMBER(t, "now", tick_now);
	NUMBER(t, "tick", tick_number);
	NUMBER(t, "period", tick_period);
	return 0;
}
