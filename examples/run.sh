#!/bin/sh
# Runs one prompt without a user: run.sh PROMPT (docs/run.md). The answer streams to stdout, what
# tools do to stderr. No approval is requested: the sandbox decides what a command may do.
"${PARLEY:-parley}" run --sandbox workspace-write --max-steps 50 "$*" </dev/null
code=$?

case $code in
0) echo "run.sh: the turn has completed" >&2 ;;
3) echo "run.sh: stopped at a limit; continue with: parley run --resume latest PROMPT" >&2 ;;
*) echo "run.sh: failed with exit code $code" >&2 ;;
esac
exit $code
