#!/usr/bin/env bash
# Runs every fuzz target for the time given (such as 60s), ends non-zero at the first finding.
set -uo pipefail
time=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# harmless: did the run fail with nothing but the end of its time? Go before 1.27 can report
# that as a failure (go.dev/issue/75804); what a target finds is always written down.
harmless() {
  grep -qx '    context deadline exceeded' "$output" &&
    ! grep -qE 'Failing input written|panic:|fuzzing process hung' "$output"
}

while IFS=: read -r file func; do
  func=${func#func }
  echo "fuzz $func in ${file%/*} for $time"
  go test "./${file%/*}" -run '^$' -fuzz "^$func\$" -fuzztime "$time" </dev/null 2>&1 | tee "$output"
  [ "${PIPESTATUS[0]}" = 0 ] && continue
  harmless || exit 1
  echo "fuzz $func: its time ended in the middle of an input; nothing was found"
done < <(grep -rEo --include='*_test.go' 'func Fuzz[A-Za-z0-9_]+' cmd internal)
