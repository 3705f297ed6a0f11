#!/bin/sh
# Builds the modules of this folder, and those of the tests of engine and meter, from
# the sources beside them: text with wat2wasm, bytes with perl, C with clang-16 and
# lld-16. With --check it builds them elsewhere, and says which differ from those here.
set -eu
cd "$(dirname "$0")"

CFLAGS='--target=wasm32 -mbulk-memory -Os -std=c11 -Wall -Wextra -Werror -nostdlib -ffreestanding -fno-builtin'
LDFLAGS='-Wl,--no-entry -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=8192'

wat() { # SOURCE MODULE; a line ";; wat2wasm FLAG…" in the source names flags
	# shellcheck disable=SC2046
	wat2wasm $(sed -n 's/^;; wat2wasm //p' "$1") "$1" -o "$2"
}

hex() { # SOURCE MODULE; digits, and comments after #
	perl -0777 -ne 's/#.*//mg; s/\s+//g; print pack("H*", $_)' "$1" >"$2"
}

# Compiled and linked by two commands: given -O, clang hands what it has linked to any
# wasm-opt that is there.
c() { # SOURCE MODULE
	# shellcheck disable=SC2086
	clang-16 $CFLAGS -c -o "$2.o" "$1" && clang-16 --target=wasm32 -nostdlib $LDFLAGS -o "$2" "$2.o" && chmod 644 "$2" && rm "$2.o"
}

../sdk/tools.sh need wat2wasm wasm-validate perl clang-16 wasm-ld-16
check=
if [ "${1:-}" = --check ]; then
	check=$(mktemp -d)
	trap 'rm -rf "$check"' EXIT
fi

differ=0
for source in good/*.wat good/*.c evil/*/*.wat evil/*/*.hex \
	../plugins/meter/testdata/*/*.wat ../plugins/engine/enginetest/testdata/*.wat ../plugins/engine/enginetest/testdata/*/*.wat; do
	module=${source%.*}.wasm
	built=${check:+$check/built.wasm}
	built=${built:-$module}
	"${source##*.}" "$source" "$built"
	case $source in
	evil/load/* | */refused/*) ;; # what is wrong with those may be that they do not validate
	*) wasm-validate "$built" ;;
	esac
	cmp -s "$module" "$built" || {
		../sdk/tools.sh differ "$module" "$built"
		differ=1
	}
done
test $differ = 0 || echo 'sdk: testplugins/build.sh takes over what was built' >&2
exit $differ
