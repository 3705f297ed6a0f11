/*
 * gw1.h: write plugins for weirkeep in C.
 *
 * Freestanding: no libc, no allocation. Include it in one source file, say
 * GW1_GUEST once, and give the calls of your kind their bodies with GW1_ON_ROUTE,
 * GW1_ON_MATCH, GW1_ON_COLLECT, GW1_ON_REQUEST and so on. README.md has the rest.
 *
 * A host function is imported when it is called somewhere, and not before.
 * What a view shows is valid until the call returns; copy what you keep.
 */
#ifndef GW1_H
#define GW1_H

#include <stddef.h>
#include <stdint.h>

#include "gw1_constants.h"

#define GW1_FN static inline __attribute__((unused))
#define GW1_EXPORT(name) __attribute__((export_name(name), used))
#define GW1_IMPORT(name) __attribute__((import_module("gw1"), import_name(name)))

/* ---- bytes ---- */

/* Bytes that somebody else owns. at is NULL: absent, or not asked for in needs.
 * len 0 with at not NULL: there, but empty. No NUL ends them. */
typedef struct {
	const uint8_t *at;
	uint32_t len;
} gw1_bytes;

/* The bytes of a string literal. */
#define GW1_TEXT(literal) ((gw1_bytes){(const uint8_t *)("" literal), sizeof(literal) - 1})

static const gw1_bytes gw1_none = {NULL, 0};

GW1_FN int gw1_there(gw1_bytes b) { return b.at != NULL; }

GW1_FN uint8_t gw1_lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

GW1_FN int gw1_equal(gw1_bytes a, gw1_bytes b) {
	if (a.len != b.len) return 0;
	for (uint32_t i = 0; i < a.len; i++)
		if (a.at[i] != b.at[i]) return 0;
	return 1;
}

/* Equal but for the case of ASCII letters: for names of header fields. */
GW1_FN int gw1_equal_fold(gw1_bytes a, gw1_bytes b) {
	if (a.len != b.len) return 0;
	for (uint32_t i = 0; i < a.len; i++)
		if (gw1_lower(a.at[i]) != gw1_lower(b.at[i])) return 0;
	return 1;
}

/* Below, at or above 0, as a sorts before, with or after b, byte by byte. */
GW1_FN int gw1_compare(gw1_bytes a, gw1_bytes b) {
	for (uint32_t i = 0; i < a.len && i < b.len; i++)
		if (a.at[i] != b.at[i]) return (int)a.at[i] - (int)b.at[i];
	return a.len < b.len ? -1 : a.len > b.len;
}

GW1_FN int gw1_starts(gw1_bytes b, gw1_bytes with) {
	return b.len >= with.len && gw1_equal((gw1_bytes){b.at, with.len}, with);
}

/* The part behind the last c; all of it without one. */
GW1_FN gw1_bytes gw1_after_last(gw1_bytes b, uint8_t c) {
	uint32_t i = b.len;
	while (i > 0 && b.at[i - 1] != c) i--;
	return (gw1_bytes){b.at ? b.at + i : NULL, b.len - i};
}

/* The part up to the first c, which *b is then behind of; all of it without one. */
GW1_FN gw1_bytes gw1_cut(gw1_bytes *b, uint8_t c) {
	gw1_bytes part = {b->at, 0};
	while (part.len < b->len && b->at[part.len] != c) part.len++;
	uint32_t skip = part.len < b->len ? part.len + 1 : part.len;
	b->at = b->at ? b->at + skip : NULL;
	b->len -= skip;
	return part;
}

/* A whole number, decimal, with a sign or not. Returns 0 and leaves *n alone if
 * it is none or does not fit. */
GW1_FN int gw1_whole(gw1_bytes b, int64_t *n) {
	int minus = b.len > 0 && b.at[0] == '-';
	uint64_t sum = 0;
	if (b.len == (uint32_t)minus) return 0;
	for (uint32_t i = (uint32_t)minus; i < b.len; i++) {
		uint8_t digit = b.at[i] - '0';
		if (digit > 9 || sum > (INT64_MAX - digit) / 10) return 0;
		sum = sum * 10 + digit;
	}
	*n = minus ? -(int64_t)sum : (int64_t)sum;
	return 1;
}

