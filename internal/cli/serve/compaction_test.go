package serve

import (
	"fmt"
	"testing"
)

// TestPromptWhileCompacting: a prompt that would be a steer if a turn ran, and comes while a session of the native protocol is compacted,
// begins a turn after that.
func TestPromptWhileCompacting(t *testing.T) {
	h := newTestHost(t, nil)
	var phase joinPhase
	for _, p := range joinPhases {
		if p.compact {
			phase = p
		}
	}
	for i, kind := range []*clientKind{nativeKind("native", "owner"), threadKind("codex", "app-server")} {
		session, key := fmt.Sprintf("compacting-%d", i), fmt.Sprintf("key-%d", i)
		owner := h.owner(session, "")
		c := h.dial(kind, session)
		if refused := c.enter(session); refused != "" {
			t.Fatal(refused)
		}
		phase.begin(owner, session, key)
		if kind.dialect == "native" {
			c.send(c.fill(`{"jsonrpc":"2.0","id":90,"method":"turn/prompt","params":{"session":"$SESSION","id":"p","if_busy":"steer","blocks":[{"kind":"text","text":"second"}]}}`, session))
		} else {
			c.send(c.fill(`{"id":90,"method":"turn/start","params":{"threadId":"$SESSION","input":[{"type":"text","text":"second"}]}}`, session))
		}
		c.await(`"id":90,"result"`)
		phase.end(h, owner, session, key)
		owner.await(`"kind":"user_message"`, `"text":"second"`)
		owner.await(`"kind":"turn_ended"`, `"reason":"completed"`)
		owner.kill()
		c.kill()
	}
}
