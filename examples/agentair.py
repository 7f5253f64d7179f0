#!/usr/bin/env python3
"""Run one prompt over the messages of agent-air: agentair.py PROMPT (docs/agentair.md)."""
import json, os, subprocess, sys

server = subprocess.Popen([os.environ.get("PARLEY", "parley"), "agentair", "--single-permissions"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user


def send(message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


def approved(call):
    print(f"\nAllow {json.dumps(call)}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == "y"


failed, stop_reason = False, None
with server:
    send({"session_id": 1, "content": " ".join(sys.argv[1:]), "turn_id": {"role": "User", "sequence": 1}})
    for line in server.stdout:
        match json.loads(line):
            case {"TextChunk": {"text": text}}:
                print(text, end="", flush=True)
            case {"PermissionRequired": {"tool_use_id": call, "request": request}}:
                response = {"granted": approved(request)}
                send({"PermissionResponse": {"tool_use_id": call, "response": response}})
            case {"UserInteractionRequired": {"tool_use_id": call}}:  # this client shows no forms
                send({"CancelUserInteraction": {"tool_use_id": call}})
            case {"Error": {"message": message}}:
                failed = True
                print(message, file=sys.stderr)
                server.stdin.close()  # a refused message has no Complete
            case {"Complete": {"stop_reason": stop_reason}}:
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if failed or stop_reason != "EndTurn" or server.returncode != 0:
    sys.exit(f"the turn ended: {stop_reason}, the server: exit code {server.returncode}")