GW1_FN int gw1_hex(uint8_t c) {
	if (c >= '0' && c <= '9') return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of the first parameter of that name in a query, not decoded: absent
 * without such a parameter, empty without "=". */
GW1_FN gw1_bytes gw1_query_value(gw1_bytes query, gw1_bytes name) {
	while (query.len > 0) {
		gw1_bytes value = gw1_cut(&query, '&');
		if (gw1_equal(gw1_cut(&value, '='), name)) return value;
	}
	return gw1_none;
}

/* Undoes the coding of a value in a query, "+" and %XX, into to, which may be
 * where the value is. Returns the length; GW1_BAD_ARGUMENT if a % is not followed by two hex digits;
 * GW1_BUFFER_SMALL if it is longer than cap. */
GW1_FN int32_t gw1_decode(gw1_bytes value, uint8_t *to, uint32_t cap) {
	uint32_t n = 0;
	for (uint32_t i = 0; i < value.len; i++) {
		uint8_t c = value.at[i];
		if (c == '+') c = ' ';
		if (c == '%') {
			if (value.len - i < 3) return GW1_BAD_ARGUMENT;
			int high = gw1_hex(value.at[i + 1]), low = gw1_hex(value.at[i + 2]);
			if (high < 0 || low < 0) return GW1_BAD_ARGUMENT;
			c = (uint8_t)(high << 4 | low);
			i += 2;
		}
		if (n == cap) return GW1_BUFFER_SMALL;
		to[n++] = c;
	}
	return (int32_t)n;
}

/* ---- the buffer ---- */

/* B and N: where views arrive and results go. Set by gw_buffer, good for life. */
static uint8_t *gw1_b;
static uint32_t gw1_n;

extern uint8_t __heap_base;

/* Gives N bytes behind everything the linker placed. Memory behind B + N is free. */
GW1_FN int32_t gw1_take_buffer(uint32_t n) {
	uint64_t base = ((uint64_t)(uintptr_t)&__heap_base + 15) & ~(uint64_t)15;
	uint64_t pages = (base + n + 0xffff) >> 16, have = __builtin_wasm_memory_size(0);
	if (pages > have && __builtin_wasm_memory_grow(0, (size_t)(pages - have)) == SIZE_MAX) return 0;
	gw1_b = (uint8_t *)(uintptr_t)base;
	gw1_n = n;
	return (int32_t)base;
}

/* Say this once, outside of all functions: it makes the exports that every
 * guest has. */
#define GW1_GUEST \
	GW1_EXPORT("gw_abi_1") int32_t gw1_export_abi(void) { return GW1_MINOR; } \
	GW1_EXPORT("gw_buffer") int32_t gw1_export_buffer(int32_t n) { return gw1_take_buffer((uint32_t)n); } \
	_Static_assert(1, "")

/* ---- reading blobs ---- */

GW1_FN uint16_t gw1_u16(const uint8_t *at) {
	uint16_t n;
	__builtin_memcpy(&n, at, sizeof n);
	return n;
}

GW1_FN uint32_t gw1_u32(const uint8_t *at) {
	uint32_t n;
	__builtin_memcpy(&n, at, sizeof n);
	return n;
}

GW1_FN uint64_t gw1_u64(const uint8_t *at) {
	uint64_t n;
	__builtin_memcpy(&n, at, sizeof n);
	return n;
}

GW1_FN double gw1_f64(const uint8_t *at) {
	double n;
	__builtin_memcpy(&n, at, sizeof n);
	return n;
}

GW1_FN gw1_bytes gw1_ref(const uint8_t *at) {
	uint32_t off = gw1_u32(at);
	return off ? (gw1_bytes){gw1_b + off, gw1_u32(at + 4)} : gw1_none;
}

/* The entry of a table {count, off} at that place. */
GW1_FN const uint8_t *gw1_entry(const uint8_t *table, uint32_t i, uint32_t size) {
	return gw1_b + gw1_u32(table + 4) + i * size;
}

/* A header field or a cookie. */
typedef struct {
	gw1_bytes name, value;
} gw1_field;

GW1_FN gw1_field gw1_field_of(const uint8_t *table, uint32_t i) {
	const uint8_t *e = gw1_entry(table, i, GW1_FIELD_ENTRY), *name = gw1_b + gw1_u32(e);
	uint16_t n = gw1_u16(e + GW1_FIELD_NAME_LENGTH);
	return (gw1_field){{name, n}, {name + n, gw1_u16(e + GW1_FIELD_VALUE_LENGTH)}};
}

/* The value of the first field of that name; fold: whatever its case. */
GW1_FN gw1_bytes gw1_find(const uint8_t *table, gw1_bytes name, int fold) {
	for (uint32_t i = 0, n = gw1_u32(table); i < n; i++) {
		gw1_field f = gw1_field_of(table, i);
		if (fold ? gw1_equal_fold(f.name, name) : gw1_equal(f.name, name)) return f.value;
	}
	return gw1_none;
}

/* ---- the view of an exchange: routers, matchers, filters ---- */

typedef struct {
	const uint8_t *v;
} gw1_exchange;

GW1_FN uint32_t gw1_flags(gw1_exchange x) { return gw1_u16(x.v + GW1_VIEW_FLAGS); }
GW1_FN uint64_t gw1_request_id(gw1_exchange x) { return gw1_u64(x.v + GW1_VIEW_REQUEST_ID); }
/* Unix time in ns, read once per exchange. */
GW1_FN uint64_t gw1_now(gw1_exchange x) { return gw1_u64(x.v + GW1_VIEW_NOW); }
/* GW1_METHOD_GET and so on. */
GW1_FN uint32_t gw1_method_id(gw1_exchange x) { return x.v[GW1_VIEW_METHOD_ID]; }
/* GW1_HTTP11 and so on. */
GW1_FN uint32_t gw1_version(gw1_exchange x) { return x.v[GW1_VIEW_VERSION]; }
GW1_FN uint32_t gw1_attempts(gw1_exchange x) { return gw1_u16(x.v + GW1_VIEW_ATTEMPTS); }
GW1_FN uint32_t gw1_generation(gw1_exchange x) { return gw1_u32(x.v + GW1_VIEW_GENERATION); }
/* The bits of needs: GW1_NEED_METHOD and so on. */
GW1_FN uint32_t gw1_granted(gw1_exchange x) { return gw1_u32(x.v + GW1_VIEW_GRANTED); }
GW1_FN uint32_t gw1_port(gw1_exchange x) { return gw1_u16(x.v + GW1_VIEW_PORT); }
/* Of the answer; 0 but in gw_on_response. */
GW1_FN uint32_t gw1_status(gw1_exchange x) { return gw1_u16(x.v + GW1_VIEW_STATUS); }
/* As declared; GW1_LENGTH_UNKNOWN if it was not. */
GW1_FN uint64_t gw1_body_length(gw1_exchange x) { return gw1_u64(x.v + GW1_VIEW_BODY_LENGTH); }
/* From the request sent to the head of the answer, in ns; 0 from the cache. */
GW1_FN uint64_t gw1_upstream_ns(gw1_exchange x) { return gw1_u64(x.v + GW1_VIEW_UPSTREAM_NS); }

GW1_FN gw1_bytes gw1_method(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_METHOD); }
GW1_FN gw1_bytes gw1_scheme(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_SCHEME); }
GW1_FN gw1_bytes gw1_host(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_HOST); }
/* Canonical: what rules match on. */
GW1_FN gw1_bytes gw1_path(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_PATH); }
/* Raw; absent without "?". */
GW1_FN gw1_bytes gw1_query(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_QUERY); }
GW1_FN gw1_bytes gw1_client(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_CLIENT); }
GW1_FN gw1_bytes gw1_mapping(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_MAPPING); }
GW1_FN gw1_bytes gw1_session(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_SESSION); }
/* Path and query as received. */
GW1_FN gw1_bytes gw1_target(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_TARGET); }
GW1_FN gw1_bytes gw1_site(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_SITE); }
/* cell/cluster. */
GW1_FN gw1_bytes gw1_cluster_name(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_CLUSTER); }
GW1_FN gw1_bytes gw1_application(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_APPLICATION); }
/* The bound origin of the request; the one that answered in gw_on_response. */
GW1_FN gw1_bytes gw1_origin_name(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_ORIGIN); }
/* GW1_FLAG_WHOLE says whether it is all of it. */
GW1_FN gw1_bytes gw1_body(gw1_exchange x) { return gw1_ref(x.v + GW1_VIEW_BODY); }

