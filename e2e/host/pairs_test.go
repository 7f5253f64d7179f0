package host

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/dialect/dialogue"
	"parley.dev/parley/internal/model/modeltest"
)

// A pairing is how a dialect takes part in TestPairs.
type pairing struct {
	strict []string       // arguments for its strictest policy
	asks   bool           // that policy asks about a command; else it refuses it
	open   string         // in place of the dialect's own line
	resume []string       // arguments to open the session $SESSION; nil: join does
	join   string         // lines that open it
	joined dialogue.Marks // of the answer to the last of them
	main   string         // the id of the session after that; "": as it was
	deny   string         // denies $ASK; "": it cannot
}

// pairings are all dialects of the program.
var pairings = map[string]pairing{
	"scaiflux": {asks: true, resume: []string{"--resume", "$SESSION"}, joined: dialogue.Marks{`"type":"ready"`}, deny: `{"type":"permission_response","request_id":"$ASK","decision":"deny"}`},
	"flint": {
		strict: []string{"--approval-policy", "always", "--sandbox", "readOnly"}, asks: true,
		join: `{"id":"join","method":"thread/resume","params":{"threadId":"$SESSION"}}`, joined: dialogue.Marks{`"id":"join"`, `"result"`}, deny: `{"id":$ASK,"result":{"decision":"decline"}}`,
	},
	"codex": {
		strict: []string{"-c", `approval_policy="untrusted"`, "-c", `sandbox_mode="read-only"`}, asks: true,
		join: `{"id":"join","method":"thread/resume","params":{"threadId":"$SESSION"}}`, joined: dialogue.Marks{`"id":"join"`, `"result"`}, deny: `{"id":$ASK,"result":{"decision":"decline"}}`,
	},
	"loaf": {
		strict: []string{"--sandbox", "read-only"},
		join:   `{"jsonrpc":"2.0","id":"join","method":"command.execute","params":{"session_id":"$OWN","raw_command":"/history $SESSION"}}`, joined: dialogue.Marks{`"id":"join"`, `"result"`}, main: "$OWN",
	},
	"agentair": {
		strict: []string{"--policy", "deny-all"}, resume: []string{"--resume", "$SESSION"}, joined: dialogue.Marks{`{"System":{"message":"Session 1`}, main: "1",
		deny: `{"PermissionResponse":{"tool_use_id":"$ASK","response":{"granted":false}}}`,
	},
	"pisces": {strict: []string{"--sandbox", "read-only"}, resume: []string{"--session", "$SESSION"}, join: `{"id":"join","type":"get_state"}`, joined: dialogue.Marks{`"id":"join"`, `"success":true`}},
	"acp": {
		strict: []string{"--mode", "ask"}, asks: true,
		join: `{"jsonrpc":"2.0","id":"join","method":"session/load","params":{"sessionId":"$SESSION","cwd":"$DIR","mcpServers":[]}}`, joined: dialogue.Marks{`"id":"join"`, `"result"`},
		deny: `{"jsonrpc":"2.0","id":$ASK,"result":{"outcome":{"outcome":"selected","optionId":"reject-once"}}}`,
	},
	"native": {
		asks: true,
		open: `{"jsonrpc":"2.0","id":$N,"method":"session/create","params":{"workspace":"$DIR","id":"$NAME","settings":{"mode":"prompt"}}}` + "\n" +
			`{"jsonrpc":"2.0","id":"follow","method":"session/follow","params":{"session":"$NAME","from":1}}`,
		join:   `{"jsonrpc":"2.0","id":"join","method":"session/open","params":{"session":"$SESSION"}}` + "\n" + `{"jsonrpc":"2.0","id":"followed","method":"session/follow","params":{"session":"$SESSION","from":$FROM}}`,
		joined: dialogue.Marks{`"id":"followed"`, `"result"`}, deny: `{"jsonrpc":"2.0","id":"deny","method":"approval/answer","params":{"session":"$SESSION","approval":"$ASK","allow":false}}`,
	},
}

// A speaker is a small client of one dialect on a host.
type speaker struct {
	dialogue.Client
	pairing
	t     testing.TB
	conn  net.Conn
	lines *bufio.Reader
	own   string // the session that loaf makes for itself
}

