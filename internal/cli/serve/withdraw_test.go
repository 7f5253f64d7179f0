package serve

import (
	"runtime"
	"strings"
	"testing"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestLastLeaves: a client that is the last of a session, which ends with it, takes back what it has queued itself. A prompt that
// another client has queued before it left was acknowledged: it has its turn when the session is opened again.
func TestLastLeaves(t *testing.T) {
	for _, test := range []struct {
		kind  string
		own   string // queues a prompt
		leave string // ends the session, or changes to another one
		left  string // the mark of the answer
	}{
		{"agentair", `{"session_id":1,"content":"own","turn_id":{"role":"User","sequence":1}}`, `{"RemoveSession":{"session_id":1}}`, `remove-session`},
		{"loaf", `{"jsonrpc":"2.0","id":3,"method":"session.send","params":{"session_id":"$HANDLE","text":"own","enqueue":true}}`, `{"jsonrpc":"2.0","id":2,"method":"history.clear_session","params":{"session_id":"$HANDLE"}}`, `"id":2,"result"`},
		{"pisces", `{"id":"3","type":"follow_up","message":"own"}`, `{"id":"2","type":"new_session"}`, `"command":"new_session"`},
	} {
		t.Run(test.kind, func(t *testing.T) {
			h := newTestHost(t, nil)
			h.sharing.Left = engine.EndWhenLeft
			session := "last-" + test.kind
			owner := h.owner(session, "")
			owner.prompt(session, "hello")
			owner.await(owner.kind.ended...)
			owner.prompt(session, "write key")
			owner.await("Half ")
			owner.send(`{"jsonrpc":"2.0","id":"queued","method":"turn/follow_up","params":{"session":"` + session + `","id":"kept","blocks":[{"kind":"text","text":"kept"}]}}`)
			owner.await(`"id":"queued","result"`)
			var last *testClient
			for _, kind := range clientKinds() {
				if kind.name == test.kind {
					last = h.dial(kind, session)
				}
			}
			if refused := last.enter(session); refused != "" {
				t.Fatal(refused)
			}
			last.send(strings.ReplaceAll(test.own, "$HANDLE", last.handle))
			owner.kill()
			for h.app.Host.Holders(event.SessionID(session)) > 1 {
				runtime.Gosched() // until it has left
			}
			last.send(strings.ReplaceAll(test.leave, "$HANDLE", last.handle))
			last.await(test.left)

			again := h.dial(nativeKind("again", "owner"), session)
			if refused := again.enter(session); refused != "" {
				t.Fatal(refused)
			}
			again.await(`"kind":"user_message"`, `"text":"kept"`)
			if line := again.await(again.kind.ended...); !strings.Contains(line, `"reason":"completed"`) {
				t.Errorf("the turn of the other client's prompt ended as %s", line)
			}
			for _, line := range again.taken() {
				if hasAll(line, []string{`"kind":"user_message"`, `"text":"own"`}) {
					t.Errorf("what the last client has taken back runs: %s", line)
				}
			}
		})
	}
}