/* One entry per field line, in the order received. */
GW1_FN uint32_t gw1_header_count(gw1_exchange x) { return gw1_u32(x.v + GW1_VIEW_HEADERS); }
GW1_FN gw1_field gw1_header_at(gw1_exchange x, uint32_t i) { return gw1_field_of(x.v + GW1_VIEW_HEADERS, i); }
GW1_FN gw1_bytes gw1_header(gw1_exchange x, gw1_bytes name) { return gw1_find(x.v + GW1_VIEW_HEADERS, name, 1); }

GW1_FN uint32_t gw1_cookie_count(gw1_exchange x) { return gw1_u32(x.v + GW1_VIEW_COOKIES); }
GW1_FN gw1_field gw1_cookie_at(gw1_exchange x, uint32_t i) { return gw1_field_of(x.v + GW1_VIEW_COOKIES, i); }
GW1_FN gw1_bytes gw1_cookie(gw1_exchange x, gw1_bytes name) { return gw1_find(x.v + GW1_VIEW_COOKIES, name, 0); }

/* Of plugin("name", args…) in a rule: matchers. */
GW1_FN uint32_t gw1_arg_count(gw1_exchange x) { return gw1_u32(x.v + GW1_VIEW_ARGS); }
GW1_FN gw1_bytes gw1_arg(gw1_exchange x, uint32_t i) {
	return i < gw1_arg_count(x) ? gw1_ref(gw1_entry(x.v + GW1_VIEW_ARGS, i, GW1_REF_ENTRY)) : gw1_none;
}

/* An origin as it is now; its position is that of the cluster table. */
typedef struct {
	uint8_t health, state;
	uint16_t in_flight, capacity; /* both stop at 65535 */
	uint8_t metric;               /* 0..100, GW1_METRIC_NONE */
	uint8_t flags;                /* GW1_ORIGIN_USABLE and so on */
} gw1_origin;

