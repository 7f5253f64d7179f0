#!/usr/bin/env python3
"""Print a line for each record of a session of a host: follow.py SOCKET SESSION [FROM] (docs/native.md).

FROM is the number of the first record. When the connection is lost, it is made again, and the lines go on after the last one."""
import json, socket, sys, time


def messages(path, session, start):
    """Yields what the host sends to a connection that follows the session from a number on."""
    with socket.socket(socket.AF_UNIX) as conn:
        conn.connect(path)
        lines = conn.makefile("rw", encoding="utf-8", newline="\n")
        for message in (
            {"parley": 1, "dialect": "native"},
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1, "client": {"name": "follow.py"}}},
            {"jsonrpc": "2.0", "id": 2, "method": "session/follow", "params": {"session": session, "from": start}},
        ):
            lines.write(json.dumps(message) + "\n")
        lines.flush()
        yield from map(json.loads, lines)


def summary(kind, data):
    match kind:
        case "user_message" | "assistant_message":
            return " ".join(b["text"] for b in data["blocks"] if b["kind"] == "text")
        case "tool_intended":
            return f"{data['name']} {json.dumps(data['input'])}"
        case "tool_ended":
            return data["outcome"]
        case "approval_asked":
            return data["request"].get("summary", "")
        case "turn_ended":
            return data["reason"]
    return ""


path, session, *rest = sys.argv[1:]
number = int(rest[0]) if rest else 1
while True:
    try:
        for message in messages(path, session, number):
            match message:
                case {"method": "record", "params": {"record": {"seq": seq, "time": at, "kind": kind, "data": data}}}:
                    print(seq, at[:19], kind, " ".join(summary(kind, data).split())[:100], flush=True)
                    number = seq + 1
                case {"method": "session/closed", "params": {"reason": "ended" | "removed"}}:
                    sys.exit()
                case {"ok": False, "error": error} | {"error": {"message": error}}:
                    sys.exit(f"the host refuses: {error}")
    except OSError as error:
        print(f"no connection: {error}", file=sys.stderr, flush=True)
    time.sleep(0.2)
