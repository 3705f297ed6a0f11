# make prints the verbs; each is one line below with its purpose after ##.

GO      ?= go
# Packages with goroutines of their own: tested again under the race detector, the longest first.
RACY    := ./gateway ./cmd/weirkeep ./gateway/promises ./plugins ./gateway/conformance ./gateway/origin ./gateway/probe ./gateway/memfile ./gateway/balance ./gateway/cache/store ./gateway/esi ./gateway/cache/coding ./gateway/cache/disk ./gateway/cache/tier ./gateway/admission ./gateway/capacity ./gateway/discover ./gateway/provider ./gateway/metrics ./gateway/popular ./gateway/admin ./rules ./gateway/session
# Tested first: go test goes by the order in which packages are named, and these take the longest.
LONGEST := ./gateway/promises ./gateway ./cmd/weirkeep ./plugins
# What measures memory or time, reads large input on one goroutine, or is a command that does:
# the race detector makes it slow, and finds nothing there that other tests do not show.
UNRACED := Allocs|AreLinear|CutAnywhere|EncodedIsDecoded|StreamsAreReadBack|DamagedSegments|PowerIsLost|LongInput|OpeningScales|Simulat|GuestsMisbehave|GoGuestMemory|GuestFilesNeverCrash|AreSmall|LittleMemory|FitsIn|StrictnessIsCheap|TooMuchOf|LargeValues|FolderOfArbitrary|NewPluginsWork|^TestScripts$$/^(usage|help|completion|init|check|terminal|symlink|hostile|websphere|version|schema|rulestest|rules_.*|plugin_.*)$$
FUZZ    := \
           abi:FuzzDecodeView \
           abi:FuzzReadOps \
           abi:FuzzReadRoute \
           cmd/weirkeep:FuzzLatin1 \
           cmd/weirkeep:FuzzParseRecord \
           cmd/weirkeep:FuzzParseTests \
           gateway/cache/coding:FuzzReader \
           gateway/cache/disk:FuzzList \
           gateway/cache/disk:FuzzRecord \
           gateway/cache/disk:FuzzSegment \
           gateway/cache/store:FuzzMatchTarget \
           gateway/cache/store:FuzzParseSelector \
           gateway/cache:FuzzAge \
           gateway/cache:FuzzCoding \
           gateway/cache:FuzzContentRange \
           gateway/cache:FuzzControl \
           gateway/cache:FuzzDate \
           gateway/cache:FuzzDictionary \
           gateway/cache:FuzzGroups \
           gateway/cache:FuzzRange \
           gateway/cache:FuzzRecord \
           gateway/cache:FuzzResolve \
           gateway/cache:FuzzStore \
           gateway/cache:FuzzTags \
           gateway/cache:FuzzVary \
           gateway/collect:FuzzNumber \
           gateway/collect:FuzzPointer \
           gateway/collect:FuzzSeries \
           gateway/config:FuzzLoad \
           gateway/config:FuzzOrigins \
           gateway/config:FuzzParams \
           gateway/discover:FuzzTake \
           gateway/esi:FuzzAssemble \
           gateway/esi:FuzzExpression \
           gateway/esi:FuzzHTML \
           gateway/esi:FuzzHoldsMarkup \
           gateway/esi:FuzzParse \
           gateway/esi:FuzzValue \
           gateway/invalidation:FuzzParse \
           gateway/route:FuzzDestination \
           gateway/route:FuzzQuery \
           gateway/session:FuzzCookie \
           gateway/session:FuzzExtract \
           gateway/session:FuzzFind \
           gateway/session:FuzzLinks \
           gateway/session:FuzzPlace \
           gateway/session:FuzzRestore \
           gateway/session:FuzzWeblogic \
           gateway/surrogate:FuzzControl \
           gateway/wire:FuzzAuthority \
           gateway/wire:FuzzChunk \
           gateway/wire:FuzzHead \
           gateway/wire:FuzzTarget \
           gateway:FuzzAccessLine \
           gateway:FuzzCapabilities \
           gateway:FuzzFrontSplits \
           gateway:FuzzServers \
           plugins/engine:FuzzCheckMetered \
           plugins/meter:FuzzMeter \
           plugins:FuzzHTTPCall \
           plugins:FuzzLoad \
           rules/websphere:FuzzConvert \
           rules/websphere:FuzzSelector \
           rules:FuzzCompile \
           rules:FuzzFormat \
           sdk/go:FuzzBlobs
FUZZRUNS ?= 200000
# What go test vets first; .ci/run turns it off, since make vet looks at more there.
VET ?=
LDFLAGS := -s -w -buildid=
# Succeeds where there is a C compiler: with one, the engine wasmtime is built and tested too.
COMPILER = set -- $$($(GO) env CC) && command -v "$$1" >/dev/null

.PHONY: help
help: ## print the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: static wasmtime ## build bin/weirkeep and, where there is a C compiler, bin/weirkeep-wasmtime

.PHONY: static
static: ## build bin/weirkeep alone, static and reproducible
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/weirkeep ./cmd/weirkeep

