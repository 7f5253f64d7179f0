#!/usr/bin/env bash
# Runs the Go benchmarks of hot paths, with allocations, and compares them with
# bench/baseline.txt, if that is there. It is information: it never fails for a figure.
# With -baseline it writes that file instead; do so on a quiet machine.
set -uo pipefail
hot=(
  ./internal/event 'BenchmarkAppendJSON'
  ./internal/wire 'NextSmall|ParseAndDecode|WriteLine|AppendString'
  ./internal/wire/jsonrpc 'AppendNotification|Parse'
  ./internal/model/openai 'Chat|Responses|Body'
  ./internal/model/anthropic 'Stream'
  ./internal/journal/file 'BenchmarkAppend/sync=false'
  ./internal/model/catalog 'Lookup'
  ./internal/approval 'Covers'
  ./internal/dialect/agentair 'EncodeTextChunk'
)
results=$(mktemp)
trap 'rm -f "$results"' EXIT
for ((i = 0; i < ${#hot[@]}; i += 2)); do
  go test "${hot[i]}" -run '^$' -bench "${hot[i + 1]}" -benchmem -benchtime 100ms -count 6 >>"$results" || cat "$results"
done
if [ "${1:-}" = -baseline ]; then
  grep -E '^(goos|goarch|pkg|cpu|Benchmark)' "$results" >bench/baseline.txt
  exit
fi
compared=()
[ -f bench/baseline.txt ] && compared=(baseline=bench/baseline.txt)
go tool -modfile=tools/go.mod benchstat "${compared[@]}" now="$results" || cat "$results"