GW1_FN uint32_t gw1_origin_count(gw1_exchange x) { return gw1_u32(x.v + GW1_VIEW_ORIGINS); }
GW1_FN gw1_origin gw1_origin_at(gw1_exchange x, uint32_t i) {
	const uint8_t *e = gw1_entry(x.v + GW1_VIEW_ORIGINS, i, GW1_ORIGIN_ENTRY);
	return (gw1_origin){e[0], e[1], gw1_u16(e + 2), gw1_u16(e + 4), e[6], e[7]};
}

/* ---- the cluster table: gw_on_cluster ---- */

typedef struct {
	const uint8_t *v;
} gw1_cluster;

typedef struct {
	const uint8_t *e;
} gw1_member;

GW1_FN uint32_t gw1_cluster_generation(gw1_cluster c) { return gw1_u32(c.v + GW1_CLUSTER_GENERATION); }
GW1_FN gw1_bytes gw1_cluster_cluster(gw1_cluster c) { return gw1_ref(c.v + GW1_CLUSTER_CLUSTER); }
GW1_FN gw1_bytes gw1_cluster_cell(gw1_cluster c) { return gw1_ref(c.v + GW1_CLUSTER_CELL); }
GW1_FN uint32_t gw1_member_count(gw1_cluster c) { return gw1_u32(c.v + GW1_CLUSTER_COUNT); }
GW1_FN gw1_member gw1_member_at(gw1_cluster c, uint32_t i) {
	return (gw1_member){gw1_b + gw1_u32(c.v + GW1_CLUSTER_ENTRIES_OFF) + i * gw1_u32(c.v + GW1_CLUSTER_ENTRY_SIZE)};
}

GW1_FN gw1_bytes gw1_member_name(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_NAME); }
/* scheme://host:port */
GW1_FN gw1_bytes gw1_member_address(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_ADDRESS); }
GW1_FN gw1_bytes gw1_member_host(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_HOST); }
GW1_FN gw1_bytes gw1_member_zone(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_ZONE); }
GW1_FN gw1_bytes gw1_member_cell(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_CELL); }
GW1_FN gw1_bytes gw1_member_edition(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_EDITION); }
GW1_FN gw1_bytes gw1_member_cluster(gw1_member m) { return gw1_ref(m.e + GW1_MEMBER_CLUSTER); }
GW1_FN uint32_t gw1_member_weight(gw1_member m) { return gw1_u32(m.e + GW1_MEMBER_WEIGHT); }
GW1_FN uint32_t gw1_member_host_weight(gw1_member m) { return gw1_u32(m.e + GW1_MEMBER_HOST_WEIGHT); }
GW1_FN uint32_t gw1_member_capacity(gw1_member m) { return gw1_u32(m.e + GW1_MEMBER_CAPACITY); }
/* GW1_FLAG_ON_THIS_HOST */
GW1_FN uint32_t gw1_member_flags(gw1_member m) { return gw1_u32(m.e + GW1_MEMBER_FLAGS); }

/* Labels are sorted by the bytes of their keys. */
GW1_FN uint32_t gw1_label_count(gw1_member m) { return gw1_u32(m.e + GW1_MEMBER_LABELS); }
GW1_FN gw1_field gw1_label_at(gw1_member m, uint32_t i) {
	const uint8_t *e = gw1_entry(m.e + GW1_MEMBER_LABELS, i, GW1_LABEL_ENTRY);
	return (gw1_field){gw1_ref(e + GW1_LABEL_KEY), gw1_ref(e + GW1_LABEL_VALUE)};
}
GW1_FN gw1_bytes gw1_label(gw1_member m, gw1_bytes key) {
	for (uint32_t i = 0, n = gw1_label_count(m); i < n; i++) {
		gw1_field l = gw1_label_at(m, i);
		if (gw1_equal(l.name, key)) return l.value;
	}
	return gw1_none;
}

/* The position of the first origin of that name, -1 if there is none. */
GW1_FN int32_t gw1_position(gw1_cluster c, gw1_bytes name) {
	for (uint32_t i = 0, n = gw1_member_count(c); i < n; i++)
		if (gw1_equal(gw1_member_name(gw1_member_at(c, i)), name)) return (int32_t)i;
	return -1;
}

/* ---- the view of a collector: one origin, one interval ---- */

typedef struct {
	const uint8_t *v;
} gw1_sample;

