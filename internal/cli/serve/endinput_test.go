package serve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEndOfInputWhileAsked: a client ends its input in a session that asks for an approval, or will: the session waits for a client, as it
// does for one that was killed, and the connection ends, also while another client could answer. What was asked can be answered later.
func TestEndOfInputWhileAsked(t *testing.T) {
	h := newTestHost(t, nil)
	answer := `{"jsonrpc":"2.0","id":"answer","method":"approval/answer","params":{"session":"$SESSION","approval":"a-1","allow":true}}`
	n := 0
	for _, kind := range clientKinds() {
		phases := []string{"another is there", "asked before", "asked after"}
		switch kind.name {
		case "viewer":
			continue
		case "loaf", "pisces": // what they cannot answer is denied while they are the only clients
			phases = phases[:1]
		}
		for _, phase := range phases {
			t.Run(kind.name+", "+phase, func(t *testing.T) {
				n++
				session, key := fmt.Sprintf("asked-%d", n), fmt.Sprintf("asked-key-%d", n)
				owner := h.owner(session, "prompt")
				if phase == "asked after" {
					owner.prompt(session, "arguments "+key)
					owner.await(`"kind":"tool_input_delta"`)
				} else {
					owner.prompt(session, "shell touch made")
					owner.await(`"kind":"approval_asked"`)
				}
				c := h.dial(kind, session)
				if refused := c.enter(session); refused != "" {
					t.Fatal(refused)
				}
				if phase != "another is there" {
					owner.kill()
					waitForHolders(h, session, 1)
				}
				c.leave()
				if phase == "asked after" {
					h.model.release(key)
				}
				rest := c.awaitEnd()
				leavesAtOnce := kind.dialect == "codex" || kind.dialect == "acp"
				if phase == "asked after" && !leavesAtOnce && !slices.ContainsFunc(rest, func(line string) bool { return strings.Contains(line, `"command":"true"`) }) {
					t.Errorf("the client was not sent the call that waits:\n%s", clipped(rest))
				}
				again := owner
				if phase != "another is there" {
					again = h.dial(nativeKind("again", "owner"), session)
					if refused := again.enter(session); refused != "" {
						t.Fatal(refused)
					}
					again.await(`"kind":"approval_asked"`)
				}
				again.send(again.fill(answer, session))
				again.await(`"kind":"approval_answered"`, `"allowed":true`, `"by":"client"`)
				again.await(`"kind":"turn_ended"`, `"reason":"completed"`)
				again.kill()
			})
		}
	}
}
