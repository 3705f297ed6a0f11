/*
 * Calls all 16 functions of WASI and looks at each answer. gw_route returns 0 if
 * every one is what it should be, else the number of the first check that is
 * not, negated. proc_exit is called by the path /exit.
 */
#include "../../sdk/c/gw1.h"

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

WASI(args_sizes_get) int32_t args_sizes_get(uint32_t *count, uint32_t *size);
WASI(args_get) int32_t args_get(uint8_t **argv, uint8_t *buf);
WASI(environ_sizes_get) int32_t environ_sizes_get(uint32_t *count, uint32_t *size);
WASI(environ_get) int32_t environ_get(uint8_t **env, uint8_t *buf);
WASI(clock_time_get) int32_t clock_time_get(uint32_t id, uint64_t precision, uint64_t *time);
WASI(random_get) int32_t random_get(uint8_t *to, uint32_t len);
WASI(fd_write) int32_t fd_write(uint32_t fd, const gw1_bytes *pieces, uint32_t count, uint32_t *written);
WASI(fd_fdstat_get) int32_t fd_fdstat_get(uint32_t fd, uint8_t *stat);
WASI(fd_fdstat_set_flags) int32_t fd_fdstat_set_flags(uint32_t fd, uint32_t flags);
WASI(fd_close) int32_t fd_close(uint32_t fd);
WASI(fd_seek) int32_t fd_seek(uint32_t fd, int64_t offset, uint32_t whence, uint64_t *at);
WASI(fd_prestat_get) int32_t fd_prestat_get(uint32_t fd, uint8_t *to);
WASI(fd_prestat_dir_name) int32_t fd_prestat_dir_name(uint32_t fd, uint8_t *to, uint32_t len);
WASI(poll_oneoff) int32_t poll_oneoff(const uint8_t *in, uint8_t *out, uint32_t count, uint32_t *events);
WASI(sched_yield) int32_t wasi_yield(void);
WASI(proc_exit) void proc_exit(uint32_t code);

GW1_GUEST;

enum { OK = 0, BAD_DESCRIPTOR = 8, INVALID = 28, UNSUPPORTED = 58, NO_SEEK = 70 };

static int32_t check, wrong; /* the number of the check, and of the first that failed */

static void must(int ok) {
	check++;
	if (!ok && wrong == 0) wrong = check;
}

static void arguments(void) { /* 1 to 4 */
	uint32_t count = 7, size = 7;
	must(args_sizes_get(&count, &size) == OK && count == 0 && size == 0);
	count = size = 7;
	must(environ_sizes_get(&count, &size) == OK && count == 0 && size == 0);
	must(args_get(NULL, NULL) == OK);
	must(environ_get(NULL, NULL) == OK);
}

static void clocks(void) { /* 5 to 8 */
	uint64_t wall = 0, then = 0, now = 0;
	must(clock_time_get(0, 1, &wall) == OK && wall > 1600000000000000000);
	must(clock_time_get(1, 1, &then) == OK && clock_time_get(1, 1, &now) == OK);
	must(now >= then);
	must(clock_time_get(2, 1, &now) == INVALID && clock_time_get(3, 1, &now) == INVALID);
}

static void chance(void) { /* 9, 10: more than 4096 bytes too */
	static uint8_t bytes[8192];
	uint32_t sum = 0;
	must(random_get(bytes, sizeof bytes) == OK);
	for (uint32_t i = 4096; i < sizeof bytes; i++) sum += bytes[i];
	must(sum > 0);
}

static void writing(void) { /* 11 to 15 */
	static gw1_bytes pieces[65];
	uint32_t written = 0;
	pieces[0] = GW1_TEXT("one ");
	pieces[1] = GW1_TEXT("line\n");
	must(fd_write(1, pieces, 2, &written) == OK && written == 9);
	must(fd_write(2, pieces, 2, &written) == OK && written == 9);
	must(fd_write(0, pieces, 2, &written) == BAD_DESCRIPTOR);
	must(fd_write(3, pieces, 2, &written) == BAD_DESCRIPTOR);
	must(fd_write(1, pieces, 65, &written) == INVALID);
}

static void descriptors(void) { /* 16 to 24 */
	uint8_t stat[24];
	uint64_t at;
	for (uint32_t fd = 0; fd < 3; fd++) {
		__builtin_memset(stat, 0xff, sizeof stat);
		must(fd_fdstat_get(fd, stat) == OK && stat[0] == 2 && gw1_u16(stat + 2) == 0 &&
		     gw1_u64(stat + 8) == (fd ? 64u : 0u));
	}
	must(fd_fdstat_get(3, stat) == BAD_DESCRIPTOR);
	must(fd_fdstat_set_flags(1, 4) == OK && fd_fdstat_set_flags(3, 4) == BAD_DESCRIPTOR);
	must(fd_seek(1, 0, 0, &at) == NO_SEEK && fd_seek(3, 0, 0, &at) == BAD_DESCRIPTOR);
	must(fd_prestat_get(3, stat) == BAD_DESCRIPTOR && fd_prestat_get(0, stat) == BAD_DESCRIPTOR);
	must(fd_prestat_dir_name(3, stat, 8) == BAD_DESCRIPTOR);
	must(fd_close(0) == OK && fd_close(3) == BAD_DESCRIPTOR);
}

/* Two subscriptions of 48 bytes: a clock in an hour, and descriptor 0. */
static void waiting(void) { /* 25 to 29 */
	static uint8_t in[96], out[64];
	uint32_t events = 0;
	uint64_t hour = 3600000000000, first = 11, second = 22;
	__builtin_memcpy(in, &first, 8);
	__builtin_memcpy(in + 24, &hour, 8);
	__builtin_memcpy(in + 48, &second, 8);
	in[56] = 1; /* reading */
	must(poll_oneoff(in, out, 2, &events) == OK && events == 2);
	must(gw1_u64(out) == first && gw1_u16(out + 8) == OK && out[10] == 0);
	must(gw1_u64(out + 32) == second && gw1_u16(out + 40) == UNSUPPORTED && out[42] == 1);
	must(poll_oneoff(in, out, 0, &events) == INVALID);
	must(wasi_yield() == OK);
}

GW1_ON_ROUTE(x) {
	if (gw1_equal(gw1_path(x), GW1_TEXT("/exit"))) proc_exit(0);
	check = wrong = 0;
	arguments();
	clocks();
	chance();
	writing();
	descriptors();
	waiting();
	return -wrong;
}