// speak connects a client of a dialect to the host. The ids of prompts differ from those of another host.
func (s *server) speak(t testing.TB, name, dir, session string, args ...string) *speaker {
	t.Helper()
	d, _ := dialogue.Named(name)
	k := &speaker{Client: dialogue.Client{Dialect: d, Dir: dir, Session: session, Last: s.ready.PID}, pairing: pairings[name], t: t, conn: s.dial()}
	k.lines = bufio.NewReaderSize(k.conn, 1<<16)
	dialect, command := d.Args[0], append(d.Args[1:len(d.Args):len(d.Args)], args...)
	if name == "native" {
		dialect, command = "native", nil
	}
	preamble, err := json.Marshal(map[string]any{"parley": 1, "dialect": dialect, "args": command, "cwd": dir})
	if err != nil {
		t.Fatal(err)
	}
	if command == nil {
		preamble = []byte(`{"parley":1,"dialect":"native"}`)
	}
	k.send(string(preamble))
	k.until(dialogue.Marks{`{"ok":true}`})
	for _, line := range k.Hello {
		k.send(line)
	}
	return k
}

func (k *speaker) send(line string) {
	k.t.Helper()
	if _, err := k.conn.Write([]byte(line + "\n")); err != nil {
		k.t.Fatalf("%s: %v", k.Name, err)
	}
}

// until returns the next line with the marks. What is asked meanwhile is denied; asked is how often.
func (k *speaker) until(marks dialogue.Marks) (line []byte, asked int) {
	k.t.Helper()
	for {
		line, err := k.lines.ReadBytes('\n')
		if err != nil {
			k.t.Fatalf("%s waits for %q: %v", k.Name, marks, err)
		}
		if k.Asks != nil && k.Asks.In(line) {
			asked++
			id, _ := k.Asking.Of(line)
			k.send(strings.ReplaceAll(k.Fill(k.deny, ""), "$ASK", string(id)))
		}
		if marks.In(line) {
			return line, asked
		}
		if bytes.Contains(line, []byte(`"error":{"code":`)) {
			k.t.Fatalf("%s waits for %q, and is sent %s", k.Name, marks, line)
		}
	}
}

// turn has a turn with a prompt, and returns how often the client was asked.
func (k *speaker) turn(text string) (asked int) {
	k.t.Helper()
	k.send(k.Fill(k.Prompt, text))
	_, asked = k.until(k.Ended)
	return asked
}

// create connects a client that makes a session with its strictest policy, and has a turn in it. It returns the id of the session.
func (s *server) create(t testing.TB, p *stage.Place, name, id string) (*speaker, string) {
	t.Helper()
	known := sessionsOf(t, p)
	k := s.speak(t, name, p.Work, pairings[name].main, pairings[name].strict...)
	switch k.open = strings.ReplaceAll(k.open, "$NAME", id); {
	case k.open != "":
		k.send(k.Fill(k.open, ""))
		k.until(dialogue.Marks{`"id":"follow"`, `"result"`})
		k.Session = id
	case k.Open != "":
		k.send(k.Fill(k.Open, ""))
		line, _ := k.until(dialogue.Marks{string(k.Opened)})
		k.Enter(line)
	}
	k.turn("Hello.")
	for session := range sessionsOf(t, p) {
		if !known[session] {
			return k, session
		}
	}
	t.Fatalf("%s has made no session", name)
	return nil, ""
}

// join connects a client that opens a session.
func (s *server) join(t testing.TB, p *stage.Place, name, session string) *speaker {
	t.Helper()
	var args []string
	for _, arg := range pairings[name].resume {
		args = append(args, strings.ReplaceAll(arg, "$SESSION", session))
	}
	k := s.speak(t, name, p.Work, session, args...)
	if name == "loaf" {
		k.send(k.Fill(k.Open, ""))
		line, _ := k.until(dialogue.Marks{string(k.Opened)})
		k.Enter(line)
		k.own, k.Session = k.Session, session
	}
	if k.pairing.join != "" {
		next := fmt.Sprint(bytes.Count(journalOf(t, p, session), []byte("\n")) + 1)
		k.send(strings.NewReplacer("$OWN", k.own, "$FROM", next).Replace(k.Fill(k.pairing.join, "")))
	}
	k.until(k.joined)
	switch k.main {
	case "":
	case "$OWN":
		k.Session = k.own
	default:
		k.Session = k.main
	}
	return k
}

// sessionsOf returns the sessions that are stored.
func sessionsOf(t testing.TB, p *stage.Place) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.State(), "sessions"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(p.State(), "sessions", e.Name(), "journal.jsonl")); err == nil {
			all[e.Name()] = true
		}
	}
	return all
}

