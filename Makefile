# What people and .ci/run call. Only Go is needed; the tools of lint and vuln are a module
# of their own (tools/go.mod), and only `make schema`, `make acp-schema`, `make
# conformance`, `make web` and `make web-check` want npm.

FUZZTIME  ?= 60s
# The release of codex whose schema internal/dialect/codex speaks.
CODEX_VERSION ?= 0.169.0
# How long make soak takes.
DURATION  ?= 20m
# The version in the program; without one, what internal/companion/version.go says.
VERSION   ?= $(patsubst v%,%,$(shell git describe --tags --exact-match 2>/dev/null))
LDFLAGS   := -s -w $(if $(VERSION),-X parley.dev/parley/internal/companion.Version=$(VERSION))
# What is released: PLATFORMS, named for the version and the system. The environment has no say
# in what comes out.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
PLATFORM  ?= linux/amd64
RELEASE   := $(or $(VERSION),$(shell sed -n 's/^var Version = "\(.*\)"/\1/p' internal/companion/version.go))
COMMANDS  := ./cmd/parley ./cmd/parley-host ./cmd/parley-console
COMMIT    := $(shell git rev-parse HEAD 2>/dev/null)
# The time of all files in a release, in seconds since 1970: that of the commit.
EPOCH     := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),0)
# The Go that releases are built with: the newest patch, which go downloads as a module. make outdated compares it. go.mod has
# no toolchain line, so that nothing but a release waits for that; TOOLCHAIN=local takes the Go that is installed.
TOOLCHAIN ?= go1.26.11
PURE      := env GOTOOLCHAIN=$(TOOLCHAIN) GOFLAGS= GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0 CGO_ENABLED=0
TOOL      := go tool -modfile=tools/go.mod
FORMATTED := bench client cmd e2e examples internal record schema tools $(wildcard *.go)

# So many packages are tested at once: tests wait more than they work.
AT_ONCE   ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
# make check vets all packages: the tests are run with -vet=off.
TESTED    := -p $(AT_ONCE) -timeout 30m -vet=off
# A law has a fifth of so many random cases with -short; make test-all takes 100.
test race: export RAPID_CHECKS ?= 150

.PHONY: help demo build check shape vet test test-all race locks transcripts faults soak fuzz corpus bench bench-quick tasks floor benchstat gobench schema acp-schema codex-schema conform conformance web web-check web-pictures catalog catalog-current catalog-check lint gofumpt golangci-lint fmt vuln outdated toolchain cross release release-check packages programs reproducible clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

demo: ## a client and the real server play one turn, offline
	@echo "Compiling Parley; the first time this takes one to three minutes."
	@go run ./cmd/parley demo

build: ## bin/parley, bin/parley-host and bin/parley-console
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o bin/ $(COMMANDS)

check: lint vet ## everything that only reads

vet:
	go vet ./...

shape: ## how tangled the packages are: calls between their files, and the engine's size
	@cd tools && go run ./shape

test: ## every test that needs nothing but Go, in sizes that take minutes
	go test $(TESTED) -short ./...

test-all: ## every test in its full size: also with programs of others, browsers, Wine, three servers of a store, and every cell of e2e/faults
	go test $(TESTED) ./...

# Tests start themselves hundreds of times, and each would stay for a second in case of races.
race: ## the tests with goroutines under the race detector, which is C: it wants gcc or clang
	raced=$$(tools/raced.sh) && GORACE=atexit_sleep_ms=20 go test $(TESTED) -short -race $$raced

locks: ## the tests of what shares state, with mutexes that find deadlocks
	go test -short -tags lockcheck ./internal/lock ./internal/wire/... ./internal/budget ./internal/mcp ./internal/extension ./internal/engine ./internal/sessionlog ./internal/dialect/...

transcripts: ## only the transcripts, in process and against the program
	go test -count=1 -run Transcript ./internal/dialect/...

faults: ## every dialect in every phase meets every fault, three times in a row
	PARLEY_FAULTS=all go test -count=3 -timeout 60m ./e2e/faults

