#!/usr/bin/env python3
"""Run one prompt over Parley's native protocol: native.py PROMPT (docs/native.md)."""
import itertools, json, os, subprocess, sys

server = subprocess.Popen([os.environ.get("PARLEY", "parley"), "rpc"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")  # stderr is for the user
ids = itertools.count(1)


def send(method, **params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}) + "\n")
    server.stdin.flush()


def approved(request):
    print(f"\nAllow {request['summary']}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == "y"


prompt, session, ended = " ".join(sys.argv[1:]), f"example-{os.urandom(4).hex()}", {}
with server:
    send("initialize", protocol=1, client={"name": "example"})
    send("session/create", workspace=os.getcwd(), id=session, settings={"mode": "prompt"})
    send("session/follow", session=session, **{"from": 1}, transient=["text_delta"])
    send("turn/prompt", session=session, id="p-1", blocks=[{"kind": "text", "text": prompt}])
    for line in server.stdout:
        match json.loads(line):
            case {"error": {"message": message}}:  # a request was refused
                print(message, file=sys.stderr)
                server.stdin.close()
                break
            case {"method": "record", "params": {"record": {"kind": "text_delta", "data": data}}}:
                print(data["text"], end="", flush=True)
            case {"method": "record", "params": {"record": {"kind": "approval_asked", "data": data}}}:
                send("approval/answer", session=session, approval=data["id"], allow=approved(data["request"]))
            case {"method": "record", "params": {"record": {"kind": "turn_ended", "data": ended}}}:
                print()
                server.stdin.close()  # the end of input ends the server; read on until it has closed stdout
if ended.get("reason") != "completed" or server.returncode != 0:
    sys.exit(f"the turn ended: {ended}, the server: exit code {server.returncode}")
