//go:build wasmtime

#include "shim.h"

#include <pthread.h>
#include <string.h>

#define WEAK __attribute__((weak))

typedef struct { size_t size; void **data; } vec;
typedef struct { uint8_t kind; uint64_t of[3]; } val;
typedef void *(*callback)(void *, void *, wk_raw *, size_t);

extern WEAK void *wasmtime_func_call_unchecked(void *, const wk_func *, wk_raw *, size_t, void **);
extern WEAK void wasmtime_func_new_unchecked(void *, const void *, callback, void *, void (*)(void *), wk_func *);
extern WEAK void *wasmtime_caller_context(void *);
extern WEAK void wasmtime_global_get(void *, const wk_global *, val *);
extern WEAK void *wasmtime_global_set(void *, const wk_global *, const val *);
extern WEAK uint8_t *wasmtime_memory_data(const void *, const wk_memory *);
extern WEAK size_t wasmtime_memory_data_size(const void *, const wk_memory *);
extern WEAK void *wasmtime_trap_new(const char *, size_t);
extern WEAK bool wasmtime_trap_code(const void *, uint8_t *);
extern WEAK void wasm_trap_message(const void *, wk_bytes *);
extern WEAK void wasm_trap_delete(void *);
extern WEAK void wasmtime_error_message(const void *, wk_bytes *);
extern WEAK void wasmtime_error_delete(void *);
extern WEAK void wasm_byte_vec_delete(wk_bytes *);
extern WEAK void *wasm_valtype_new(uint8_t);
extern WEAK void wasm_valtype_vec_new(vec *, size_t, void *const *);
extern WEAK void *wasm_functype_new(vec *, vec *);
extern WEAK void wasm_functype_delete(void *);
extern WEAK void wasmtime_config_wasm_exceptions_set(void *, bool);
extern WEAK void wasmtime_config_wasm_custom_page_sizes_set(void *, bool);
extern WEAK void wasmtime_config_wasm_stack_switching_set(void *, bool);
extern WEAK void wasmtime_config_memory_may_move_set(void *, bool);

const char *wk_complete(void) {
#define NEED(f) if (!f) return #f
	NEED(wasmtime_func_call_unchecked);
	NEED(wasmtime_func_new_unchecked);
	NEED(wasmtime_caller_context);
	NEED(wasmtime_global_get);
	NEED(wasmtime_global_set);
	NEED(wasmtime_memory_data);
	NEED(wasmtime_memory_data_size);
	NEED(wasmtime_trap_new);
	NEED(wasmtime_trap_code);
	NEED(wasm_trap_message);
	NEED(wasm_trap_delete);
	NEED(wasmtime_error_message);
	NEED(wasmtime_error_delete);
	NEED(wasm_byte_vec_delete);
	NEED(wasm_valtype_new);
	NEED(wasm_valtype_vec_new);
	NEED(wasm_functype_new);
	NEED(wasm_functype_delete);
	NEED(wasmtime_config_wasm_exceptions_set);
	NEED(wasmtime_config_wasm_custom_page_sizes_set);
	NEED(wasmtime_config_wasm_stack_switching_set);
	NEED(wasmtime_config_memory_may_move_set);
	return NULL;
}

size_t wk_default_stack(void) {
	pthread_attr_t a;
	size_t size = 0;
	if (pthread_attr_init(&a) != 0)
		return 0;
	pthread_attr_getstacksize(&a, &size);
	pthread_attr_destroy(&a);
	return size;
}

void wk_features(void *config) {
	wasmtime_config_wasm_exceptions_set(config, false);
	wasmtime_config_wasm_custom_page_sizes_set(config, false);
	wasmtime_config_wasm_stack_switching_set(config, false);
	wasmtime_config_memory_may_move_set(config, false);
}

// valtypes makes a list of at most 16 types.
static void valtypes(vec *out, const uint8_t *kinds, size_t n) {
	void *types[16];
	for (size_t i = 0; i < n; i++)
		types[i] = wasm_valtype_new(kinds[i]);
	wasm_valtype_vec_new(out, n, types);
}

void *wk_functype(const uint8_t *kinds, size_t n, size_t m) {
	vec params, results;
	if (n > 16 || m > 16)
		return NULL;
	valtypes(&params, kinds, n);
	valtypes(&results, kinds + n, m);
	return wasm_functype_new(&params, &results);
}

void wk_functype_delete(void *type) { wasm_functype_delete(type); }

// The instance whose guest this thread is running. A call runs from begin to
// end on one thread; one within another puts back what it found.
static __thread wk_instance *running;

static void look_at_memory(wk_instance *i, const void *context) {
	if (!i->has_memory)
		return;
	i->base = wasmtime_memory_data(context, &i->memory);
	i->length = wasmtime_memory_data_size(context, &i->memory);
}

extern int wkServe(uintptr_t owner, uintptr_t number, wk_raw *values, size_t n);

// host is every host function; env is its number.
static void *host(void *env, void *caller, wk_raw *values, size_t n) {
	static const char stopped[] = "stopped by a host function";
	look_at_memory(running, wasmtime_caller_context(caller));
	if (wkServe(running->owner, (uintptr_t)env, values, n))
		return NULL;
	return wasmtime_trap_new(stopped, sizeof stopped - 1);
}

void wk_host(void *context, const void *type, uintptr_t number, wk_func *out) {
	wasmtime_func_new_unchecked(context, type, host, (void *)number, NULL, out);
}

// put sets a global. The type is the one it was found with, so that there is
// no error.
static void put(wk_instance *i, int g) {
	val v = {.kind = i->types[g], .of = {(uint64_t)i->numbers[g]}};
	void *error = wasmtime_global_set(i->context, &i->globals[g], &v);
	if (error)
		wasmtime_error_delete(error);
}

void wk_look(wk_instance *i) {
	look_at_memory(i, i->context);
	for (int g = 0; g < WK_GLOBALS; g++) {
		val v = {0};
		wasmtime_global_get(i->context, &i->globals[g], &v);
		i->numbers[g] = v.kind == 0 ? (int32_t)v.of[0] : (int64_t)v.of[0];
	}
}

int wk_call(wk_function *f) {
	wk_instance *i = f->instance, *outer = running;
	wk_raw value = {f->value, 0};
	if (i->set) {
		for (int g = 0; g < WK_GLOBALS; g++)
			put(i, g);
		i->set = false;
	}
	f->trap = NULL;
	running = i;
	f->error = wasmtime_func_call_unchecked(i->context, &f->func, &value, 1, &f->trap);
	running = outer;
	f->value = value.low;
	wk_look(i);
	return f->error || f->trap;
}

wk_bytes wk_text(wk_function *f, int *code) {
	wk_bytes text = {0, NULL};
	uint8_t c;
	*code = -1;
	if (f->trap) {
		if (wasmtime_trap_code(f->trap, &c))
			*code = c;
		wasm_trap_message(f->trap, &text);
		wasm_trap_delete(f->trap);
	} else if (f->error) {
		wasmtime_error_message(f->error, &text);
		wasmtime_error_delete(f->error);
	}
	f->trap = f->error = NULL;
	return text;
}

void wk_text_delete(wk_bytes *text) { wasm_byte_vec_delete(text); }
