#!/bin/sh
# Builds the examples of the SDKs in C and AssemblyScript with their tool chains,
# and the plugin that each README shows, and compares the examples with the
# modules that are here. With --write it takes over what differs.
set -eu
cd "$(dirname "$0")"

./tools.sh need clang-16 wasm-ld-16 wasm-validate node asc
asc=$PWD/assemblyscript/node_modules/.bin/asc

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The blocks of a language in a README are a whole plugin.
shown() { # LANGUAGE README
	awk -v begin="^\`\`\`$1\$" '$0 ~ begin { on = 1; next } /^```$/ { on = 0 } on' "$2"
}

cp -r c/. "$out/c"
rm -f "$out"/c/examples/*.wasm
shown c c/README.md >"$out/c/readme.c"
make -s -C "$out/c" examples readme.wasm

mkdir -p "$out/assemblyscript/examples"
cp -r assemblyscript/assembly assemblyscript/examples assemblyscript/asconfig.json "$out/assemblyscript"
rm -f "$out"/assemblyscript/examples/*.wasm
shown ts assemblyscript/README.md >"$out/assemblyscript/readme.ts"
for source in "$out"/assemblyscript/readme.ts "$out"/assemblyscript/examples/*.ts; do
	(cd "$out/assemblyscript" && "$asc" "${source#"$out"/assemblyscript/}" --config asconfig.json -o "${source%.ts}.wasm")
done

differ=0
for built in "$out"/*/readme.wasm "$out"/*/examples/*.wasm; do
	wasm-validate "$built"
	module=${built#"$out"/}
	case $module in
	*/readme.wasm) continue ;;
	esac
	cmp -s "$built" "$module" && continue
	if [ "${1:-}" = --write ]; then
		cp "$built" "$module"
	else
		./tools.sh differ "$module" "$built"
		differ=1
	fi
done
test $differ = 0 || echo 'sdk: sdk/check.sh --write takes over what was built' >&2
exit $differ
