#!/usr/bin/env python3
"""Run one prompt over loaf's RPC mode: loaf.py PROMPT (docs/loaf.md).

The protocol has no approvals: the sandbox decides what a command may do."""
import json, os, subprocess, sys

server = subprocess.Popen([os.environ.get("PARLEY", "parley"), "loaf", "rpc", "--sandbox", "workspace-write"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user


def send(number, method, **params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()


completed = False
with server:
    send(1, "session.create")
    for line in server.stdout:
        match json.loads(line):
            case {"id": 1, "result": {"session_id": session}}:
                send(2, "session.send", session_id=session, text=" ".join(sys.argv[1:]))
            case {"method": "session.stream.chunk", "params": {"chunk": {"answerText": text}}}:
                print(text, end="", flush=True)
            case {"method": "session.completed"}:
                completed = True
            case {"error": {"message": message}}:  # a request was refused
                print(message, file=sys.stderr)
                server.stdin.close()
            case {"method": "session.error", "params": {"message": message}}:
                print(message, file=sys.stderr)
            case {"method": "session.status", "params": {"pending": False}}:  # the turn has ended
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if not completed or server.returncode != 0:
    sys.exit(f"the turn {'completed' if completed else 'failed'}, the server: exit code {server.returncode}")
