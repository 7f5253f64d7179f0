#!/usr/bin/env python3
"""Run one prompt over the ScaiFlux serve protocol: scaiflux.py PROMPT (docs/scaiflux.md)."""
import json, os, subprocess, sys

server = subprocess.Popen(
    [os.environ.get("PARLEY", "parley"), "scaiflux", "serve", "--permission-mode", "prompt"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user


def send(message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


def approved(call):
    print(f"\nAllow {json.dumps(call)}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == "y"


stop_reason = None
with server:
    for line in server.stdout:
        match json.loads(line):
            case {"type": "ready"}:
                send({"type": "prompt", "text": " ".join(sys.argv[1:])})
            case {"type": "text_delta", "delta": text}:
                print(text, end="", flush=True)
            case {"type": "permission_request", "request_id": request, "tool": tool, "details": details}:
                decision = "allow" if approved({tool: details["tool_input"]}) else "deny"
                send({"type": "permission_response", "request_id": request, "decision": decision})
            case {"type": "error", "message": message}:
                print(message, file=sys.stderr)
                server.stdin.close()  # a refused prompt has no turn_complete
            case {"type": "turn_complete", "stop_reason": stop_reason}:
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if stop_reason != "end_turn" or server.returncode != 0:
    sys.exit(f"the turn ended: {stop_reason}, the server: exit code {server.returncode}")
