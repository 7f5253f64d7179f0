#!/usr/bin/env bash
# Builds the released program for a platform (such as linux/amd64) twice, from copies of the
# sources in different folders, the second time with nothing in the cache, and compares them.
set -euo pipefail
cd "$(dirname "$0")/.."
platform=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

copy() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - | tar -C "$1" -xf -
}

copy "$scratch/here"
copy "$scratch/some/where/else"
make -s -C "$scratch/here" programs "PLATFORMS=$platform" COMMIT=tried
GOCACHE=$scratch/cache make -s -C "$scratch/some/where/else" programs "PLATFORMS=$platform" COMMIT=tried
for program in "$scratch"/here/dist/*; do
  cmp "$program" "$scratch/some/where/else/dist/${program##*/}"
  echo "${program##*/}: the same $(wc -c <"$program") bytes, built in two folders"
done
