package serve

import (
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestLastLeaves: a client that is the last of a session, which ends with it, takes back what it has queued itself. A prompt that
// another client has queued before it left was acknowledged: it has its turn when the session is opened again.
func TestLastLeaves(t *testing.T) {
	h := newTestHost(t, nil)
	h.sharing.Left = engine.EndWhenLeft
	const session = "last"
	owner := h.owner(session, "")
	owner.prompt(session, "hello")
	owner.await(owner.kind.ended...)
	owner.prompt(session, "write key")
	owner.await("Half ")
	owner.send(`{"jsonrpc":"2.0","id":"queued","method":"turn/follow_up","params":{"session":"last","id":"kept","blocks":[{"kind":"text","text":"kept"}]}}`)
	owner.await(`"id":"queued","result"`)
	var last *testClient
	for _, kind := range clientKinds() {
		if kind.name == "agentair" {
			last = h.dial(kind, session)
		}
	}
	if refused := last.enter(session); refused != "" {
		t.Fatal(refused)
	}
	last.send(`{"session_id":1,"content":"own","turn_id":{"role":"User","sequence":1}}`)
	owner.kill()
	waitForHolders(h, session, 1)
	last.send(`{"RemoveSession":{"session_id":1}}`)
	last.await(`remove-session`)

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
}

// TestInterruptLeavesOthers: in a session that takes steers into the running turn only, a client that interrupts the turn takes back its own
// steers. The one of another client was acknowledged: it begins the next turn.
func TestInterruptLeavesOthers(t *testing.T) {
	h := newTestHost(t, nil)
	kinds := map[string]*clientKind{}
	for _, kind := range clientKinds() {
		kinds[kind.name] = kind
	}
	steers := map[string]string{
		"owner":  `{"jsonrpc":"2.0","id":90,"method":"turn/steer","params":{"session":"$SESSION","id":"$TEXT","blocks":[{"kind":"text","text":"$TEXT"}]}}`,
		"codex":  `{"id":90,"method":"turn/start","params":{"threadId":"$SESSION","input":[{"type":"text","text":"$TEXT"}]}}`,
		"loaf":   `{"jsonrpc":"2.0","id":90,"method":"session.steer","params":{"session_id":"$HANDLE","text":"$TEXT"}}`,
		"pisces": `{"id":"90","type":"steer","message":"$TEXT"}`,
	}
	interrupts := map[string]string{
		"owner":    `{"jsonrpc":"2.0","id":91,"method":"turn/interrupt","params":{"session":"$SESSION"}}`,
		"codex":    `{"id":91,"method":"turn/interrupt","params":{"threadId":"$SESSION","turnId":"$TURN"}}`,
		"loaf":     `{"jsonrpc":"2.0","id":91,"method":"session.interrupt","params":{"session_id":"$HANDLE"}}`,
		"pisces":   `{"id":"91","type":"abort"}`,
		"agentair": `{"Interrupt":{"session_id":1}}`,
		"scaiflux": `{"type":"interrupt"}`,
	}
	for i, test := range []struct{ steers, interrupts string }{
		{"owner", "codex"},
		{"pisces", "codex"},
		{"loaf", "codex"},
		{"codex", "owner"},
		{"codex", "loaf"},
		{"codex", "pisces"},
		{"owner", "scaiflux"},
		{"loaf", "agentair"},
	} {
		t.Run(test.steers+" steers, "+test.interrupts+" interrupts", func(t *testing.T) {
			key := fmt.Sprintf("key-%d", i)
			opener := h.dial(kinds["codex"], "")
			opener.send(`{"id":1,"method":"thread/start","params":{}}`)
			session := member(opener.await(`"id":1,"result"`), `"thread":{"id":"`)
			opener.prompt(session, "hello")
			opener.await(opener.kind.ended...)
			clients := map[string]*testClient{"codex": opener}
			for _, name := range []string{test.steers, test.interrupts} {
				if clients[name] == nil {
					clients[name] = h.dial(kinds[name], session)
					if refused := clients[name].enter(session); refused != "" {
						t.Fatal(refused)
					}
				}
			}
			opener.prompt(session, "write "+key)
			turn := member(opener.await(`"turn/started"`), `"turn":{"id":"`)
			opener.await("Half ")
			send := func(c *testClient, line, text string) {
				c.send(strings.NewReplacer("$SESSION", session, "$HANDLE", c.handle, "$TURN", turn, "$TEXT", text).Replace(line))
			}
			send(clients[test.steers], steers[test.steers], "kept")
			accepted := func(line string) bool {
				return strings.Contains(line, `"id":90,"result"`) || hasAll(line, []string{`"id":"90"`, `"success":true`})
			}
			clients[test.steers].awaitAny(accepted, "answer to a steer")
			if own := steers[test.interrupts]; own != "" {
				send(clients[test.interrupts], own, "own")
				clients[test.interrupts].awaitAny(accepted, "answer to a steer")
			}
			send(clients[test.interrupts], interrupts[test.interrupts], "")
			opener.await(`"turn/completed"`, `"status":"interrupted"`)
			opener.await(`"turn/started"`)
			opener.await(`"userMessage"`, `"text":"kept"`)
			if line := opener.await(`"turn/completed"`); !strings.Contains(line, `"status":"completed"`) || strings.Contains(line, `"text":"own"`) {
				t.Errorf("the turn of the steer ended as %s", line)
			}
			for _, c := range clients {
				c.kill()
			}
		})
	}
}

// waitForHolders waits until a session has n clients.
func waitForHolders(h *testHost, session string, n int) {
	h.t.Helper()
	for range h.app.Host.Watch(h.t.Context()) { // clients that leave are changes
		if h.app.Host.Holders(event.SessionID(session)) == n {
			return
		}
	}
}

// member returns a string of a line that begins after a mark.
func member(line, mark string) string {
	_, rest, _ := strings.Cut(line, mark)
	text, _, _ := strings.Cut(rest, `"`)
	return text
}
