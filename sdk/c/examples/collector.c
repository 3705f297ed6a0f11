/*
 * A collector: how much an origin can still take, 0 to 100.
 *
 * An origin that reports how busy it is, in percent, is believed. Of another the
 * answers say it: those that take longer than target_ms lower the metric, those
 * that failed lower it by their share. The metric is half what was seen now and
 * half what it was before, so that one bad window does not empty an origin.
 *
 *	params: { source: "header:x-busy", target_ms: 50 }
 */
#include "../gw1.h"

GW1_GUEST;

enum { ORIGINS = 1024 };

static int64_t target_ms = 50;
static uint8_t before[ORIGINS]; /* the last metric and 1; 0: none yet */

GW1_ON_CONFIGURE(params) {
	gw1_bytes target = gw1_param(params, GW1_TEXT("target_ms"));
	if (!gw1_there(target) || (gw1_whole(target, &target_ms) && target_ms > 0 && target_ms <= 60000)) return 0;
	return gw1_refuse(GW1_TEXT("target_ms must be a whole number from 1 to 60000"));
}

/* The table may have changed its positions. */
GW1_ON_CLUSTER(cluster) {
	__builtin_memset(before, 0, sizeof before);
	return gw1_member_count(cluster) <= ORIGINS ? 0 : GW1_LIMIT;
}

static double clamp(double metric) { return metric < 0 ? 0 : metric > 100 ? 100 : metric; }

/* What the answers of the window say. */
static double by_answers(gw1_sample s) {
	double answers = (double)gw1_sample_answers(s);
	double slow = (double)gw1_sample_p95(s) / ((double)target_ms * 1e6);
	double metric = slow > 1 ? 100 / slow : 100;
	return metric * clamp(100 - 100 * (double)gw1_sample_failed(s) / answers) / 100;
}

GW1_ON_COLLECT(s) {
	double seen;
	if (gw1_source_count(s) > 0) {
		seen = clamp(100 - gw1_source_at(s, 0).value);
	} else if (gw1_sample_answers(s) > 0) {
		seen = by_answers(s);
	} else {
		return GW1_NO_OPINION;
	}

	uint8_t *last = &before[gw1_sample_position(s) % ORIGINS];
	if (*last > 0) seen = (seen + *last - 1) / 2;
	uint8_t metric = (uint8_t)(seen + 0.5);
	*last = metric + 1;
	return metric;
}
