#!/usr/bin/env bash
# Runs every fuzz target, ends non-zero at the first finding. Each runs for the time given
# (such as 60s) or for a number of inputs (500x). Each processor has a package of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
export limit=$1
export scratch
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# harmless: did the run, whose output is in a file, fail with nothing but the end of its time? Go before 1.27 can report
# that as a failure (go.dev/issue/75804); what a target finds is always written down.
harmless() {
  grep -qx '    context deadline exceeded' "$1" &&
    ! grep -qE 'Failing input written|panic:|fuzzing process hung' "$1"
}

# fuzz runs the targets of a package. They share one program: building it takes longer than a short run.
fuzz() {
  local package=$1 here corpus target
  here=$scratch/${package//\//-}
  mkdir "$here"
  corpus=$(go env GOCACHE)/fuzz/$(go list "./$package")
  go test -c -fuzz . -o "$here/fuzz" "./$package" || return 1
  for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$package"/*_test.go | cut -c 6-); do
    echo "fuzz $target in $package for $limit"
    (cd "$package" && "$here/fuzz" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$limit" -test.parallel 1 -test.fuzzcachedir "$corpus") \
      </dev/null >"$here/output" 2>&1 && cat "$here/output" && continue
    cat "$here/output"
    harmless "$here/output" || return 1
    echo "fuzz $target: its time ended in the middle of an input; nothing was found"
  done
  rm -r "$here"
}

# report prints what a package's targets wrote in one piece. After a failure no other package begins.
report() {
  local written status=0
  written=$(fuzz "$1" 2>&1) || status=255
  printf '%s\n' "$written"
  return $status
}
export -f harmless fuzz report

grep -rlE --include='*_test.go' '^func Fuzz' cmd internal | xargs -n 1 dirname | sort -u |
  xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" bash -c 'report "$1"' fuzz
