// What of wasmtime's C interface is called without going through its Go one,
// which allocates on each call. The functions are declared by hand, weak, and
// without a library to link: the program's final link finds them in the library
// that wasmtime-go brings, and one that is not there is a null pointer, which
// wk_complete looks for. The layouts are those of version 39.
#ifndef WEIRKEEP_SHIM_H
#define WEIRKEEP_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { uint64_t store; void *own; } wk_func;
typedef struct { uint64_t store; uint32_t own[3]; } wk_global;
typedef struct { uint64_t store; uint32_t own[4]; } wk_memory;
typedef struct { uint64_t low, high; } wk_raw; // a value whose type both sides know
typedef struct { size_t size; char *data; } wk_bytes;

// The globals of a metered module.
enum { WK_FUEL, WK_DEPTH, WK_MARK, WK_GLOBALS };

// An instance, as far as calls need it. It lies in C memory, so that nothing of
// it is checked or copied on the way.
typedef struct {
	void *context;
	uintptr_t owner; // the instance in Go
	wk_memory memory;
	bool has_memory;
	uint8_t *base;   // of the memory, as it is now
	size_t length;   // of the memory, as it is now
	wk_global globals[WK_GLOBALS];
	uint8_t types[WK_GLOBALS];     // of the globals, in wasmtime's numbers
	int64_t numbers[WK_GLOBALS];   // what is in the globals, or to be put there
	bool set;                      // the numbers are to be put there
} wk_instance;

// An exported function with the slot for its value.
typedef struct {
	wk_instance *instance;
	wk_func func;
	uint64_t value;
	void *trap, *error; // of the last call
} wk_function;

// wk_complete returns the name of a function that the library does not have,
// or NULL.
const char *wk_complete(void);

// wk_default_stack returns the size of the stack that threads get, in bytes.
size_t wk_default_stack(void);

// wk_features turns off what wasmtime-go has no method for.
void wk_features(void *config);

// wk_functype returns a function type: n kinds of parameters, then m of results.
void *wk_functype(const uint8_t *kinds, size_t n, size_t m);
void wk_functype_delete(void *type);

// wk_host makes the host function of that number in a store.
void wk_host(void *context, const void *type, uintptr_t number, wk_func *out);

// wk_look reads memory and globals.
void wk_look(wk_instance *i);

// wk_call puts the numbers in the globals if they are set, calls the function,
// and looks. It returns whether the call failed; trap or error is there then.
int wk_call(wk_function *f);

// wk_text takes the trap or error of a call that failed: its text, to be
// freed, and the code of the trap, -1 if it has none. Both are deleted.
wk_bytes wk_text(wk_function *f, int *code);
void wk_text_delete(wk_bytes *text);

#endif
