#!/usr/bin/env python3
"""Makes a state folder with a program parley of version 0.1.0: make_state.py PARLEY OUTPUT.tar.gz

The state folder of state-0.1.0.tar.gz is from the last revision that had the five first dialects and nothing
else (6405e162, 2026-11-24), built with

    git worktree add /tmp/parley-0.1.0 6405e162 && cd /tmp/parley-0.1.0 && go build -o /tmp/parley-0.1.0/parley ./cmd/parley

It has a session of each dialect, one that was compacted, and one whose program was killed in mid-turn; a grant,
a stored key, a sign-in, a setting of loaf, and the index of the sessions. The workspace is /var/tmp, which is
everywhere, because journals have hashes and cannot be rewritten. Models play scripts, and the issuer of the
sign-in is a server of this script.
"""
import base64, http.server, json, os, re, subprocess, sys, tarfile, tempfile, threading

parley, output = sys.argv[1:]
WORKSPACE = "/var/tmp"
ISSUER_PORT = 14551
scratch = tempfile.mkdtemp()
state = os.path.join(scratch, "state")
env = {"PATH": os.environ["PATH"], "HOME": scratch, "PARLEY_HOME": state, "PARLEY_MODEL": "offline/script"}


class Issuer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        encode = lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        claims = json.dumps({"https://api.openai.com/auth": {"chatgpt_account_id": "acct_1"}})
        answer = {
            "/api/accounts/deviceauth/usercode": {"device_auth_id": "d-1", "user_code": "ABCD-1234", "interval": "1", "expires_in": 900},
            "/api/accounts/deviceauth/token": {"authorization_code": "c-1", "code_verifier": "v-1"},
            "/oauth/token": {"id_token": encode('{"alg":"none"}') + "." + encode(claims) + ".x", "access_token": "access-1",
                             "refresh_token": "refresh-1", "expires_in": 4_000_000_000},
        }[self.path]
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Server:
    """A program that speaks a dialect; its model plays a script."""

    def __init__(self, script, *args):
        path = os.path.join(scratch, "script")
        with open(path, "w") as f:
            f.write(script)
        self.process = subprocess.Popen([parley, *args], cwd=WORKSPACE, env=env | {"PARLEY_OFFLINE_SCRIPT": path}, encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def until(self, pattern):
        for line in self.process.stdout:
            if re.search(pattern, line):
                return json.loads(line)
        sys.exit(f"{self.process.args}: no line has {pattern}")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        if self.process.wait() != 0:
            sys.exit(f"{self.process.args}: exit code {self.process.returncode}")


def scaiflux():
    s = Server('text I look.\ncall bash {"command":"echo scaiflux-tool"}\nnext\ntext The first answer of ScaiFlux.\n', "scaiflux", "serve")
    s.send(type="prompt", text="A prompt of ScaiFlux")
    request = s.until('"permission_request"')
    s.send(type="permission_response", request_id=request["request_id"], decision="allow")
    s.until('"turn_complete"')
    s.end()


def compacted():
    s = Server("text One.\nusage in=1200 out=10\nnext\ntext Two.\nusage in=1230 out=10\nnext\ntext The summary of 0.1.0.\nnext\ntext Three.\n", "scaiflux", "serve")
    for text in "A prompt that is compacted", "another":
        s.send(type="prompt", text=text)
        s.until('"turn_complete"')
    s.send(type="slash", command="compact")
    s.until('"slash_result".*compacted')
    s.send(type="prompt", text="a third one")
    s.until('"turn_complete"')
    s.end()


def killed():
    s = Server('text I work.\ncall bash {"command":"echo before-kill"}\nnext\ntext Half an ans\nhang\n', "scaiflux", "serve")
    s.send(type="prompt", text="A prompt that is killed")
    request = s.until('"permission_request"')
    s.send(type="permission_response", request_id=request["request_id"], decision="allow")
    s.until("Half an ans")
    s.process.kill()
    s.process.wait()


def flint():
    s = Server('think A thought.\ntext The first answer of Flint.\n', "flint")
    s.send(id=1, method="initialize", params={"clientInfo": {"name": "fixture", "version": "1"}})
    s.until('"id":1')
    s.send(method="initialized")
    s.send(id=2, method="thread/start", params={"cwd": WORKSPACE})
    thread = s.until('"id":2,')["result"]["thread"]["id"]
    s.send(id=3, method="turn/start", params={"threadId": thread, "input": [{"type": "text", "text": "A prompt of Flint"}]})
    s.until("turn/completed")
    s.end()


def loaf():
    s = Server("text The first answer of loaf.\n", "loaf", "rpc")
    ask = lambda n, method, **params: s.send(jsonrpc="2.0", id=n, method=method, params=params)
    ask(1, "auth.set.openrouter_key", api_key="sk-or-of-0.1.0")
    s.until('"id":1')
    ask(2, "auth.connect.openai", mode="device_code")
    s.until("auth.flow.completed")
    ask(5, "session.create")
    session = s.until('"id":5')["result"]["session_id"]
    ask(6, "session.send", session_id=session, text="A prompt of loaf")
    s.until('"pending":false')
    ask(7, "model.select", model_id="anthropic/claude-sonnet-4.5", provider="openrouter", thinking_level="HIGH")
    s.until('"id":7')
    s.end()


def agentair():
    s = Server("text The first answer of agent-air.\n", "agentair")
    s.send(session_id=1, content="A prompt of agent-air", turn_id={"role": "User", "sequence": 1})
    s.until('"Complete"')
    s.end()


def pisces():
    s = Server("text The first answer of Pisces.\n", "pisces", "--mode", "rpc")
    s.until('"ready"')
    s.send(type="prompt", id="1", message="A prompt of Pisces")
    s.until("prompt_result")
    s.end()


issuer = http.server.HTTPServer(("127.0.0.1", ISSUER_PORT), Issuer)
threading.Thread(target=issuer.serve_forever, daemon=True).start()
config = os.path.join(scratch, ".config/parley/config.jsonc")
os.makedirs(os.path.dirname(config), mode=0o700)
with open(config, "w") as f:
    f.write("""{
  // A configuration of 0.1.0.
  "model": "offline/script",
  "permission_mode": "workspace-write",
  "secrets_in_file": true,
  "signin": { "issuer": "http://127.0.0.1:%d", "client_id": "parley-fixture" },
  "budget": { "max_tool_calls": 40 },
  "hooks": { "PreToolUse": [{ "matcher": "never", "hooks": [{ "type": "command", "command": "true" }] }] }
}
""" % ISSUER_PORT)
os.chmod(config, 0o600)

for dialect in scaiflux, compacted, flint, loaf, agentair, pisces, killed:
    dialect()
subprocess.run([parley, "grants", "allow", "--command", "git log *"], cwd=WORKSPACE, env=env, check=True)
subprocess.run([parley, "sessions", "list"], cwd=WORKSPACE, env=env, check=True)  # writes the index


def normal(entry):
    if entry.name.endswith((".lock", "-wal", "-shm")):
        return None
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


with tarfile.open(output, "w:gz", format=tarfile.USTAR_FORMAT) as tar:
    tar.add(state, "state", filter=normal)
    tar.add(config, "config.jsonc", filter=normal)
print(output, os.path.getsize(output), "bytes")
