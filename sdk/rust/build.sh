#!/bin/sh
# Builds the examples into examples/*.wasm, with Debian's rustc and lld
# (apt-get install rustc libstd-rust-dev-wasm32 lld-16). Another rustc can be
# named in RUSTC. With --check it builds them elsewhere and says which differ.
set -eu
cd "$(dirname "$0")"

RUSTC=${RUSTC:-/usr/bin/rustc}
FLAGS='--edition 2021 --target wasm32-unknown-unknown -C opt-level=3 -C panic=abort -C embed-bitcode=yes -D warnings'
LINK='-C lto=fat -C strip=symbols -C linker=wasm-ld-16 -C linker-flavor=wasm-ld -C link-arg=-zstack-size=8192 -C link-arg=--strip-all'

for tool in "$RUSTC" wasm-ld-16; do
	command -v "$tool" >/dev/null || {
		echo "sdk/rust: missing: $tool (Debian: rustc libstd-rust-dev-wasm32 lld-16)" >&2
		exit 1
	}
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=examples
test "${1:-}" = --check && out=$tmp

# shellcheck disable=SC2086
"$RUSTC" $FLAGS --remap-path-prefix "$PWD=." --crate-name gw1 --crate-type rlib -o "$tmp/libgw1.rlib" src/lib.rs
for source in examples/*.rs; do
	name=$(basename "$source" .rs)
	# shellcheck disable=SC2086
	"$RUSTC" $FLAGS $LINK --remap-path-prefix "$PWD=." --crate-name "$name" --crate-type cdylib \
		--extern gw1="$tmp/libgw1.rlib" -o "$out/$name.wasm" "$source"
	cmp -s "$out/$name.wasm" "examples/$name.wasm" || {
		echo "examples/$name.wasm differs from its source; run make sdk-rust" >&2
		exit 1
	}
done
