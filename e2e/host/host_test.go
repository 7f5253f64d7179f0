package host

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// askingScript is a model that runs a command, for which the user is asked, and ends.
const askingScript = `call shell {"command":"echo hello > out.txt"}
next
text Done.
`

// created makes a session in which every call is asked about.
func created(c *client, p *stage.Place) string {
	c.t.Helper()
	c.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1", "settings": map[string]any{"mode": "prompt"}}, nil)
	return "s-1"
}

// TestTwoClients: both see every record, the first answer counts, the second client receives whose it was, and the session
// does not end with one of its clients.
func TestTwoClients(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	a, b := s.client("a"), s.client("b")
	session := created(a, p)
	b.must("session/open", map[string]any{"session": session}, nil)
	if joined := a.notified("client/joined"); joined.Params.Client.Name != "b" || joined.Params.Client.N != 2 {
		t.Errorf("joined: %+v", joined.Params.Client)
	}
	a.follow(session, 1)
	b.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	seenByA := a.until("approval_asked")
	seenByB := b.until("approval_asked")
	if numbers(seenByA) != numbers(seenByB) {
		t.Errorf("a saw %s, b %s", numbers(seenByA), numbers(seenByB))
	}
	b.must("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": true}, nil)
	late := a.call("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": false})
	if late.Error == nil || late.Error.Code != -32007 || late.Error.Message != "a-1 was answered by b: allowed" ||
		string(late.Error.Data) != `{"kind":"answered","by":2,"allowed":true}` {
		t.Errorf("a late answer: %+v", late.Error)
	}
	a.conn.Close()
	if left := b.notified("client/left"); left.Params.Client.Name != "a" {
		t.Errorf("left: %+v", left.Params.Client)
	}
	all := b.until("turn_ended")
	if !strings.Contains(string(all[len(all)-1].Data), `"reason":"completed"`) {
		t.Errorf("the turn: %s", all[len(all)-1].Data)
	}
}

// TestNoClient: a session that every client has left goes on, and waits for the next one to answer.
func TestNoClient(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	a := s.client("a")
	session := created(a, p)
	a.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	asked := a.until("approval_asked")
	a.conn.Close()

	b := s.client("b")
	var opened struct {
		Head  int `json:"head"`
		State struct {
			Status    string           `json:"status"`
			Approvals []map[string]any `json:"approvals"`
		} `json:"state"`
	}
	b.must("session/open", map[string]any{"session": session}, &opened)
	if opened.Head != len(asked) || opened.State.Status != "waiting" || len(opened.State.Approvals) != 1 {
		t.Errorf("%d records were seen; now it is %+v", len(asked), opened)
	}
	b.follow(session, opened.Head+1)
	b.must("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": true}, nil)
	rest := b.until("turn_ended")
	if rest[0].Seq != opened.Head+1 {
		t.Errorf("the rest begins with %d", rest[0].Seq)
	}
}

// TestCutConnections: a client whose connection is cut again and again, and that follows from its next number each time,
// has the same records as one that never was.
func TestCutConnections(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for n := range 30 {
		fmt.Fprintf(&script, "call shell {\"command\":\"echo %d\"}\nnext\n", n)
	}
	p := place(t, script.String()+"text Done.\n")
	s := serve(t, p)
	a := s.client("a")
	a.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1", "settings": map[string]any{"mode": "danger-full-access"}}, nil)
	a.follow("s-1", 1)
	a.prompt("s-1", "p-1", "Go.")
	random := rand.New(rand.NewPCG(1, 2))
	var pieces []record
	for cuts := 0; len(pieces) == 0 || pieces[len(pieces)-1].Kind != "turn_ended"; cuts++ {
		b := s.client(fmt.Sprint("b", cuts))
		b.follow("s-1", len(pieces)+1)
		for range random.IntN(12) {
			pieces = append(pieces, b.record("a record"))
			if pieces[len(pieces)-1].Kind == "turn_ended" {
				break
			}
		}
		b.conn.Close()
	}
	whole := a.until("turn_ended")
	if numbers(whole) != numbers(pieces) || len(whole) < 100 {
		t.Errorf("whole %s\npieces %s", numbers(whole), numbers(pieces))
	}
	for i, r := range whole {
		if r.Seq != i+1 || string(r.Data) != string(pieces[i].Data) {
			t.Fatalf("record %d is %+v, and %+v in pieces", i+1, r, pieces[i])
		}
	}
}

