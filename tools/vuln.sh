#!/usr/bin/env bash
# Prints the known vulnerabilities that the programs reach, and fails if there are any. Their database is a Go module, so
# that the scan works wherever modules can be downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(go mod download -json golang.org/x/vulndb@latest | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
echo "vulnerabilities known to ${folder##*/}, built with $(go env GOVERSION)"
go tool -modfile=tools/go.mod govulncheck -db "file://$folder/data/osv" ./...