/* GW1_FLAG_FIRST_SAMPLE, GW1_FLAG_SELF_TEST */
GW1_FN uint32_t gw1_sample_flags(gw1_sample s) { return gw1_u16(s.v + GW1_COLLECTOR_FLAGS); }
GW1_FN uint64_t gw1_sample_now(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_NOW); }
GW1_FN uint32_t gw1_sample_position(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_POSITION); }
/* ms since the last sample. What follows down to timeouts happened in it. */
GW1_FN uint32_t gw1_sample_window(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_WINDOW); }
GW1_FN uint64_t gw1_sample_answers(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_ANSWERS); }
GW1_FN uint64_t gw1_sample_failed(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_FAILED); }
GW1_FN uint64_t gw1_sample_timeouts(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_TIMEOUTS); }
GW1_FN uint64_t gw1_sample_failed_connects(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_FAILED_CONNECTS); }
/* To the head of the answer, in ns; 0 without answers. */
GW1_FN uint64_t gw1_sample_p50(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_P50); }
GW1_FN uint64_t gw1_sample_p95(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_P95); }
GW1_FN uint64_t gw1_sample_p99(gw1_sample s) { return gw1_u64(s.v + GW1_COLLECTOR_P99); }
GW1_FN uint32_t gw1_sample_in_flight(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_IN_FLIGHT); }
GW1_FN uint32_t gw1_sample_waiting(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_WAITING); }
GW1_FN gw1_bytes gw1_sample_name(gw1_sample s) { return gw1_ref(s.v + GW1_COLLECTOR_NAME); }
GW1_FN gw1_bytes gw1_sample_address(gw1_sample s) { return gw1_ref(s.v + GW1_COLLECTOR_ADDRESS); }
GW1_FN uint32_t gw1_sample_generation(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_GENERATION); }
/* The metric now in force, 0..100. */
GW1_FN uint32_t gw1_sample_metric(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_METRIC); }
GW1_FN uint32_t gw1_sample_capacity(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_CAPACITY); }
GW1_FN uint32_t gw1_sample_health(gw1_sample s) { return s.v[GW1_COLLECTOR_HEALTH]; }
GW1_FN uint32_t gw1_sample_state(gw1_sample s) { return s.v[GW1_COLLECTOR_STATE]; }

/* What the origin reported, of params.source: "header:x-busy-time" and so on. */
typedef struct {
	gw1_bytes name;
	double value;
} gw1_source;

GW1_FN uint32_t gw1_source_count(gw1_sample s) { return gw1_u32(s.v + GW1_COLLECTOR_SOURCES); }
GW1_FN gw1_source gw1_source_at(gw1_sample s, uint32_t i) {
	const uint8_t *e = gw1_entry(s.v + GW1_COLLECTOR_SOURCES, i, GW1_SOURCE_ENTRY);
	return (gw1_source){gw1_ref(e + GW1_SOURCE_NAME), gw1_f64(e + GW1_SOURCE_VALUE)};
}

/* ---- the views of gw_tick and gw_on_http_response ---- */

typedef struct {
	const uint8_t *v;
} gw1_tick;

GW1_FN uint32_t gw1_tick_flags(gw1_tick t) { return gw1_u16(t.v + GW1_TICK_FLAGS); }
GW1_FN uint64_t gw1_tick_now(gw1_tick t) { return gw1_u64(t.v + GW1_TICK_NOW); }
/* From 0. */
GW1_FN uint64_t gw1_tick_number(gw1_tick t) { return gw1_u64(t.v + GW1_TICK_NUMBER); }
/* ms */
GW1_FN uint32_t gw1_tick_period(gw1_tick t) { return gw1_u32(t.v + GW1_TICK_PERIOD); }

typedef struct {
	const uint8_t *v;
} gw1_answer;

/* GW1_FLAG_BODY, GW1_FLAG_WHOLE, GW1_FLAG_FIELDS_LEFT, GW1_FLAG_SELF_TEST */
GW1_FN uint32_t gw1_answer_flags(gw1_answer a) { return gw1_u16(a.v + GW1_RESPONSE_FLAGS); }
GW1_FN uint64_t gw1_answer_now(gw1_answer a) { return gw1_u64(a.v + GW1_RESPONSE_NOW); }
/* What http_call returned. */
GW1_FN int32_t gw1_answer_token(gw1_answer a) { return (int32_t)gw1_u32(a.v + GW1_RESPONSE_TOKEN); }
/* 0, GW1_TIMEOUT or GW1_UNREACHABLE. */
GW1_FN int32_t gw1_answer_error(gw1_answer a) { return (int32_t)gw1_u32(a.v + GW1_RESPONSE_ERROR); }
GW1_FN uint32_t gw1_answer_status(gw1_answer a) { return gw1_u16(a.v + GW1_RESPONSE_STATUS); }
GW1_FN uint32_t gw1_answer_header_count(gw1_answer a) { return gw1_u32(a.v + GW1_RESPONSE_HEADERS); }
GW1_FN gw1_field gw1_answer_header_at(gw1_answer a, uint32_t i) { return gw1_field_of(a.v + GW1_RESPONSE_HEADERS, i); }
GW1_FN gw1_bytes gw1_answer_header(gw1_answer a, gw1_bytes name) { return gw1_find(a.v + GW1_RESPONSE_HEADERS, name, 1); }
GW1_FN gw1_bytes gw1_answer_body(gw1_answer a) { return gw1_ref(a.v + GW1_RESPONSE_BODY); }

/* ---- results: a list of origins ---- */

/* Filled from best to worst; return n. */
typedef struct {
	uint8_t *to;
	uint32_t cap, used;
	int32_t n;
} gw1_list;

GW1_FN gw1_list gw1_list_for(gw1_exchange x) {
	return (gw1_list){gw1_b + gw1_u32(x.v + GW1_VIEW_RESULT_OFF), gw1_u32(x.v + GW1_VIEW_RESULT_CAP), 0, 0};
}

