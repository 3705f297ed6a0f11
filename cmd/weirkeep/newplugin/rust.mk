# Builds @NAME@.wasm. `weirkeep plugin build` calls this, and checks what came of it.
# It calls the compiler itself: no cargo, and nothing that has to be fetched.

RUSTC  := rustc
# A linker, as wasm-ld, where the compiler brings none of its own.
LINKER :=
FLAGS  := --edition 2021 --target wasm32-unknown-unknown -C opt-level=3 -C panic=abort -C embed-bitcode=yes
LINK   := -C lto=fat -C strip=symbols -C link-arg=-zstack-size=8192 $(if $(LINKER),-C linker=$(LINKER) -C linker-flavor=wasm-ld)

.PHONY: all test clean
all: @NAME@.wasm

@NAME@.wasm: src/lib.rs target/libgw1.rlib
	$(RUSTC) $(FLAGS) $(LINK) --crate-name plugin --crate-type cdylib --extern gw1=target/libgw1.rlib -o $@ src/lib.rs

target/libgw1.rlib: $(wildcard gw1/src/*.rs)
	mkdir -p target
	$(RUSTC) $(FLAGS) --crate-name gw1 --crate-type rlib -o $@ gw1/src/lib.rs

test: all
	weirkeep plugin test

clean:
	rm -rf target @NAME@.wasm
