#!/usr/bin/env bash
# Prints the packages in whose tests the race detector can find something, a line each: those where the tests, the code
# or anything of this module that they import starts a goroutine. The tests of e2e, bench, cmd and examples start the
# built program, which has no detector, and are left out; only those of the Go client work in the process of the test.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$(go list -m)
starts='^[^/"`]*\<go (func\>|[A-Za-z_.]+\()|\.Go\(|\.AfterFunc\(|"testing/synctest"|"net/http/httptest"|t\.Parallel\(\)'
folders() { xargs -r -n 1 dirname | sed "s,^\.,$module," | sort -u; }

{
  grep -rlE --include='*.go' --exclude='*_test.go' "$starts" . | folders | sed 's,^,code ,'
  grep -rlE --include='*_test.go' "$starts" . | folders | sed 's,^,tests ,'
  go list -test -f '{{.ImportPath}}{{range .Deps}} {{.}}{{end}}' ./...
} | awk -v module="$module" '
  $1 == "code" || $1 == "tests" { active[$1, $2] = 1; next }
  $1 !~ /\.test$/ { next }
  {
    name = substr($1, 1, length($1) - 5)
    if (name ~ "^" module "/(e2e|bench|cmd|examples)(/|$)" && name != module "/e2e/goclient") next
    raced = active["tests", name] || active["code", name]
    for (i = 2; i <= NF; i++) raced = raced || active["code", $i]
    if (raced) { sub("^" module, ".", name); print name }
  }'