// TestWaitEnds: what waits for a client is denied after host.wait, and the turn goes on to its end.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	p.Write(t, "config.jsonc", `{ "host": { "wait": "1ms" } }`)
	p.Env = append(p.Env, "PARLEY_CONFIG="+filepath.Join(p.Work, "config.jsonc"))
	s := serve(t, p)
	watcher, a := s.client("watcher"), s.client("a")
	watcher.must("host/watch", map[string]any{}, nil)
	session := created(a, p)
	a.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	a.until("approval_asked")
	a.conn.Close()
	for n := (hostSession{}); n.Clients > 0 || n.Summary.Turns == 0 || n.Status != "idle"; {
		n = watcher.notified("host/session").Params.hostSession
	}
	watcher.follow(session, 1)
	answered := watcher.until("approval_answered")
	if last := string(answered[len(answered)-1].Data); !strings.Contains(last, `"by":"absence"`) {
		t.Errorf("answered: %s", last)
	}
}

// TestKilledHost: a host that is killed while a question waits is started again on the same socket. Both clients resume
// by number; nothing that they saw is gone, and the turn is closed as interrupted.
func TestKilledHost(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	a, b := s.client("a"), s.client("b")
	session := created(a, p)
	a.follow(session, 1)
	b.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	seen := a.until("approval_asked")
	b.until("approval_asked")
	s.process.Kill()
	if _, more := a.read(); more {
		t.Error("a killed host goes on")
	}

	s = serve(t, p) // the socket of the killed one is in the way
	for _, name := range []string{"a", "b"} {
		c := s.client(name)
		c.follow(session, len(seen)+1)
		rest := c.until("turn_ended")
		if rest[0].Seq != len(seen)+1 || !strings.Contains(string(rest[len(rest)-1].Data), `"reason":"interrupted"`) {
			t.Errorf("%s: after %d come %s; %s", name, len(seen), numbers(rest), rest[len(rest)-1].Data)
		}
	}
	c := s.client("c")
	var again struct {
		Turn string `json:"turn"`
	}
	c.must("turn/prompt", map[string]any{"session": session, "id": "p-1", "blocks": []map[string]any{{"kind": "text", "text": "Go."}}}, &again)
	if again.Turn == "" {
		t.Error("the prompt of the killed host is not known")
	}
	if _, err := os.Stat(p.Work + "/out.txt"); err == nil {
		t.Error("the command ran without an answer")
	}
}

// TestPreambles: what is no preamble is answered with why, and the connection ends; it harms no other.
func TestPreambles(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p, "--max-clients", "2")
	for line, want := range map[string]string{
		"hello":                            "no JSON object",
		`[]`:                               "no JSON object",
		`{"parley":2,"dialect":"native"}`:  "version 2",
		`{"parley":1,"dialect":"klingon"}`: `does not speak \"klingon\"`,
		`{"parley":1}`:                     "dialect",
		`{"parley":1,"dialect":"native","colour":"red"}`: "colour",
		strings.Repeat("x", 2<<20):                       "longer than",
	} {
		conn := s.dial()
		_, _ = conn.Write([]byte(line + "\n")) // the host may close before it has all
		c := &client{t: t, conn: conn}
		if got := c.rest(); !strings.Contains(got, `{"ok":false,"error":"`) || !strings.Contains(got, want) {
			t.Errorf("%.60q is answered with %q, want %q", line, got, want)
		}
	}
	s.client("a")
	s.client("b")
	third := &client{t: t, conn: s.dial()}
	_, _ = third.conn.Write([]byte(`{"parley":1,"dialect":"native"}` + "\n")) // the answer says if it was not read
	if got := third.rest(); !strings.Contains(got, "as many clients as it takes") {
		t.Errorf("one too many is answered with %q", got)
	}
}

// rest returns what comes until the end.
func (c *client) rest() string {
	var all strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := c.conn.Read(buffer)
		all.Write(buffer[:n])
		if err != nil {
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // of a connection, never wrapped
				c.t.Fatal("the connection does not end")
			}
			return all.String()
		}
	}
}

// TestOneHost: a second host of a state folder ends with an error, and what is no socket stays where it is.
func TestOneHost(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p)
	second := stage.Launch(t, p.Command(t, "serve"))
	if code := second.Code(); code != 1 || !strings.Contains(second.Stderr.String(), "another host") {
		t.Errorf("a second host: exit %d, %s", code, second.Stderr)
	}
	s.process.Signal(syscall.SIGTERM)
	if code := s.process.Code(); code != 0 {
		t.Errorf("stopped: exit %d, %s", code, s.process.Stderr)
	}
	if _, err := os.Stat(s.socket); err == nil {
		t.Error("the socket of a host that has ended is there")
	}
	p.Write(t, "precious", "text")
	third := stage.Launch(t, p.Command(t, "serve", "--socket", p.Work+"/precious"))
	if code := third.Code(); code != 1 || !strings.Contains(third.Stderr.String(), "is no socket") {
		t.Errorf("on a file: exit %d, %s", code, third.Stderr)
	}
	if text, err := os.ReadFile(p.Work + "/precious"); err != nil || string(text) != "text" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// TestStopped: SIGTERM lets a running turn end, and its clients are notified.
