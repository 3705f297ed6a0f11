#!/bin/sh
# Makes every .wasm here from the .wat beside it. Needs wat2wasm of wabt.
cd "$(dirname "$0")" || exit
for wat in */*.wat; do
	wat2wasm "$wat" -o "${wat%.wat}.wasm" || exit
done
