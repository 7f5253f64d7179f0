#!/usr/bin/env python3
"""Run one prompt over Pisces' RPC mode: pisces.py PROMPT (docs/pisces.md).

The protocol has no approvals: the sandbox decides what a command may do."""
import json, os, subprocess, sys

server = subprocess.Popen(
    [os.environ.get("PARLEY", "parley"), "pisces", "--mode", "rpc", "--sandbox", "workspace-write"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user


def send(message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


result = {"status": None}
with server:
    for line in server.stdout:
        match json.loads(line):
            case {"type": "ready"}:
                send({"type": "prompt", "id": "1", "message": " ".join(sys.argv[1:])})
            case {"type": "message_update", "assistantMessageEvent": {"type": "text_delta", "delta": text}}:
                print(text, end="", flush=True)
            case {"type": "extension_ui_request", "id": request, "method": "select" | "confirm" | "input" | "editor"}:
                send({"type": "extension_ui_response", "id": request, "cancelled": True})  # shows no dialogs
            case {"type": "response", "success": False, "error": message}:  # the prompt was refused
                print(message, file=sys.stderr)
                server.stdin.close()
            case {"type": "prompt_result"} as result:
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if result["status"] != "completed" or server.returncode != 0:
    sys.exit(f"the turn ended: {result['status']}, {result.get('error')}, the server: exit code {server.returncode}")
