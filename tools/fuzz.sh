#!/usr/bin/env bash
# Runs every fuzz target, ends non-zero at the first finding. Each runs for the time given
# (such as 60s) or for a number of inputs (500x).
set -euo pipefail
cd "$(dirname "$0")/.."
limit=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# harmless: did the run fail with nothing but the end of its time? Go before 1.27 can report
# that as a failure (go.dev/issue/75804); what a target finds is always written down.
harmless() {
  grep -qx '    context deadline exceeded' "$scratch/output" &&
    ! grep -qE 'Failing input written|panic:|fuzzing process hung' "$scratch/output"
}

# A package's targets share one program: building it takes longer than a short run.
packages=$(grep -rlE --include='*_test.go' '^func Fuzz' cmd internal | xargs -n 1 dirname | sort -u)
corpora=$(go env GOCACHE)/fuzz
for package in $packages; do
  go test -c -fuzz . -o "$scratch/fuzz" "./$package"
  corpus=$corpora/$(go list "./$package")
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$package"/*_test.go | cut -c 6-); do
    echo "fuzz $target in $package for $limit"
    (cd "$package" && "$scratch/fuzz" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$limit" -test.fuzzcachedir "$corpus") \
      </dev/null 2>&1 | tee "$scratch/output" && continue
    harmless || exit 1
    echo "fuzz $target: its time ended in the middle of an input; nothing was found"
  done
done
