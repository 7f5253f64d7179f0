#!/usr/bin/env bash
# Builds the release for a platform (such as linux/amd64) twice, from copies of the sources in different
# folders, and compares the files byte by byte. The second time the programs are built with nothing in the cache.
set -euo pipefail
cd "$(dirname "$0")/.."
platform=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

copy() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - | tar -C "$1" -xf -
}

epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
copy "$scratch/here"
copy "$scratch/some/where/else"
make -s -C "$scratch/here" release "PLATFORMS=$platform" COMMIT=tried SOURCE_DATE_EPOCH="$epoch"
GOCACHE=$scratch/cache make -s -C "$scratch/some/where/else" programs "PLATFORMS=$platform" COMMIT=tried
umask 077
make -s -C "$scratch/some/where/else" packages "PLATFORMS=$platform" COMMIT=tried SOURCE_DATE_EPOCH="$epoch" TZ=Asia/Tokyo >/dev/null
for file in "$scratch"/here/dist/*; do
  cmp "$file" "$scratch/some/where/else/dist/${file##*/}"
  echo "${file##*/}: the same $(wc -c <"$file") bytes, made in two folders"
done
