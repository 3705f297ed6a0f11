#!/bin/sh
# Builds the examples, and the plugin of the tests, beside their sources, with
# Debian's rustc and lld (apt-get install rustc libstd-rust-dev-wasm32 lld-16).
# Another rustc can be named in RUSTC. With --check it tests the crate, builds the
# modules and the plugin of README.md elsewhere, and says which modules differ.
set -eu
cd "$(dirname "$0")"

RUSTC=${RUSTC:-/usr/bin/rustc}
FLAGS='--edition 2021 --target wasm32-unknown-unknown -C panic=abort -C embed-bitcode=yes -D warnings'
LINK='-C lto=fat -C strip=symbols -C linker=wasm-ld-16 -C linker-flavor=wasm-ld -C link-arg=-zstack-size=8192 -C link-arg=--strip-all'

../tools.sh need rustc rust-wasm32 wasm-ld-16

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck disable=SC2086
lib() { # LEVEL
	"$RUSTC" $FLAGS -C opt-level="$1" --remap-path-prefix "$PWD=." --crate-name gw1 --crate-type rlib -o "$tmp/libgw1.rlib" src/lib.rs
}

# shellcheck disable=SC2086
plugin() { # LEVEL SOURCE MODULE
	"$RUSTC" $FLAGS -C opt-level="$1" $LINK --remap-path-prefix "$PWD=." --crate-name "$(basename "$2" .rs)" --crate-type cdylib \
		--extern gw1="$tmp/libgw1.rlib" -o "$3" "$2"
	chmod 644 "$3"
}

differ=0
modules() { # LEVEL SOURCE...
	level=$1
	shift
	lib "$level"
	for source in "$@"; do
		module=${source%.rs}.wasm
		plugin "$level" "$source" "$tmp/built.wasm"
		cmp -s "$tmp/built.wasm" "$module" && continue
		if [ -n "$check" ]; then
			../tools.sh differ "$module" "$tmp/built.wasm"
			differ=1
		else
			cp "$tmp/built.wasm" "$module"
		fi
	done
}

check=
if [ "${1:-}" = --check ]; then
	check=yes
	"$RUSTC" --edition 2021 -D warnings --test -o "$tmp/tests" src/lib.rs
	"$tmp/tests" --quiet
fi
modules s testdata/*.rs
modules 3 examples/*.rs
if [ -n "$check" ]; then
	awk '/^```rust$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$tmp/readme.rs"
	plugin 3 "$tmp/readme.rs" "$tmp/readme.wasm"
fi
test $differ = 0 || echo 'sdk: sdk/rust/build.sh takes over what was built' >&2
exit $differ
