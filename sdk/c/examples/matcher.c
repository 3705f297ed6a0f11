/*
 * A matcher: does the request look as if no person sent it?
 *
 *	when: plugin("automated")
 *	when: plugin("automated", "strict")
 *
 * A request without User-Agent does, and one whose User-Agent has a word that
 * programs call themselves by. With "strict" so does one that names no language,
 * which all browsers do. It needs "headers".
 */
#include "../gw1.h"

GW1_GUEST;

static const gw1_bytes words[] = {
	GW1_TEXT("bot"), GW1_TEXT("spider"), GW1_TEXT("crawler"), GW1_TEXT("curl/"), GW1_TEXT("wget/"), GW1_TEXT("python"),
};

/* Whether the word, in lower case, is somewhere in b. */
static int contains(gw1_bytes b, gw1_bytes word) {
	for (uint32_t i = 0; i + word.len <= b.len; i++)
		if (gw1_equal_fold((gw1_bytes){b.at + i, word.len}, word)) return 1;
	return 0;
}

GW1_ON_MATCH(x) {
	if (!(gw1_granted(x) & GW1_NEED_HEADERS)) return GW1_UNKNOWN;

	gw1_bytes agent = gw1_header(x, GW1_TEXT("user-agent"));
	if (agent.len == 0) return GW1_MATCH;
	for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
		if (contains(agent, words[i])) return GW1_MATCH;

	int strict = gw1_equal(gw1_arg(x, 0), GW1_TEXT("strict"));
	if (strict && !gw1_there(gw1_header(x, GW1_TEXT("accept-language")))) return GW1_MATCH;
	return GW1_NO_MATCH;
}
