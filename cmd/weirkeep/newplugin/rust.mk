# Builds @NAME@.wasm. `weirkeep plugin build` calls this, and checks what came of it.

TARGET := wasm32-unknown-unknown
CRATE  := $(subst -,_,@NAME@)

.PHONY: all test clean
all:
	cargo build --release --offline --target $(TARGET)
	cp target/$(TARGET)/release/$(CRATE).wasm @NAME@.wasm

test: all
	weirkeep plugin test

clean:
	rm -rf target @NAME@.wasm
