package host

import (
	"bufio"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
)

// A relayed client is one of another dialect, whose process relays it to the host.
type relayed struct {
	t       *testing.T
	process *stage.Process
	lines   *bufio.Reader
}

// relay starts a command that joins the running host.
func relay(t *testing.T, p *stage.Place, args ...string) *relayed {
	t.Helper()
	return embedded(t, p, append(args, "--host")...)
}

// embedded starts a command that serves its client itself.
func embedded(t *testing.T, p *stage.Place, args ...string) *relayed {
	t.Helper()
	return newRelayed(t, stage.Launch(t, p.Command(t, args...)))
}

func newRelayed(t *testing.T, process *stage.Process) *relayed {
	t.Helper()
	if err := process.Stdout.SetReadDeadline(time.Now().Add(stage.Patience)); err != nil {
		t.Fatal(err)
	}
	return &relayed{t, process, bufio.NewReader(process.Stdout)}
}

func (r *relayed) send(line string) {
	r.t.Helper()
	if _, err := r.process.Stdin.Write([]byte(line + "\n")); err != nil {
		r.t.Fatal(err)
	}
}

// until reads lines up to one that has all parts, and returns it.
func (r *relayed) until(parts ...string) string {
	r.t.Helper()
	var seen []string
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			r.t.Fatalf("no line with %q: %v\nlines: %s\nstderr: %s", parts, err, strings.Join(seen, ""), r.process.Stderr)
		}
		seen = append(seen, line)
		has := true
		for _, part := range parts {
			has = has && strings.Contains(line, part)
		}
		if has {
			return line
		}
	}
}

// exits ends the input of a client, and checks the exit code of its process.
func (r *relayed) exits(code int) {
	r.t.Helper()
	r.process.Stdin.Close()
	if got := r.process.Code(); got != code {
		r.t.Errorf("exit code %d, want %d; stderr: %s", got, code, r.process.Stderr)
	}
}

const flintHello = `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`

// turns are a turn of a client of each dialect.
var turns = []struct {
	name  string
	args  []string
	lines []string // to the end of a turn; after "<" what is waited for
}{
	{"flint", []string{"flint"}, []string{
		flintHello, `<"result"`, `{"id":1,"method":"thread/start","params":{}}`, `<"thread/started"`, "thread", `<turn/completed`,
	}},
	{"codex", []string{"codex", "app-server"}, []string{
		flintHello, `<"result"`, `{"id":1,"method":"thread/start","params":{}}`, `<"thread/started"`, "thread", `<turn/completed`,
	}},
	{"scaiflux", []string{"scaiflux", "serve"}, []string{`<"ready"`, `{"type":"prompt","text":"Go."}`, `<"turn_complete"`}},
	{"agentair", []string{"agentair"}, []string{
		`<Session 1 created`, `{"type":"ControllerInput","session_id":1,"content":"Go.","turn_id":{"role":"User","sequence":1}}`, "",
	}},
	{"loaf", []string{"loaf", "rpc"}, []string{
		`{"jsonrpc":"2.0","id":0,"method":"rpc.handshake","params":{"client_name":"test","client_version":"1","protocol_version":"1.0.0"}}`, `<"result"`,
		`{"jsonrpc":"2.0","id":1,"method":"session.create","params":{}}`, `<"session_id"`,
	}},
	{"acp", []string{"acp"}, []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`, `<"result"`,
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`, `<"sessionId"`,
	}},
	{"pisces", []string{"pisces", "--mode", "rpc"}, []string{`<"ready"`, `{"id":"1","type":"prompt","message":"Go."}`, `<"agent_end"`}},
}

// speak sends the lines of a turn, and waits for what is to be waited for.
func (r *relayed) speak(lines []string) {
	r.t.Helper()
	thread := ""
	for _, line := range lines {
		switch want, isWant := strings.CutPrefix(line, "<"); {
		case isWant:
			got := r.until(want)
			if want == `"thread/started"` {
				var m struct {
					Params struct{ Thread struct{ ID string } }
				}
				if err := json.Unmarshal([]byte(got), &m); err != nil {
					r.t.Fatal(err)
				}
				thread = m.Params.Thread.ID
			}
		case line == "thread":
			r.send(`{"id":2,"method":"turn/start","params":{"threadId":"` + thread + `","input":[{"type":"text","text":"Go."}]}}`)
		case line != "":
			r.send(line)
		}
	}
}

// TestRelayedTurn: a client of each dialect has a turn over the host, and its process ends as one of its own would.
func TestRelayedTurn(t *testing.T) {
	t.Parallel()
	for _, d := range turns {
		t.Run(d.name, func(t *testing.T) {
			p := place(t, "text Hello there.\n")
			serve(t, p)
			r := relay(t, p, d.args...)
			r.speak(d.lines)
			r.exits(0)
		})
	}
}

