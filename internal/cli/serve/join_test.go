package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A joinPhase is what a session is doing while clients come and go.
type joinPhase struct {
	name    string
	mode    string   // of the session
	prompts []string // before the last one; their turns end
	prompt  string   // "": there is none
	compact bool     // instead of a prompt
	reached []string // marks of a line to the owner
	release bool     // the model is released, and the turn goes on to its end; else it is interrupted
}

// joinPhases are the phases of a session. KEY is a key of the model.
var joinPhases = []joinPhase{
	{name: "idle"},
	{name: "model thinks", prompt: "think KEY", reached: []string{`"kind":"step_started"`}, release: true},
	{name: "text streams", prompt: "write KEY", reached: []string{`"kind":"text_delta"`}, release: true},
	{name: "arguments stream", mode: "danger-full-access", prompt: "arguments KEY", reached: []string{`"kind":"tool_input_delta"`}, release: true},
	{name: "approval waits", mode: "prompt", prompt: "shell touch made", reached: []string{`"kind":"approval_asked"`}},
	{name: "question waits", prompt: "ask", reached: []string{`"kind":"question_asked"`}},
	{name: "command runs", mode: "danger-full-access", prompt: "shell echo begun; sleep 1000", reached: []string{`"kind":"tool_output"`}},
	{name: "compaction", prompts: []string{"hello", "late-summary KEY."}, compact: true, reached: []string{`"kind":"compaction_started"`}, release: true},
	{name: "retry wait", prompt: "fail", reached: []string{`"kind":"retry_started"`}},
}

// owner dials a native client with a new session that it follows.
func (h *testHost) owner(session, mode string) *testClient {
	h.t.Helper()
	owner := h.dial(clientKinds()[0], session)
	settings := ""
	if mode != "" {
		settings = `,"settings":{"mode":"` + mode + `"}`
	}
	owner.send(owner.fill(`{"jsonrpc":"2.0","id":"create","method":"session/create","params":{"workspace":"$DIR","id":"$SESSION"`+settings+`}}`, session))
	owner.send(owner.fill(`{"jsonrpc":"2.0","id":"save","method":"session/save","params":{"session":"$SESSION"}}`, session))
	if refused := owner.enter(session); refused != "" {
		h.t.Fatal(refused)
	}
	return owner
}

// begin brings the session of an owner into a phase.
func (p joinPhase) begin(owner *testClient, session, key string) {
	owner.t.Helper()
	for _, text := range p.prompts {
		owner.prompt(session, strings.ReplaceAll(text, "KEY", key))
		owner.await(`"kind":"turn_ended"`)
	}
	switch {
	case p.compact:
		owner.send(owner.fill(`{"jsonrpc":"2.0","id":"compact","method":"session/compact","params":{"session":"$SESSION"}}`, session))
	case p.prompt != "":
		owner.prompt(session, strings.ReplaceAll(p.prompt, "KEY", key))
	default:
		return
	}
	owner.await(p.reached...)
}

// end ends the phase.
func (p joinPhase) end(h *testHost, owner *testClient, session, key string) {
	h.t.Helper()
	switch {
	case p.release:
		h.model.release(key)
	case p.prompt != "":
		owner.send(owner.fill(`{"jsonrpc":"2.0","id":"interrupt","method":"turn/interrupt","params":{"session":"$SESSION"}}`, session))
	default:
		return
	}
	if p.compact {
		owner.await(`"kind":"compacted"`)
		return
	}
	owner.await(`"kind":"turn_ended"`)
}

// TestJoin: a client of each kind joins a session of a host in each phase, and leaves it, or its connection is cut, or it stays
// until the turn ends, of which it is sent the end. The host, the turn and the other clients go on.
func TestJoin(t *testing.T) {
	h := newTestHost(t, nil)
	for i, phase := range joinPhases {
		session, key := fmt.Sprintf("join-%d", i), fmt.Sprintf("key-%d", i)
		owner := h.owner(session, phase.mode)
		phase.begin(owner, session, key)
		var staying []*testClient
		for _, kind := range clientKinds() {
			for _, end := range []func(*testClient){(*testClient).leave, (*testClient).kill, nil} {
				c := h.dial(kind, session)
				c.name += " while " + phase.name
				if refused := c.enter(session); refused != "" {
					t.Fatalf("%s is refused: %s", c.name, refused)
				}
				if end != nil {
					end(c)
				} else {
					staying = append(staying, c)
				}
			}
		}
		phase.end(h, owner, session, key)
		for _, c := range staying {
			if phase.prompt != "" && c.kind.ended != nil {
				c.await(c.kind.ended...)
			}
		}
		owner.prompt(session, "hello again")
		owner.await(`"kind":"turn_ended"`, `"reason":"completed"`)
		for _, c := range append(staying, owner) {
			c.kill()
		}
	}
}