soak: ## many sessions in one process, a host with a hundred clients, and cut connections to one, each for DURATION (20m); from a minute on, growth is a failure
	PARLEY_SOAK=$(DURATION) go test -count=1 -timeout 0 ./e2e/soak

fuzz: ## each fuzz target for FUZZTIME (60s)
	@tools/fuzz.sh $(FUZZTIME)

corpus: ## keep some of what fuzzing found, so that go test runs it
	@tools/corpus.sh 12 $$(grep -rlE --include='*_test.go' '^func Fuzz' cmd internal | xargs -n 1 dirname | sort -u)

bench: build floor ## measure the built program beside a floor: bench/results (BENCH: more flags)
	go run ./bench $(BENCH)

bench-quick: build floor ## the same in less than two minutes, and 50 simulated hosts, for information
	go run ./bench -quick $(BENCH)
	go run ./bench cluster -simulate hosts=50
	@cat bench/results/latest.md

tasks: build ## scripted models do pieces of work; fails if that takes more or less than bench/tasks/expected.txt says (UPDATE=1 writes it, RUN=expression, TASKS: more flags)
	go run ./bench/tasks $(if $(UPDATE),-update) $(if $(RUN),-run '$(RUN)') $(TASKS)

floor: # what others are measured against
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/floor ./bench/floor

benchstat: ## Go benchmarks of hot paths, beside bench/baseline.txt
	@tools/gobench.sh

gobench: ## every Go benchmark
	go test -run '^$$' -bench . -benchmem ./...

schema: ## write the JSON Schemas and, with npm, the TypeScript declarations
	go test -count=1 ./internal/dialect/scaiflux -run TestSchemaIsCheckedIn -update-schema
	go test -count=1 ./internal/dialect/flint -run TestSchemaIsCheckedIn -update-schema
	go test -count=1 ./internal/dialect/loaf -run TestSchemaIsCheckedIn -update-schema
	go test -count=1 ./internal/dialect/agentair -run TestSchemaIsCheckedIn -update-schema
	go test -count=1 ./internal/dialect/pisces -run TestSchemaIsCheckedIn -update-schema
	go test -count=1 ./internal/dialect/acp -run TestSchemaIsCheckedIn -update-schema
	go test -count=1 ./internal/dialect/native -run TestSchemaIsCheckedIn -update-schema
	npm --prefix schema ci --no-audit --no-fund
	npm --prefix schema run generate
	npm --prefix schema run check

codex-schema: ## fetch the schema of the pinned codex release, write the types of the dialect and schema/codex-*.txt, and print where the newest release differs
	go -C tools run ./codexschema -fetch $(CODEX_VERSION)
	go -C tools run ./codexschema -drift

acp-schema: ## print where the newest official schema of ACP on npm differs from the one that is checked in; fails if it does (UPDATE=1 writes it)
	@tools/acp-schema.sh $(if $(UPDATE),update)

DIALECTS := scaiflux flint codex loaf agentair pisces acp native

conform: build ## the program's own servers against what their protocols demand of any server
	@set -e; for dialect in $(DIALECTS); do bin/parley conform $$dialect --jobs 2 --timeout 2m --end-timeout 1m; done

conformance: build ## the client scenarios of the official MCP conformance suite, with npm
	npm --prefix e2e/conformance ci --no-audit --no-fund --ignore-scripts
	e2e/conformance/run.sh bin/parley

web: ## bundle the page of the web console into internal/host/web/page, with npm
	npm --prefix web ci --no-audit --no-fund --ignore-scripts
	cd tools && go run ./web

web-check: ## is the bundle of the page what web/ gives, and small enough? And do its types fit?
	npm --prefix web ci --no-audit --no-fund --ignore-scripts
	npm --prefix web run check
	cd tools && go run ./web -check

web-pictures: ## take the pictures of docs/web.md, with npm and Chromium
	PARLEY_PICTURES_WORKSPACE=/tmp/shop PARLEY_ARTIFACTS=$(CURDIR)/artifacts RUN='pages in three' go test -count=1 ./e2e/web -run TestWeb/pictures
	mkdir -p docs/web
	cp artifacts/web-session-desktop-light.png docs/web/session-desktop-light.png
	cp artifacts/web-overview-desktop-light.png docs/web/overview-desktop-light.png
	cp artifacts/web-session-phone-dark.png docs/web/session-phone-dark.png