// TestDialectsShareSession: a native client's turn waits for an approval. A ScaiFlux and a Flint client join it, are asked at
// once, each in its own words; the Flint client's answer counts, and the ScaiFlux client's late one is refused.
func TestDialectsShareSession(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	a := s.client("a")
	session := created(a, p)
	a.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	a.until("approval_asked")

	sf := relay(t, p, "scaiflux", "serve", "--resume", session)
	sf.until(`"ready"`, session)
	sf.until(`"permission_request"`, `"tool":"bash"`, `"request_id":"r-1"`)
	air := relay(t, p, "agentair", "--resume", session)
	air.until("PermissionRequired", `"bash"`)
	fl := relay(t, p, "flint")
	fl.send(flintHello)
	fl.until(`"result"`)
	fl.send(`{"id":1,"method":"thread/resume","params":{"threadId":"` + session + `"}}`)
	fl.until(`"id":1`, `"result"`)
	asked := fl.until("item/commandExecution/requestApproval")
	var request struct {
		ID json.Number `json:"id"`
	}
	if err := json.Unmarshal([]byte(asked), &request); err != nil {
		t.Fatal(err)
	}
	fl.send(`{"id":` + request.ID.String() + `,"result":{"decision":"accept"}}`)
	fl.until("turn/completed", `"completed"`)
	sf.until(`"tool_result"`)
	sf.until(`"turn_complete"`, `"end_turn"`)
	sf.send(`{"type":"permission_response","request_id":"r-1","decision":"deny"}`)
	sf.until("unknown_request")
	air.until("Complete")

	all := a.until("turn_ended")
	answered := ""
	for _, r := range all {
		if r.Kind == "approval_answered" {
			answered = string(r.Data)
		}
	}
	if !strings.Contains(answered, `"name":"test"`) {
		t.Errorf("answered: %s", answered)
	}
	for _, r := range []*relayed{sf, fl, air} {
		r.exits(0)
	}
}

// TestRelayedClientGone: a relay that is killed takes its client along and nothing else; a signal to a relay ends its
// connection; a host that is killed ends its relays with exit code 1.
func TestRelayedClientGone(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	a := s.client("a")
	session := created(a, p)
	a.follow(session, 1)
	join := func() *relayed {
		r := relay(t, p, "scaiflux", "serve", "--resume", session)
		r.until(`"ready"`)
		return r
	}
	killed, stopped, left := join(), join(), join()
	killed.send(`{"type":"prompt","text":"Go."}`)
	a.until("approval_asked")
	killed.process.Kill()
	a.notified("client/left")
	stopped.process.Signal(syscall.SIGTERM)
	if code := stopped.process.Code(); code != 0 {
		t.Errorf("a stopped relay ends with %d", code)
	}
	a.notified("client/left")
	a.must("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": true}, nil)
	left.until(`"turn_complete"`, `"end_turn"`)
	s.process.Kill()
	if code := left.process.Code(); code != 1 || !strings.Contains(left.process.Stderr.String(), "the host has ended") {
		t.Errorf("after its host was killed a relay ends with %d: %s", code, left.process.Stderr)
	}
}

// TestRelayRefused: what a host cannot do is an error of usage, and an address without a host is one of its own; auto
// does without a host.
func TestRelayRefused(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	serve(t, p)
	elsewhere := filepath.Join(p.Work, "no.sock")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"pisces", "--mode", "rpc", "--no-session", "--host"}, 2, "--no-session needs a process"},
		{[]string{"flint", "--state-dir", p.Work, "--host"}, 2, "the state folder of the host is"},
		{[]string{"flint", "--host=here"}, 2, "is none of auto, unix:PATH, ws://HOST:PORT, wss://HOST:PORT and off"},
		{[]string{"flint", "--no-such-flag", "--host"}, 2, "unknown flag"},
		{[]string{"codex", "app-server", "--listen", "ws://127.0.0.1:0", "--host"}, 2, "--listen needs a process"},
		{[]string{"codex", "app-server", "-c", "approval_policy=sometimes", "--host"}, 2, "approval_policy"},
		{[]string{"codex", "exec", "--host"}, 2, "unknown flag"},
		{[]string{"flint", "--host", "unix:" + elsewhere}, 1, "no host answers"},
		{[]string{"flint", "--host", "off"}, 0, ""},
	} {
		cmd := p.Command(t, c.args...)
		out, err := cmd.CombinedOutput()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		}
		if code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, out)
		}
	}
}