// TestUnreadableHistory: while the records of a session cannot be read no client joins it in the middle of a turn: each is
// refused. The turn, and the clients that are there, go on; and when the records can be read again all are let in.
func TestUnreadableHistory(t *testing.T) {
	h := newTestHost(t, nil)
	const session = "unread"
	owner := h.owner(session, "danger-full-access")
	owner.prompt(session, "shell echo begun; sleep 1000")
	owner.await(`"kind":"tool_output"`)
	journal := filepath.Join(h.app.Host.Location(session), "journal.jsonl")
	if err := errors.Join(os.Rename(journal, journal+".away"), os.Mkdir(journal, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range clientKinds() {
		if kind.dialect == "native" { // it is sent records as they are, and session/closed with the reason unreadable
			continue
		}
		c := h.dial(kind, session)
		if kind.name == "pisces" {
			c.awaitEnd() // its protocol has no message for it
		} else if c.enter(session) == "" {
			t.Errorf("%s is let in", kind.name)
		}
		c.kill()
	}
	if err := errors.Join(os.Remove(journal), os.Rename(journal+".away", journal)); err != nil {
		t.Fatal(err)
	}
	owner.send(`{"jsonrpc":"2.0","id":"interrupt","method":"turn/interrupt","params":{"session":"unread"}}`)
	owner.await(`"kind":"turn_ended"`)
	for _, kind := range clientKinds() {
		if refused := h.dial(kind, session).enter(session); refused != "" {
			t.Errorf("%s is refused: %s", kind.name, refused)
		}
	}
}

// TestLoadEnded: an editor loads a session again that another client has ended.
func TestLoadEnded(t *testing.T) {
	h := newTestHost(t, nil)
	for i, end := range []string{`"session/close","params":{"end":true,`, `"session/remove","params":{`} {
		session := fmt.Sprintf("ended-%d", i)
		for _, version := range []int{1, 2} {
			owner := h.owner(session, "")
			owner.prompt(session, "hello")
			owner.await(`"kind":"turn_ended"`)
			editor := h.dial(acpKind(version), session)
			if refused := editor.enter(session); refused != "" {
				t.Fatal(refused)
			}
			owner.send(`{"jsonrpc":"2.0","id":"end","method":` + end + `"session":"` + session + `"}}`)
			owner.await(`"id":"end","result"`)
			refused := editor.enter(session)
			if removed := i == 1; removed != strings.Contains(refused, "-32002") || !removed && refused != "" {
				t.Errorf("version %d, %s: %q", version, end, refused)
			}
			editor.kill()
			owner.kill()
		}
	}
}

// TestEndedMeanwhile: a session that clients of all kinds are in is archived, moved away from by a fork, exported, ended or removed
// by another client. The host and the others go on: who prompts it again goes on with it, or is refused if it is gone, and
// nothing is an internal error.
func TestEndedMeanwhile(t *testing.T) {
	for i, action := range []struct {
		name, request string
		refused       bool // prompts are refused after it
	}{
		{"export", `"session/export","params":{"format":"md",`, false},
		{"fork", `"session/fork","params":{"workspace":"..",`, false},
		{"end", `"session/close","params":{"end":true,`, false},
		{"archive", "", false}, // by a client of Codex
		{"remove", `"session/remove","params":{`, true},
	} {
		t.Run(action.name, func(t *testing.T) {
			h := newTestHost(t, nil)
			session := fmt.Sprintf("meanwhile-%d", i)
			owner, other := h.owner(session, ""), h.owner("other", "")
			owner.prompt(session, "hello")
			owner.await(`"kind":"turn_ended"`)
			var clients []*testClient
			for _, kind := range clientKinds() {
				if kind.dialect == "native" || kind.dialect == "acp" {
					continue // native clients open it themselves, as editors do
				}
				c := h.dial(kind, session)
				if refused := c.enter(session); refused != "" {
					t.Fatal(refused)
				}
				clients = append(clients, c)
			}
			if action.request != "" {
				owner.send(`{"jsonrpc":"2.0","id":"do","method":` + action.request + `"session":"` + session + `"}}`)
				owner.await(`"id":"do","result"`)
			} else {
				archiver := h.dial(threadKind("codex", "app-server"), session)
				archiver.send(archiver.fill(`{"id":9,"method":"thread/archive","params":{"threadId":"$SESSION"}}`, session))
				archiver.await(`"id":9,"result"`)
				owner.await(`"method":"session/closed"`, `"reason":"ended"`) // as by session/close
			}
			for _, c := range clients {
				line := "busy" // with the turn of the client before
				for strings.Contains(line, "busy") || strings.Contains(line, "already in progress") || strings.Contains(line, "turn_in_progress") {
					c.prompt(session, "hello again")
					line = c.awaitAny(func(line string) bool { return hasAll(line, c.kind.ended) || refuses(line) }, "answer to a prompt")
				}
				if hasAll(line, c.kind.ended) == action.refused || strings.Contains(line, "nternal error") {
					t.Errorf("%s: %s", c.name, line)
				}
			}
			other.prompt("other", "hello")
			other.await(`"kind":"turn_ended"`)
		})
	}
}

// refuses reports whether a line is a refusal, in any protocol.
func refuses(line string) bool {
	for _, mark := range []string{`"error":{`, `{"Error"`, `"success":false`, `"type":"error"`} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}
