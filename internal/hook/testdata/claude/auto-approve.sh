#!/usr/bin/env bash
set -euo pipefail
input=$(cat)
tool_name=$(jq -r '.tool_name // empty' <<<"$input")
file_path=$(jq -r '.tool_input.file_path // empty' <<<"$input")
[[ $(jq -r .hook_event_name <<<"$input") == PreToolUse ]]
[[ -n $(jq -r '.session_id // empty' <<<"$input") && -d $(jq -r .cwd <<<"$input") ]]
if [[ "$tool_name" == "Read" && "$file_path" =~ \.(md|mdx|txt|json)$ ]]; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Documentation"},"suppressOutput":true}'
else
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Not documentation"}}'
fi
