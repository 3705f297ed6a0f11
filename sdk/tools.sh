#!/bin/sh
# The tools that build guests: what brings them, and which versions made the modules
# that are here. It installs nothing.
#
#   sdk/tools.sh need [TOOL…]           fails unless they are there, all or those named,
#                                       and says what to install
#   sdk/tools.sh packages               the Debian packages of those that are not there
#   sdk/tools.sh differ MODULE BUILT    says in what a module differs from the one here,
#                                       and which tools are of another version
set -eu

asc=$(dirname "$0")/assemblyscript/node_modules/.bin/asc
rustc=${RUSTC:-/usr/bin/rustc}

# A tool, its package, and the version that made the modules; - where that does not
# show in them.
tools() {
	cat <<'END'
make           make                    -
perl           perl                    -
wat2wasm       wabt                    1.0.32
wasm-validate  wabt                    -
clang-16       clang-16                16.0.6
wasm-ld-16     lld-16                  16.0.6
rustc          rustc                   1.63.0
rust-wasm32    libstd-rust-dev-wasm32  -
node           nodejs                  -
npm            npm                     -
asc            -                       0.28.20
END
}

has() { # TOOL
	case $1 in
	rustc) command -v "$rustc" >/dev/null ;;
	rust-wasm32) { ls "$("$rustc" --print target-libdir --target wasm32-unknown-unknown)"/libcore-*; } >/dev/null 2>&1 ;;
	asc) test -x "$asc" ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

version() { # TOOL
	case $1 in
	rustc) "$rustc" --version ;;
	asc) "$asc" --version ;;
	*) "$1" --version ;;
	esac | grep -Eo '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1
}

missing() { # [TOOL…]; TOOL PACKAGE of each that is not there
	tools | while read -r tool package _; do
		case " ${*:-$tool} " in *" $tool "*) has "$tool" || echo "$tool $package" ;; esac
	done
}

need() { # [TOOL…]
	lacks=$(missing "$@")
	test -n "$lacks" || return 0
	echo "$lacks" | while read -r tool package; do
		case $tool in
		asc) echo 'sdk: there is no asc: (cd sdk/assemblyscript && npm ci)' ;;
		*) echo "sdk: there is no $tool: apt-get install $package" ;;
		esac
	done >&2
	echo 'sdk: .ci/toolchains installs all of them, on Debian and as root' >&2
	return 1
}

differ() { # MODULE BUILT
	text=$(mktemp -d)
	wasm-objdump -xd "$1" 2>&1 | sed 1,3d >"$text/here"
	wasm-objdump -xd "$2" 2>&1 | sed 1,3d >"$text/built"
	{
		echo "sdk: $1 is not what its source gives: it has $(wc -c <"$1") bytes, what was built has $(wc -c <"$2")"
		diff "$text/here" "$text/built" | sed 10q
		others
	} >&2
	rm -r "$text"
}

others() { # the tools that are of another version
	tools | while read -r tool _ made; do
		test "$made" != - && has "$tool" || continue
		now=$(version "$tool")
		test "$now" = "$made" || echo "sdk: $tool is $now here, and $made made the modules"
	done
}

case ${1:-} in
need) shift && need "$@" ;;
packages) missing | awk '$2 != "-" { print $2 }' | sort -u ;;
differ) differ "$2" "$3" ;;
*) sed -n 's/^# \{0,1\}//p' "$0" | sed 9q >&2 && exit 2 ;;
esac