GW1_FN void gw1_put(uint8_t *to, gw1_bytes b) {
	if (b.len > 0) __builtin_memcpy(to, b.at, b.len);
}

/* Lists the origin at that position of the cluster table; -1, which is "not
 * found", is left out. Returns 0 if the list is full. For gw_route. */
GW1_FN int gw1_list_add(gw1_list *l, int32_t position) {
	if (position < 0) return 1;
	if (l->n == GW1_MAX_ROUTE || l->cap - l->used < 2) return 0;
	uint16_t p = (uint16_t)position;
	__builtin_memcpy(l->to + l->used, &p, sizeof p);
	l->used += 2;
	l->n++;
	return 1;
}

/* Lists an origin by name, or cell/cluster/name. Returns 0 if the list is full.
 * For gw_route_names. */
GW1_FN int gw1_list_add_name(gw1_list *l, gw1_bytes name) {
	if (l->n == GW1_MAX_ROUTE || name.len > UINT16_MAX || l->cap - l->used < 2 + name.len) return 0;
	uint16_t n = (uint16_t)name.len;
	__builtin_memcpy(l->to + l->used, &n, sizeof n);
	gw1_put(l->to + l->used + 2, name);
	l->used += 2 + name.len;
	l->n++;
	return 1;
}

/* ---- results: ops ---- */

/* A row of ops. One that does not fit is left out, and spoils the row. */
typedef struct {
	uint8_t *to;
	uint32_t cap, used, n;
	int32_t error;
} gw1_ops;

/* In the result area: for gw_on_request and gw_on_response. */
GW1_FN gw1_ops gw1_ops_for(gw1_exchange x) {
	return (gw1_ops){gw1_b + gw1_u32(x.v + GW1_VIEW_RESULT_OFF), gw1_u32(x.v + GW1_VIEW_RESULT_CAP), 0, 0, 0};
}

/* In memory of your own: for gw1_http_call. */
GW1_FN gw1_ops gw1_ops_in(uint8_t *to, uint32_t cap) { return (gw1_ops){to, cap, 0, 0, 0}; }

GW1_FN void gw1_op(gw1_ops *o, uint16_t code, gw1_bytes key, gw1_bytes value) {
	uint64_t size = ((uint64_t)GW1_OP_HEAD + key.len + value.len + 3) & ~(uint64_t)3;
	if (o->n == GW1_MAX_OPS || key.len > UINT16_MAX || size > o->cap - o->used) {
		o->error = GW1_BUFFER_SMALL;
		return;
	}
	uint8_t *at = o->to + o->used;
	uint16_t klen = (uint16_t)key.len;
	uint32_t zero = 0;
	__builtin_memcpy(at + size - 4, &zero, sizeof zero); /* the padding */
	__builtin_memcpy(at + GW1_OP_CODE, &code, sizeof code);
	__builtin_memcpy(at + GW1_OP_KEY_LENGTH, &klen, sizeof klen);
	__builtin_memcpy(at + GW1_OP_VALUE_LENGTH, &value.len, sizeof value.len);
	gw1_put(at + GW1_OP_HEAD, key);
	gw1_put(at + GW1_OP_HEAD + key.len, value);
	o->used += (uint32_t)size;
	o->n++;
}

GW1_FN void gw1_set_header(gw1_ops *o, gw1_bytes name, gw1_bytes value) { gw1_op(o, GW1_OP_SET_HEADER, name, value); }
GW1_FN void gw1_add_header(gw1_ops *o, gw1_bytes name, gw1_bytes value) { gw1_op(o, GW1_OP_ADD_HEADER, name, value); }
GW1_FN void gw1_delete_header(gw1_ops *o, gw1_bytes name) { gw1_op(o, GW1_OP_DELETE_HEADER, name, gw1_none); }
GW1_FN void gw1_set_path(gw1_ops *o, gw1_bytes path) { gw1_op(o, GW1_OP_SET_PATH, gw1_none, path); }
/* Empty: takes the query away. */
GW1_FN void gw1_set_query(gw1_ops *o, gw1_bytes query) { gw1_op(o, GW1_OP_SET_QUERY, gw1_none, query); }
GW1_FN void gw1_set_host(gw1_ops *o, gw1_bytes host) { gw1_op(o, GW1_OP_SET_HOST, gw1_none, host); }
GW1_FN void gw1_set_body(gw1_ops *o, gw1_bytes body) { gw1_op(o, GW1_OP_SET_BODY, gw1_none, body); }
/* For the access record. */
GW1_FN void gw1_tag(gw1_ops *o, gw1_bytes key, gw1_bytes value) { gw1_op(o, GW1_OP_TAG, key, value); }
/* Answers at once; header ops of the row then are the answer's. */
GW1_FN void gw1_respond(gw1_ops *o, uint32_t status, gw1_bytes body) {
	uint8_t text[3] = {(uint8_t)('0' + status / 100 % 10), (uint8_t)('0' + status / 10 % 10), (uint8_t)('0' + status % 10)};
	gw1_op(o, GW1_OP_RESPOND, (gw1_bytes){text, 3}, body);
}
GW1_FN void gw1_call_method(gw1_ops *o, gw1_bytes method) { gw1_op(o, GW1_OP_METHOD, gw1_none, method); }
GW1_FN void gw1_call_url(gw1_ops *o, gw1_bytes url) { gw1_op(o, GW1_OP_URL, gw1_none, url); }

