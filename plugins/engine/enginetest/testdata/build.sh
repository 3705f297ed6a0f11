#!/bin/sh
# Makes the modules of the suite from their text; wat2wasm is in Debian's wabt.
set -e
cd "$(dirname "$0")"
for f in *.wat refused/*.wat; do
	wat2wasm --enable-all --debug-names "$f" -o "${f%.wat}.wasm"
done
