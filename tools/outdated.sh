#!/usr/bin/env bash
# Prints which direct dependencies, of Go and of npm, and which patch of Go have newer versions. It changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
toolchain=$1 # such as go1.26.11
minor=$(cut -d. -f1,2 <<<"${toolchain#go}")
newest=$(go list -m -f '{{.Version}}' "go@$minor")
[ "$newest" = "${toolchain#go}" ] || echo "Makefile: TOOLCHAIN $toolchain -> go$newest"
unknown='{{with .Error}}{{printf "%s: newer versions are not known: %s" $.Path .Err}}{{end}}'
while read -r file; do
  folder=$(dirname "$file")
  direct=$(go -C "$folder" list -m -f '{{if not (or .Main .Indirect)}}{{.Path}}{{end}}' all)
  newer="{{with .Update}}$file: {{\$.Path}} {{\$.Version}} -> {{.Version}}{{end}}"
  # shellcheck disable=SC2086 # each is a word
  [ -z "$direct" ] || go -C "$folder" list -e -m -u -f "$newer$unknown" $direct
done < <(git ls-files go.mod '*/go.mod')
command -v npm >/dev/null || { echo "npm is not installed: its packages are not compared"; exit 0; }
# Those of e2e are other programs in the versions that are tested.
for folder in web schema sdk/typescript; do
  # npm exits with 1 when something is outdated.
  { npm --prefix "$folder" outdated --parseable || true; } |
    awk -F : -v folder="$folder" '$2 != $4 { print folder "/package.json: " $2 " -> " $4 }'
done
