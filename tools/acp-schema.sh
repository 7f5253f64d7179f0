#!/usr/bin/env bash
# Fetches the newest official SDK of ACP from npm into a temporary folder, and prints what its schemas add (+) to those that are
# checked in, and lack (-); ends non-zero if there is anything. With the argument "update" it writes them instead.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

(cd "$scratch" && npm pack --silent @agentclientprotocol/sdk@latest >/dev/null && tar -xzf ./*.tgz)
go test -count=1 ./internal/dialect/acp/acptest -run TestDriftOfOfficialSchema -sdk "$scratch/package" \
  ${1:+"-${1}-official"} | sed 's/^ *drift_test.go:[0-9]*: //'