// TestPairs: a client of each protocol that opens a session of each other protocol changes nothing in it, and works under its
// permissions: a command that they do not allow is asked of a client that can answer, or denied with the reason, and never runs; in the host
// that made the session and in another one, which opens it anew.
func TestPairs(t *testing.T) {
	t.Parallel()
	p := stage.NewPlace(t)
	outside := filepath.Join(t.TempDir(), "written")
	var calls atomic.Int64
	var results atomic.Value // the last result of a call
	backend := stage.NewBackend(t, modeltest.OpenAIChat, func(body []byte) http.Handler {
		r := modeltest.Request{}
		_ = json.Unmarshal(body, &r.Body)
		all := stage.Conversation(r)
		last := all[len(all)-1]
		reply := modeltest.Stream(modeltest.Text("Done."))
		switch {
		case last.Role == "tool":
			results.Store(last.Text)
		case strings.Contains(last.Text, "Write."):
			tool, argument := commandTool(r)
			reply = modeltest.Stream(modeltest.Call(fmt.Sprintf("call-%d", calls.Add(1)), tool, fmt.Sprintf(`{%q:"echo x > %s"}`, argument, outside)))
		}
		return modeltest.NewServer(t, reply)
	})
	p.Model, p.Env = backend.Settings()
	check := func(t *testing.T, k *speaker, opener string) {
		t.Helper()
		results.Store("")
		asked := k.turn("Write.")
		want := map[bool]int{true: 1}[pairings[opener].asks && k.deny != ""]
		if asked != want {
			t.Errorf("%s was asked %d times, want %d", k.Name, asked, want)
		}
		result, _ := results.Load().(string)
		if pairings[opener].asks && k.deny == "" && !strings.Contains(result, "no connected client can give one") {
			t.Errorf("the model reads %q", result)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Errorf("the command ran: %s", result)
			os.Remove(outside)
		}
	}
	sessions := map[[2]string]string{}
	first := serve(t, p)
	for _, opener := range dialogue.All {
		for _, joiner := range dialogue.All {
			if opener.Name == joiner.Name {
				continue
			}
			t.Run(opener.Name+"/"+joiner.Name, func(t *testing.T) {
				k, session := first.create(t, p, opener.Name, "pair-"+opener.Name+"-"+joiner.Name)
				k.conn.Close()
				sessions[[2]string{opener.Name, joiner.Name}] = session
				before := journalOf(t, p, session)
				j := first.join(t, p, joiner.Name, session)
				if after := journalOf(t, p, session); !bytes.Equal(before, after) {
					t.Errorf("joining has written %s", after[len(before):])
				}
				check(t, j, opener.Name)
				j.conn.Close()
			})
		}
	}
	first.process.Signal(syscall.SIGTERM)
	first.process.Code()
	second := serve(t, p)
	for pair, session := range sessions {
		t.Run(pair[0]+"/"+pair[1]+" again", func(t *testing.T) {
			before := journalOf(t, p, session)
			j := second.join(t, p, pair[1], session)
			if after := journalOf(t, p, session); !bytes.Equal(before, after) {
				t.Errorf("opening has written %s", after[len(before):])
			}
			check(t, j, pair[0])
			j.conn.Close()
		})
	}
}

// TestPolicyChangeIsSent: what a native client changes of the permissions of a session reaches the clients of every protocol that has
// a message for it.
func TestPolicyChangeIsSent(t *testing.T) {
	t.Parallel()
	p := place(t, "text Hello.\n")
	s := serve(t, p)
	editor, session := s.create(t, p, "acp", "")
	codex, scaiflux, native := s.join(t, p, "codex", session), s.join(t, p, "scaiflux", session), s.join(t, p, "native", session)
	native.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"change","method":"session/change","params":{"session":%q,"settings":{"mode":"danger-full-access"}}}`, session))
	native.until(dialogue.Marks{`"id":"change"`, `"result"`})
	editor.until(dialogue.Marks{`"sessionUpdate":"current_mode_update"`, `"currentModeId":"full-access"`})
	codex.until(dialogue.Marks{`"method":"thread/settings/updated"`, `"approvalPolicy":"never"`, `"type":"dangerFullAccess"`})
	scaiflux.until(dialogue.Marks{`"type":"state_changed"`, `"mode":"danger-full-access"`})
}

// commandTool returns the tool of a request that runs commands, and the name of its argument.
func commandTool(r modeltest.Request) (tool, argument string) {
	tools, _ := r.Body["tools"].([]any)
	for _, one := range tools {
		function, _ := one.(map[string]any)["function"].(map[string]any)
		switch function["name"] {
		case "bash", "shell":
			return function["name"].(string), "command"
		case "exec_command":
			return "exec_command", "cmd"
		}
	}
	return "none", "command"
}

// journalOf returns the journal of a session as it is on the disk.
func journalOf(t testing.TB, p *stage.Place, session string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.State(), "sessions", session, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
