#!/bin/bash
# From the guide of Claude Code: https://code.claude.com/docs/en/hooks
COMMAND=$(jq -r '.tool_input.command')

if echo "$COMMAND" | grep -q 'rm -rf'; then
  jq -n '{
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "rm -rf is not allowed"
    }
  }'
else
  exit 0
fi
