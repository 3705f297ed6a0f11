# Builds @NAME@.wasm. `weirkeep plugin build` calls this, and checks what came of it.

CC      := clang
CFLAGS  := --target=wasm32 -mbulk-memory -O2 -std=c11 -Wall -Wextra -nostdlib -ffreestanding -fno-builtin
# The stack stands first: who runs out of it traps, and does not overwrite data.
LDFLAGS := -Wl,--no-entry -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=8192

.PHONY: all test clean
all: @NAME@.wasm

# Compiled and linked by two commands: given -O, clang hands what it has linked to any
# wasm-opt that is there, which does not know what the module needs.
@NAME@.wasm: main.o
	$(CC) --target=wasm32 -nostdlib $(LDFLAGS) -o $@ $<

main.o: main.c gw1.h gw1_constants.h
	$(CC) $(CFLAGS) -c -o $@ $<

test: all
	weirkeep plugin test

clean:
	rm -f @NAME@.wasm main.o
