package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// codexScript is a model of a thread of Codex that runs a command, for which the user is asked, and ends; then it has another turn.
const codexScript = `call exec_command {"cmd":"echo hello > out.txt"}
next
text Done.
next
text Again.
`

// codexThread starts a thread in which each command is asked about, and returns its id.
func codexThread(t *testing.T, r *relayed, dir string) string {
	t.Helper()
	r.send(flintHello)
	r.until(`"id":0`, `"result"`)
	params, err := json.Marshal(map[string]string{"cwd": dir, "approvalPolicy": "untrusted"})
	if err != nil {
		t.Fatal(err)
	}
	r.send(`{"id":1,"method":"thread/start","params":` + string(params) + `}`)
	return r.decode(`"thread/started"`).Params.Thread.ID
}

// A codexLine is what the tests read of a line.
type codexLine struct {
	ID     json.RawMessage
	Params struct{ Thread struct{ ID string } }
	Result struct{ Turn struct{ ID string } }
}

// decode reads up to a line that has all parts, and returns it.
func (r *relayed) decode(parts ...string) (line codexLine) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.until(parts...)), &line); err != nil {
		r.t.Fatal(err)
	}
	return line
}

// codexPrompt is a request for a turn.
func codexPrompt(thread string) string {
	return `{"id":2,"method":"turn/start","params":{"threadId":"` + thread + `","input":[{"type":"text","text":"Go."}]}}`
}

// TestCodexTurnsOfBothSides: a client of Codex is served by the host. A native client follows its turn and answers what it asks; a turn
// of the native client is shown to it; when it has left the native client goes on.
func TestCodexTurnsOfBothSides(t *testing.T) {
	t.Parallel()
	p := place(t, codexScript+"next\ntext Alone.\n")
	s := serve(t, p)
	a := s.client("a")
	c := relay(t, p, "codex", "app-server")
	thread := codexThread(t, c, p.Work)
	a.must("session/open", map[string]any{"session": thread}, nil)
	a.follow(thread, 1)
	c.send(codexPrompt(thread))
	c.until(`"id":2`, `"result"`)
	c.until(`"turn/started"`)
	asked := c.decode("item/commandExecution/requestApproval", "echo hello")
	a.until("approval_asked")
	a.must("approval/answer", map[string]any{"session": thread, "approval": "a-1", "allow": true}, nil)
	c.until("serverRequest/resolved", `"requestId":`+string(asked.ID))
	c.send(`{"id":` + string(asked.ID) + `,"result":{"decision":"decline"}}`) // too late
	c.until("item/completed", "commandExecution", `"status":"completed"`)
	c.until("turn/completed", `"status":"completed"`, "Done.")
	a.until("turn_ended")
	if text, err := os.ReadFile(filepath.Join(p.Work, "out.txt")); err != nil || string(text) != "hello\n" {
		t.Errorf("out.txt is %q, %v", text, err)
	}

	a.prompt(thread, "p-2", "And now?")
	c.until("item/completed", "userMessage", "And now?")
	c.until("item/completed", "agentMessage", "Again.")
	c.until("turn/completed", `"status":"completed"`)
	a.until("turn_ended")

	c.exits(0)
	a.prompt(thread, "p-3", "Still there?")
	all := a.until("turn_ended")
	if !strings.Contains(string(all[len(all)-1].Data), `"reason":"completed"`) {
		t.Errorf("the last turn: %s", all[len(all)-1].Data)
	}
}

// TestCodexLeavesTurn: what the turn of a client asks waits when it has left. The next client that resumes the thread is asked, and its
// answer counts; both find the thread among those that are loaded.
func TestCodexLeavesTurn(t *testing.T) {
	t.Parallel()
	p := place(t, codexScript)
	serve(t, p)
	first := relay(t, p, "codex", "app-server")
	thread := codexThread(t, first, p.Work)
	first.send(codexPrompt(thread))
	first.until("item/commandExecution/requestApproval")
	second := relay(t, p, "codex", "app-server")
	second.send(flintHello)
	second.until(`"id":0`, `"result"`)
	second.send(`{"id":1,"method":"thread/loaded/list","params":{}}`)
	second.until(`"id":1`, thread)
	first.exits(0)
	second.send(`{"id":2,"method":"thread/resume","params":{"threadId":"` + thread + `"}}`)
	second.until(`"id":2`, `"result"`, `"waitingOnApproval"`)
	asked := second.decode("item/commandExecution/requestApproval", "echo hello")
	second.send(`{"id":` + string(asked.ID) + `,"result":{"decision":"accept"}}`)
	second.until("serverRequest/resolved")
	second.until("turn/completed", `"status":"completed"`, "Done.")
	second.exits(0)
}

