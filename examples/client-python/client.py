#!/usr/bin/env python3
"""Send one prompt to parley over the ScaiFlux serve protocol and print the answer.

    python3 examples/client-python/client.py "list the go files"

It needs only the standard library. PARLEY names the program; the default is the
parley on the path. docs/scaiflux.md describes every line.
"""

import json
import os
import subprocess
import sys


def answer(request):
    """Allow what only reads, and deny the rest with a reason for the model."""
    response = {"type": "permission_response", "request_id": request["request_id"], "decision": "allow"}
    if request["required_mode"] != "read-only":
        response.update(decision="deny", reason="this client allows reading only")
    return response


def ask(prompt):
    server = subprocess.Popen(
        [os.environ.get("PARLEY", "parley"), "scaiflux", "serve", "--permission-mode", "read-only"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
    )  # stderr is for people; the protocol is on stdout alone

    def send(message):
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()

    with server:
        for line in server.stdout:
            event = json.loads(line)
            if event["type"] == "ready":
                send({"type": "prompt", "text": prompt})
            elif event["type"] == "text_delta":
                print(event["delta"], end="", flush=True)
            elif event["type"] == "tool_start":
                print(f"[{event['name']}]", file=sys.stderr)
            elif event["type"] == "permission_request":
                send(answer(event))
            elif event["type"] == "error":
                raise SystemExit(f"client.py: {event['message']}")
            elif event["type"] == "turn_complete":
                print()
                if event["stop_reason"] != "end_turn":
                    raise SystemExit(f"client.py: the turn ended as {event['stop_reason']}")
                return
    raise SystemExit("client.py: the server ended before the turn did")


if __name__ == "__main__":
    ask(" ".join(sys.argv[1:]) or "list the go files")
