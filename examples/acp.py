#!/usr/bin/env python3
"""Run one prompt over the Agent Client Protocol: acp.py PROMPT (docs/acp.md)."""
import json, os, subprocess, sys

server = subprocess.Popen([os.environ.get("PARLEY", "parley"), "acp"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user


def send(**message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def approved(call):
    print(f"\nAllow {call['title']}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == "y"


prompt, end = " ".join(sys.argv[1:]), {}
with server:
    send(id=1, method="initialize", params={"protocolVersion": 1, "clientInfo": {"name": "example", "version": "1"}})
    for line in server.stdout:
        match json.loads(line):
            case {"id": 1, "result": _}:
                send(id=2, method="session/new", params={"cwd": os.getcwd(), "mcpServers": []})
            case {"id": 2, "result": {"sessionId": session}}:
                send(id=3, method="session/prompt", params={"sessionId": session, "prompt": [{"type": "text", "text": prompt}]})
            case {"method": "session/update", "params": {"update": {"sessionUpdate": "agent_message_chunk", "content": {"text": text}}}}:
                print(text, end="", flush=True)
            case {"id": request, "method": "session/request_permission", "params": {"toolCall": call}}:
                option = "allow-once" if approved(call) else "reject-once"
                send(id=request, result={"outcome": {"outcome": "selected", "optionId": option}})
            case {"id": 1 | 2 | 3, "result": end} | {"error": end}:  # the answer to the prompt, or a request was refused
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if end.get("stopReason") != "end_turn" or server.returncode != 0:
    sys.exit(f"the turn ended: {end}, the server: exit code {server.returncode}")
