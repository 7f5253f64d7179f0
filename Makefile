# What people and .ci/run call. Only Go is needed; the tools of lint and vuln are a module
# of their own (tools/go.mod), and only `make schema` wants npm.

FUZZTIME  ?= 60s
# The version in the program; without one, what cmd/parley says itself.
VERSION   ?= $(patsubst v%,%,$(shell git describe --tags --exact-match 2>/dev/null))
LDFLAGS   := -s -w $(if $(VERSION),-X main.version=$(VERSION))
TOOL      := go tool -modfile=tools/go.mod
FORMATTED := bench cmd e2e internal schema layout_test.go

# The race detector is C: without a compiler the tests run without it.
CC_FOUND  := $(and $(filter 1,$(shell go env CGO_ENABLED)),$(shell command -v $(firstword $(shell go env CC)) 2>/dev/null))
RACE      := $(if $(CC_FOUND),-race)

.PHONY: help build check vet test transcripts fuzz bench bench-quick floor benchstat gobench schema catalog lint gofumpt golangci-lint fmt vuln cross clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

build: ## bin/parley
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o bin/parley ./cmd/parley

check: lint vet ## everything that only reads

vet:
	go vet ./...

test: ## every test, under the race detector where there is a C compiler
	$(if $(RACE),,@echo "make test: no C compiler, so no race detector: install gcc or clang for the whole check")
	go test $(RACE) ./...

transcripts: ## only the transcripts, in process and against the program
	go test -count=1 -run Transcript ./internal/dialect/...

fuzz: ## each fuzz target for FUZZTIME (60s)
	@tools/fuzz.sh $(FUZZTIME)

bench: build floor ## measure the built program beside a floor: bench/results (BENCH: more flags)
	go run ./bench $(BENCH)

bench-quick: build floor ## the same in less than a minute, for information
	go run ./bench -quick $(BENCH)
	@cat bench/results/latest.md

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
	npm --prefix schema ci --no-audit --no-fund
	npm --prefix schema run generate
	npm --prefix schema run check

catalog: ## write the snapshot of known models anew, from the module that has them
	go test -count=1 ./internal/model/catalog -run TestSnapshot -update-catalog

lint: gofumpt golangci-lint ## format and linters

gofumpt:
	@unformatted=$$($(TOOL) gofumpt -l $(FORMATTED)) || exit 1; \
	  if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi

golangci-lint:
	$(TOOL) golangci-lint run --timeout 10m ./...

fmt: ## format the Go files
	$(TOOL) gofumpt -w $(FORMATTED)

vuln: ## known vulnerabilities; skipped where their database cannot be reached
	@out=$$($(TOOL) govulncheck ./... 2>&1); code=$$?; printf '%s\n' "$$out"; \
	  case "$$out" in *"fetching vulnerabilities"*) echo "make vuln: skipped, the database cannot be reached";; *) exit $$code;; esac

cross: ## does it build for the other systems?
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go build -o /dev/null ./cmd/parley

clean: ## remove what was built
	rm -rf bin schema/node_modules
