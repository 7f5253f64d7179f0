#!/usr/bin/env bash
# Keeps of what fuzzing has found so far (in Go's cache) at most COUNT inputs for each target of
# the packages named, short ones of every size, in testdata/fuzz: go test runs them ever after.
set -euo pipefail
count=$1
shift
cache=$(go env GOCACHE)/fuzz/$(go list -m)
for package in "$@"; do
  package=${package#./}
  grep -Eho 'func Fuzz[A-Za-z0-9_]+' "$package"/*_test.go | while read -r _ target; do
    [ -d "$cache/$package/$target" ] || continue
    mkdir -p "$package/testdata/fuzz/$target"
    find "$cache/$package/$target" -type f -size -3 -printf '%s %p\n' | sort -n | awk -v count="$count" '{ path[NR] = $2 }
      END { step = NR > count ? NR / count : 1; for (at = 1; at <= NR; at += step) print path[int(at)] }' |
      while read -r input; do cp "$input" "$package/testdata/fuzz/$target/"; done
  done
done