catalog: ## write the snapshot of known models anew, from the module that has them
	@$(call catalog,-update-catalog)

catalog-current: ## is the snapshot of known models what the module gives that has them?
	@$(call catalog)

# The module of the data needs a newer Go than the program does.
catalog = data=$$(mktemp) && trap 'rm -f "$$data"' EXIT && GOTOOLCHAIN=$(TOOLCHAIN) go -C tools/catalog run . >"$$data" && \
  go test -count=1 ./internal/model/catalog -run TestSnapshot -catalog-source "$$data" $(1)

CATALOG_LIST ?= https://models.dev/api.json
catalog-check: ## print where the known models differ from a second list on the network
	go test -count=1 -v ./internal/model/catalog -run TestSecondSource -compare-catalog $(CATALOG_LIST)

lint: gofumpt golangci-lint ## format and linters

gofumpt:
	@unformatted=$$($(TOOL) gofumpt -l $(FORMATTED)) || exit 1; \
	  if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi

golangci-lint:
	$(TOOL) golangci-lint run --timeout 10m ./...

fmt: ## format the Go files
	$(TOOL) gofumpt -w $(FORMATTED)

vuln: ## known vulnerabilities, with the Go of releases; fails if there is one, or their database cannot be had
	@GOTOOLCHAIN=$(TOOLCHAIN) tools/vuln.sh

outdated: ## which dependencies, and which patch of Go, have newer versions
	@GOTOOLCHAIN=$(TOOLCHAIN) tools/outdated.sh $(TOOLCHAIN)

toolchain: # for workflows: the Go of releases as a variable
	@echo GOTOOLCHAIN=$(TOOLCHAIN)

cross: ## does it build for the other systems?
	for system in darwin windows; do \
	  for command in $(COMMANDS); do \
	    GOOS=$$system GOARCH=arm64 CGO_ENABLED=0 go build -o /dev/null $$command || exit 1; \
	  done; \
	done

release: ## dist: for each platform the static programs, archives, deb, rpm and a container image, with bills of materials, licences, checksums
	rm -rf dist
	@$(MAKE) --no-print-directory programs
	@$(MAKE) --no-print-directory packages

packages: build # of the programs in dist
	cd tools && go run ./sbom -licenses ../dist/LICENSES.txt $(foreach p,$(PLATFORMS),$(foreach c,$(notdir $(COMMANDS)),../dist/$(call named,$(c),$(p))))
	cp LICENSE dist/
	cd tools && go run ./release -dist ../dist -parley ../bin/parley -version $(RELEASE) -epoch $(EPOCH) $(if $(COMMIT),-commit $(COMMIT)) $(PLATFORMS)

release-check: ## install, run and remove the packages in dist for this machine, and run the image: with dpkg, rpm, skopeo and umoci
	@tools/release-check.sh dist

programs: # of PLATFORMS, into dist
	$(foreach p,$(PLATFORMS),$(foreach c,$(notdir $(COMMANDS)),$(call program,$(c),$(p))$(newline)	))

reproducible: ## is the release for PLATFORM the same, made elsewhere and without any cache?
	@tools/reproducible.sh $(PLATFORM)

# named is what a program for a platform is called; program builds it.
named   = $(1)-$(RELEASE)-$(subst /,-,$(2))$(if $(filter windows/%,$(2)),.exe)
program = $(PURE) GOOS=$(firstword $(subst /, ,$(2))) GOARCH=$(lastword $(subst /, ,$(2))) go build -mod=readonly -trimpath -buildvcs=false \
  -ldflags "-buildid= $(LDFLAGS) $(if $(COMMIT),-X parley.dev/parley/internal/cli.Commit=$(COMMIT))" -o dist/$(call named,$(1),$(2)) ./cmd/$(1)
empty :=
space := $(empty) $(empty)
define newline


endef

clean: ## remove what was built
	rm -rf bin dist schema/node_modules sdk/typescript/node_modules sdk/typescript/dist sdk/typescript/LICENSE web/node_modules