.PHONY: wasmtime
wasmtime: ## build bin/weirkeep-wasmtime, which has both engines; needs a C compiler
	@if $(COMPILER); then set -x; \
		CGO_ENABLED=1 $(GO) build -tags wasmtime -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/weirkeep-wasmtime ./cmd/weirkeep; \
	else echo 'no C compiler: no bin/weirkeep-wasmtime'; fi

.PHONY: deb
deb: static ## build the Debian package, bin/weirkeep_VERSION_ARCH.deb
	GO='$(GO)' cmd/weirkeep/deploy/package.sh

.PHONY: deb-check
deb-check: deb ## build the Debian package, unpack it, run what is in it
	$(GO) test -count=1 ./cmd/weirkeep/deploy -deb "$$(echo $(CURDIR)/bin/weirkeep_*.deb)"

.PHONY: demo
demo: static ## build, then run a gateway with a cache in front of three demo origins
	./bin/weirkeep serve --demo

.PHONY: test
test: ## run every test; no root, 5 to 6 minutes on 2 cores
	$(GO) test $(VET) -timeout 5m $(LONGEST) ./...
	@if $(COMPILER); then $(MAKE) --no-print-directory -j2 test-plugins-wasmtime test-promises-wasmtime; \
	else echo 'no C compiler: wasmtime is not tested'; fi

# With wasmtime, what depends on the engine: all plugins run on it, and a part of the promises.
.PHONY: test-plugins-wasmtime
test-plugins-wasmtime:
	CGO_ENABLED=1 $(GO) test $(VET) -tags wasmtime -timeout 5m ./plugins ./plugins/engine/wasmtime

.PHONY: test-promises-wasmtime
test-promises-wasmtime:
	CGO_ENABLED=1 $(GO) test $(VET) -tags wasmtime -timeout 5m -run 'Guest/wasmtime' ./gateway/promises

# Programs of the race detector rest for a second at their end, and scripts run hundreds: 50 ms are
# enough. make vet looks at the same packages.
.PHONY: race
race: ## test the concurrent packages under the race detector
	GORACE=atexit_sleep_ms=50 $(GO) test -race -vet=off -timeout 20m -skip '$(UNRACED)' $(RACY)

.PHONY: allocs
allocs: ## run the allocation tests alone; make test runs them too
	$(GO) test -count=1 -run 'Allocs' ./abi ./sdk/go ./plugins ./gateway/...

.PHONY: generate
generate: ## write what is made from the tables of abi: ABI.md, the SDKs' constants
	$(GO) run ./abi/generate

.PHONY: vet
vet: ## vet, and check the formatting
	$(GO) vet ./...
	@if $(COMPILER); then set -x; CGO_ENABLED=1 $(GO) vet -tags wasmtime ./plugins ./plugins/engine/... ./gateway/promises ./cmd/weirkeep; fi
	@test -z "$$(gofmt -l .)" || { echo 'not formatted (gofmt -w):'; gofmt -l .; exit 1; }

.PHONY: check
check: vet build test race ## everything that has to pass before a change lands

.PHONY: sdk
sdk: sdk-tools sdk-rust sdk-go ## build every guest with its tool chain, compare with those that are here; test the SDKs
	sdk/check.sh
	testplugins/build.sh --check
	$(GO) test ./sdk ./testplugins
	$(GO) test -count=1 -timeout 30m -run TestNewPluginsWork ./cmd/weirkeep -tool-chains

.PHONY: sdk-tools
sdk-tools: ## say which tools that build guests are not there; .ci/toolchains installs them
	sdk/tools.sh need

.PHONY: fuzz
fuzz: ## run every fuzz target, FUZZRUNS inputs each
	@set -e; for f in $(FUZZ); do \
		echo "fuzz $$f"; \
		$(GO) test -run '^$$' -fuzz "^$${f#*:}$$" -fuzztime $(FUZZRUNS)x ./$${f%:*}; \
	done

.PHONY: sdk-rust
sdk-rust: ## test the Rust SDK, build its guests, compare with those that are here
	sdk/rust/build.sh --check
	$(GO) test ./sdk/rust

.PHONY: sdk-go
sdk-go: ## test the Go SDK, and its examples as they are and as wasm
	$(GO) test ./sdk/go/...

.PHONY: soak
soak: ## the long forms of the promises' tests: up to two hours
	$(GO) test -count=1 -timeout 100m ./gateway/promises -soak -v
	$(GO) test -count=1 -timeout 60m -run TestModel ./gateway/conformance -soak -v
	@if $(COMPILER); then set -x; \
		CGO_ENABLED=1 $(GO) test -tags wasmtime -count=1 -timeout 60m -run 'Guest/wasmtime' ./gateway/promises -soak -v; \
	else echo 'no C compiler: wasmtime is not tested'; fi

.PHONY: bench
bench: ## run the benchmarks; their budgets stand in their comments
	$(GO) test -run '^$$' -bench . -benchmem ./abi ./gateway/... ./plugins/...

.PHONY: clean
clean: ## remove what build made
	rm -rf bin
