#!/bin/sh
# Builds the modules of this folder into OUT, from the sources beside them: text
# with wat2wasm, bytes with perl, C with clang-16 and lld-16. With --check it
# compares them with those that are here and says which differ.
#
#   ./build.sh            builds them in place
#   ./build.sh --check    builds them elsewhere and compares
set -eu
cd "$(dirname "$0")"

CFLAGS='--target=wasm32 -mbulk-memory -Os -std=c11 -Wall -Wextra -Werror -nostdlib -ffreestanding -fno-builtin'
LDFLAGS='-Wl,--no-entry -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=8192'

wat() { # SOURCE MODULE; a line ";; wat2wasm FLAG" in the source names a flag
	# shellcheck disable=SC2046
	wat2wasm $(sed -n 's/^;; wat2wasm //p' "$1") "$1" -o "$2"
}

hex() { # SOURCE MODULE; digits, and comments after #
	perl -0777 -ne 's/#.*//mg; s/\s+//g; print pack("H*", $_)' "$1" >"$2"
}

c() { # SOURCE MODULE
	# shellcheck disable=SC2086
	clang-16 $CFLAGS $LDFLAGS -o "$2" "$1" && chmod 644 "$2"
}

need() {
	missing=
	for tool in "$@"; do
		command -v "$tool" >/dev/null || missing="$missing $tool"
	done
	test -z "$missing" || {
		echo "testplugins: missing:$missing (Debian: wabt perl clang-16 lld-16)" >&2
		exit 1
	}
}

need wat2wasm wasm-validate perl clang-16 wasm-ld-16
out=.
if [ "${1:-}" = --check ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
fi

differ=0
for source in good/*.wat good/*.c evil/*/*.wat evil/*/*.hex; do
	module=${source%.*}.wasm
	mkdir -p "$out/$(dirname "$module")"
	"${source##*.}" "$source" "$out/$module"
	case $source in
	evil/load/*) ;; # what is wrong with those may be that they do not validate
	*) wasm-validate "$out/$module" ;;
	esac
	cmp -s "$module" "$out/$module" || {
		echo "testplugins: $module differs from what $source gives" >&2
		differ=1
	}
done
exit $differ