/* What gw_on_request and gw_on_response return: the bytes of the row, or why
 * there is none. */
GW1_FN int32_t gw1_ops_end(const gw1_ops *o) { return o->error ? o->error : (int32_t)o->used; }

/* ---- params ---- */

/* The JSON object of params as gw_configure got it: compact, valid. */
typedef struct {
	gw1_bytes json;
} gw1_params;

/* The length of the JSON value that b begins with. */
GW1_FN uint32_t gw1_json_length(gw1_bytes b) {
	uint32_t depth = 0;
	int quoted = 0;
	for (uint32_t i = 0; i < b.len; i++) {
		uint8_t c = b.at[i];
		if (quoted) {
			if (c == '\\') i++;
			else if (c == '"') quoted = 0;
		} else if (c == '"') {
			quoted = 1;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (depth > 0 && (c == '}' || c == ']')) {
			depth--;
		} else if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':')) {
			return i;
		}
	}
	return b.len;
}

/* The JSON value of a key, as written; absent without it. Keys with escapes are
 * not found. */
GW1_FN gw1_bytes gw1_param(gw1_params p, gw1_bytes key) {
	gw1_bytes rest = p.json;
	while (rest.len > 1) {
		rest = (gw1_bytes){rest.at + 1, rest.len - 1}; /* { or , */
		gw1_bytes name = {rest.at, gw1_json_length(rest)};
		if (name.len + 1 >= rest.len) break;
		rest = (gw1_bytes){rest.at + name.len + 1, rest.len - name.len - 1};
		gw1_bytes value = {rest.at, gw1_json_length(rest)};
		if (name.len >= 2 && gw1_equal((gw1_bytes){name.at + 1, name.len - 2}, key)) return value;
		rest = (gw1_bytes){rest.at + value.len, rest.len - value.len};
	}
	return gw1_none;
}

/* The string that a JSON value is, its escapes undone, into to. Returns the
 * length; GW1_BAD_ARGUMENT if it is no string; GW1_BUFFER_SMALL. */
GW1_FN int32_t gw1_param_text(gw1_bytes json, uint8_t *to, uint32_t cap) {
	uint32_t n = 0;
	if (json.len < 2 || json.at[0] != '"') return GW1_BAD_ARGUMENT;
	for (uint32_t i = 1; i + 1 < json.len; i++) {
		uint8_t c = json.at[i];
		if (c == '\\') {
			c = json.at[++i];
			switch (c) {
			case 'b': c = '\b'; break;
			case 'f': c = '\f'; break;
			case 'n': c = '\n'; break;
			case 'r': c = '\r'; break;
			case 't': c = '\t'; break;
			case 'u': /* 00xx: the host writes no other */
				if (i + 5 >= json.len) return GW1_BAD_ARGUMENT;
				c = (uint8_t)(gw1_hex(json.at[i + 3]) << 4 | gw1_hex(json.at[i + 4]));
				i += 4;
			}
		}
		if (n == cap) return GW1_BUFFER_SMALL;
		to[n++] = c;
	}
	return (int32_t)n;
}

/* Refuses the params with a message: return gw1_refuse(GW1_TEXT("…")). */
GW1_FN int32_t gw1_refuse(gw1_bytes message) {
	if (message.len > GW1_MAX_MESSAGE) message.len = GW1_MAX_MESSAGE;
	__builtin_memcpy(gw1_b, &message.len, 4);
	gw1_put(gw1_b + 4, message);
	return GW1_BAD_ARGUMENT;
}

/* ---- the calls ---- */

#define GW1_CALL(export, symbol, type, view) \
	static int32_t gw1_do_##symbol(type view); \
	GW1_EXPORT(export) int32_t gw1_export_##symbol(int32_t size) { \
		(void)size; \
		return gw1_do_##symbol((type){gw1_b}); \
	} \
	static int32_t gw1_do_##symbol(type view)

#define GW1_ON_ROUTE(x) GW1_CALL("gw_route", route, gw1_exchange, x)
#define GW1_ON_ROUTE_NAMES(x) GW1_CALL("gw_route_names", route_names, gw1_exchange, x)
#define GW1_ON_MATCH(x) GW1_CALL("gw_match", match, gw1_exchange, x)
#define GW1_ON_REQUEST(x) GW1_CALL("gw_on_request", on_request, gw1_exchange, x)
#define GW1_ON_RESPONSE(x) GW1_CALL("gw_on_response", on_response, gw1_exchange, x)
#define GW1_ON_COLLECT(s) GW1_CALL("gw_collect", collect, gw1_sample, s)
#define GW1_ON_CLUSTER(c) GW1_CALL("gw_on_cluster", on_cluster, gw1_cluster, c)
#define GW1_ON_TICK(t) GW1_CALL("gw_tick", tick, gw1_tick, t)
#define GW1_ON_HTTP_RESPONSE(a) GW1_CALL("gw_on_http_response", on_http_response, gw1_answer, a)