func TestStopped(t *testing.T) {
	t.Parallel()
	p := place(t, `call shell {"command":"until [ -e go ]; do sleep 0.05; done"}
next
text Done.
`)
	s := serve(t, p)
	a := s.client("a")
	a.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1", "settings": map[string]any{"mode": "danger-full-access"}}, nil)
	a.follow("s-1", 1)
	a.prompt("s-1", "p-1", "Go.")
	a.until("tool_started")
	s.process.Signal(syscall.SIGTERM)
	a.notified("host/closing")
	refused := a.call("turn/prompt", map[string]any{"session": "s-1", "id": "p-2", "blocks": []map[string]any{{"kind": "text", "text": "x"}}})
	if refused.Error == nil || refused.Error.Code != -32005 || string(refused.Error.Data) != `{"kind":"closing"}` {
		t.Errorf("a prompt meanwhile: %+v", refused.Error)
	}
	p.Write(t, "go", "")
	all := a.until("turn_ended")
	if !strings.Contains(string(all[len(all)-1].Data), `"reason":"completed"`) {
		t.Errorf("the turn: %s", all[len(all)-1].Data)
	}
	if code := s.process.Code(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestStatus: a host is shown while it runs, and stopped by a command that returns when it has ended.
func TestStatus(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	status := func() (string, int) {
		t.Helper()
		out, err := p.Command(t, "host", "status", "--json").Output()
		if ended, failed := err.(*exec.ExitError); failed { //nolint:errorlint // of Output, never wrapped
			return string(out), ended.ExitCode()
		}
		return string(out), 0
	}
	if got, code := status(); got != "{\"running\":false}\n" || code != 1 {
		t.Errorf("without a host: %q, exit %d", got, code)
	}
	s := serve(t, p)
	a := s.client("a")
	created(a, p)
	want := fmt.Sprintf(`{"running":true,"pid":%d,"host":"h-`, s.process.Cmd.Process.Pid)
	if got, code := status(); code != 0 || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `"sessions":1,"clients":1}`+"\n") {
		t.Errorf("with a host: %q, exit %d", got, code)
	}
	if out, err := p.Command(t, "host", "stop").CombinedOutput(); err != nil {
		t.Errorf("stop: %v, %s", err, out)
	}
	if code := s.process.Code(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if got, code := status(); got != "{\"running\":false}\n" || code != 1 {
		t.Errorf("after it has ended: %q, exit %d", got, code)
	}
}

// TestKilledCommand: the command of a user on a host that is killed has an end whose outcome is not known, and the repeat
// of its id runs nothing.
func TestKilledCommand(t *testing.T) {
	t.Parallel()
	p := place(t, "text Done.\n")
	s := serve(t, p)
	a := s.client("a")
	a.must("session/create", map[string]any{"workspace": p.Work, "id": "s-1"}, nil)
	a.must("session/follow", map[string]any{"session": "s-1", "from": 1, "transient": []string{"command_output"}}, nil)
	command := map[string]any{"session": "s-1", "id": "c-1", "command": "echo x >> runs; echo running; exec sleep 1000"}
	a.must("command/run", command, nil)
	a.until("command_output")
	s.process.Kill()

	s = serve(t, p)
	b := s.client("b")
	var result struct {
		Command string `json:"command"`
	}
	b.must("command/run", command, &result)
	b.follow("s-1", 1)
	all := b.until("command_ran")
	if end := string(all[len(all)-1].Data); result.Command != "c-1" || !strings.Contains(end, `"id":"c-1"`) || !strings.Contains(end, `"unknown":true`) {
		t.Errorf("%s: %s", result.Command, end)
	}
	b.must("command/run", map[string]any{"session": "s-1", "id": "c-2", "command": "cat runs"}, nil)
	ran := b.until("command_ran")
	if end := string(ran[len(ran)-1].Data); !strings.Contains(end, `"output":"x\n"`) {
		t.Errorf("it has run more than once: %s", end)
	}
}

// TestStopUnreaped: "host stop" returns when the host has ended, also if the parent of its process does not wait for it.
func TestStopUnreaped(t *testing.T) {
	t.Parallel()
	p := place(t, "text Done.\n")
	cmd := p.Command(t, "serve", "--json")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	stop := p.Command(t, "host", "stop")
	if out, err := stop.CombinedOutput(); err != nil { // it would never return
		t.Errorf("stop: %v, %s", err, out)
	}
}
