# Builds @NAME@.wasm. `weirkeep plugin build` calls this, and checks what came of it.

.PHONY: all test clean
all:
	GOOS=wasip1 GOARCH=wasm GOWORK=off go build -buildmode=c-shared -ldflags='-s -w' -trimpath -o @NAME@.wasm .

test: all
	GOWORK=off go test .
	weirkeep plugin test

clean:
	rm -f @NAME@.wasm
