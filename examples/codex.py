#!/usr/bin/env python3
"""Run one prompt over the app-server protocol of Codex: codex.py PROMPT (docs/codex.md)."""
import json, os, subprocess, sys

server = subprocess.Popen([os.environ.get("PARLEY", "parley"), "codex", "app-server"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user


def send(**message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


def approved(call):
    print(f"\nAllow {json.dumps(call)}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == "y"


prompt, turn = " ".join(sys.argv[1:]), {"status": None}
with server:
    send(id=1, method="initialize", params={"clientInfo": {"name": "example", "version": "1"}})
    for line in server.stdout:
        match json.loads(line):
            case {"id": 1, "result": _}:
                send(method="initialized")
                send(id=2, method="thread/start", params={"cwd": os.getcwd(), "approvalPolicy": "untrusted"})
            case {"id": 2, "result": {"thread": {"id": thread}}}:
                send(id=3, method="turn/start", params={"threadId": thread, "input": [{"type": "text", "text": prompt}]})
            case {"method": "item/agentMessage/delta", "params": {"delta": text}}:
                print(text, end="", flush=True)
            case {"id": request, "method": _, "params": call}:  # requestApproval, of a command or a change of files
                send(id=request, result={"decision": "accept" if approved(call) else "decline"})
            case {"id": _, "error": {"message": message}}:  # a request was refused
                print(message, file=sys.stderr)
                server.stdin.close()
            case {"method": "turn/completed", "params": {"turn": turn}}:
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if turn["status"] != "completed" or server.returncode != 0:
    sys.exit(f"the turn ended: {turn['status']}, {turn.get('error')}, the server: exit code {server.returncode}")