/* Called once, with empty params if there are none. */
#define GW1_ON_CONFIGURE(p) \
	static int32_t gw1_do_configure(gw1_params p); \
	GW1_EXPORT("gw_configure") int32_t gw1_export_configure(int32_t size) { \
		return gw1_do_configure((gw1_params){{gw1_b, (uint32_t)size}}); \
	} \
	static int32_t gw1_do_configure(gw1_params p)

#define GW1_ON_ENABLE(on) GW1_EXPORT("gw_enable") int32_t gw1_export_enable(int32_t on)
#define GW1_ON_ENABLED() GW1_EXPORT("gw_enabled") int32_t gw1_export_enabled(void)

/* ---- host functions ---- */

GW1_IMPORT("log") void gw1_host_log(int32_t level, const uint8_t *at, uint32_t len);
GW1_IMPORT("get_property") int32_t gw1_host_get_property(const uint8_t *name, uint32_t len, uint8_t *to, uint32_t cap);
GW1_IMPORT("now_ns") uint64_t gw1_now_ns(void);
GW1_IMPORT("random") int32_t gw1_random(uint8_t *to, uint32_t len);
GW1_IMPORT("metric_define") int32_t gw1_host_metric_define(int32_t kind, const uint8_t *name, uint32_t len);
GW1_IMPORT("counter_add") int32_t gw1_counter_add(int32_t id, int64_t n);
GW1_IMPORT("gauge_set") int32_t gw1_gauge_set(int32_t id, double v);
GW1_IMPORT("kv_get") int32_t gw1_host_kv_get(const uint8_t *key, uint32_t klen, uint8_t *to, uint32_t cap, uint64_t *version);
GW1_IMPORT("kv_set") int32_t gw1_host_kv_set(const uint8_t *key, uint32_t klen, const uint8_t *value, uint32_t vlen, int64_t ttl_ms, int64_t version);
GW1_IMPORT("kv_delete") int32_t gw1_host_kv_delete(const uint8_t *key, uint32_t klen);
GW1_IMPORT("http_call") int32_t gw1_host_http_call(const uint8_t *ops, uint32_t len, int32_t timeout_ms);

/* One line of at most 1024 bytes, at a level: GW1_LOG_INFO and so on. Over limits.log_rate it is dropped. */
GW1_FN void gw1_log(int32_t level, gw1_bytes line) { gw1_host_log(level, line.at, line.len); }

/* The length of the property's value, which is in to if it fits; GW1_NOT_FOUND,
 * GW1_DENIED. */
GW1_FN int32_t gw1_property(gw1_bytes name, uint8_t *to, uint32_t cap) { return gw1_host_get_property(name.at, name.len, to, cap); }

/* The id of a metric, for gw1_counter_add and gw1_gauge_set. Negative in the
 * self-test, where nothing is counted: no reason to refuse. */
GW1_FN int32_t gw1_counter(gw1_bytes name) { return gw1_host_metric_define(GW1_METRIC_COUNTER, name.at, name.len); }
GW1_FN int32_t gw1_gauge(gw1_bytes name) { return gw1_host_metric_define(GW1_METRIC_GAUGE, name.at, name.len); }

/* The length of the value, which is in to if it fits; GW1_NOT_FOUND. version may
 * be NULL. */
GW1_FN int32_t gw1_kv_get(gw1_bytes key, uint8_t *to, uint32_t cap, uint64_t *version) {
	return gw1_host_kv_get(key.at, key.len, to, cap, version);
}

/* version is the one that must be there, GW1_KV_ABSENT or GW1_KV_ALWAYS. ttl_ms
 * 0 keeps for ever. Returns 0; GW1_CONFLICT if the version is another; GW1_LIMIT
 * if the store is full. */
GW1_FN int32_t gw1_kv_set(gw1_bytes key, gw1_bytes value, int64_t ttl_ms, int64_t version) {
	return gw1_host_kv_set(key.at, key.len, value.at, value.len, ttl_ms, version);
}

GW1_FN int32_t gw1_kv_delete(gw1_bytes key) { return gw1_host_kv_delete(key.at, key.len); }

/* A token of 1 or more, which gw_on_http_response will name; GW1_DENIED out of
 * gw_tick and gw_collect; GW1_BUSY. */
GW1_FN int32_t gw1_http_call(const gw1_ops *call, int32_t timeout_ms) {
	return call->error ? call->error : gw1_host_http_call(call->to, call->used, timeout_ms);
}

#endif