// TestCodexRights: over the network a client acts as the user only with the token of an owner that has no scope, and what is outside of its
// scope is not there. Turns need the role driver.
func TestCodexRights(t *testing.T) {
	t.Parallel()
	p := place(t, "text One.\nnext\ntext Two.\nnext\ntext Three.\n")
	other := filepath.Join(p.Home, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	p.Write(t, "note.txt", "a note")
	s := serve(t, p, "--listen", "127.0.0.1:0")
	local := relay(t, p, "codex", "app-server")
	outside := codexThread(t, local, other)
	owner := s.client("owner")
	for name, of := range map[string]struct {
		token string
		free  bool
		sees  bool
	}{
		"owner":           {s.token(), true, true},
		"driver":          {owner.token("driver", nil), false, true},
		"owner of a part": {owner.token("owner", map[string]any{"workspace": p.Work}), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := s.remoteCommand(p, "codex", "app-server")
			cmd.Env = append(cmd.Env, "PARLEY_TOKEN="+of.token)
			r := newRelayed(t, stage.Launch(t, cmd))
			thread := codexThread(t, r, p.Work)
			for _, call := range [][2]string{
				{"fs/readFile", `{"path":"` + filepath.Join(p.Work, "note.txt") + `"}`},
				{"command/exec", `{"command":["true"],"cwd":"` + p.Work + `"}`},
				{"fuzzyFileSearch", `{"query":"note","roots":["` + p.Work + `"]}`},
				{"config/value/write", `{"keyPath":"tools.x","value":1,"mergeStrategy":"replace"}`},
				{"account/logout", `{}`},
				{"thread/shellCommand", `{"threadId":"` + thread + `","command":"true"}`},
			} {
				method, params := call[0], call[1]
				r.send(`{"id":"` + method + `","method":"` + method + `","params":` + params + `}`)
				answer := r.until(`"id":"` + method + `"`)
				if refused := strings.Contains(answer, "needs a token with the role owner that is not limited"); refused == of.free || of.free && strings.Contains(answer, `"error"`) {
					t.Errorf("%s: %s", method, answer)
				}
			}
			if of.free {
				r.until("turn/completed") // of the command
			}
			r.send(codexPrompt(thread))
			r.until("turn/completed", `"status":"completed"`)
			for method, params := range map[string]string{
				"thread/read": `{"threadId":"` + outside + `"}`, "thread/resume": `{"threadId":"` + outside + `"}`,
			} {
				r.send(`{"id":"` + method + `","method":"` + method + `","params":` + params + `}`)
				if answer := r.until(`"id":"` + method + `"`); strings.Contains(answer, `"result"`) != of.sees {
					t.Errorf("%s: %s", method, answer)
				}
			}
			r.send(`{"id":"loaded","method":"thread/loaded/list","params":{}}`)
			if answer := r.until(`"id":"loaded"`); strings.Contains(answer, outside) != of.sees {
				t.Errorf("loaded are %s", answer)
			}
			r.exits(0)
		})
	}
	local.send(`{"id":"loaded","method":"thread/loaded/list","params":{}}`)
	local.until(`"id":"loaded"`, outside)
	local.exits(0)
}

// TestCodexHandsOver: without a host, a thread that is idle in one process has its next turn in another one, and then again in the first.
func TestCodexHandsOver(t *testing.T) {
	t.Parallel()
	p := place(t, "text One.\nnext\ntext Two.\n")
	first, second := embedded(t, p, "codex", "app-server"), embedded(t, p, "codex", "app-server")
	thread := codexThread(t, first, p.Work)
	turn := func(r *relayed) {
		t.Helper()
		r.send(codexPrompt(thread))
		id := r.decode(`"id":2,"result"`).Result.Turn.ID
		r.until("turn/completed", `"id":"`+id+`"`, `"status":"completed"`) // not that of the other's turn, which this one is shown, too
	}
	turn(first)
	second.send(flintHello)
	second.until(`"id":0`, `"result"`)
	second.send(`{"id":1,"method":"thread/resume","params":{"threadId":"` + thread + `"}}`)
	second.until(`"id":1,"result"`)
	turn(second)
	turn(first)
	first.send(`{"id":3,"method":"thread/turns/list","params":{"threadId":"` + thread + `"}}`)
	if list := first.until(`"id":3`); strings.Count(list, `"status":"completed"`) != 3 {
		t.Errorf("turns: %s", list)
	}
	first.exits(0)
	second.exits(0)
}
