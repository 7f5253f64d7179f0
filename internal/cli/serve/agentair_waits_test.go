package serve

import (
	"fmt"
	"strings"
	"testing"
)

// TestMessagesWhileOthersRun: messages of agent-air while the turn of another client runs get a Complete each, with their own
// numbers, in the session of a protocol that steers a turn, or takes what waits into it, too.
func TestMessagesWhileOthersRun(t *testing.T) {
	h := newTestHost(t, nil)
	air := clientKinds()[5]
	for i, kind := range []*clientKind{nativeKind("native", "owner"), threadKind("codex", "app-server"), threadKind("flint")} {
		session, key := fmt.Sprintf("waits-%d", i), fmt.Sprintf("key-%d", i)
		var owner *testClient
		if kind.dialect == "native" {
			owner = h.owner(session, "")
		} else {
			owner = h.dial(kind, "")
			owner.send(`{"id":1,"method":"thread/start","params":{}}`)
			_, rest, _ := strings.Cut(owner.await(`"id":1,"result"`), `"thread":{"id":"`)
			session, _, _ = strings.Cut(rest, `"`)
		}
		owner.prompt(session, "hello")
		owner.await(owner.kind.ended...)
		owner.prompt(session, "write "+key)
		owner.await("Half ")
		c := h.dial(air, session)
		if refused := c.enter(session); refused != "" {
			t.Fatal(refused)
		}
		c.prompt(session, "one")
		c.prompt(session, "two")
		c.send(`{"session_id":1,"content":"three","turn_id":{"role":"User","sequence":102}}`)
		c.await("Stale or duplicate turn id") // the others were accepted
		h.model.release(key)
		c.await(`{"TextChunk":`, `"sequence":10`)
		c.await(`{"Complete":`, `"sequence":101}`)
		c.await(`{"Complete":`, `"sequence":102}`)
		for _, client := range []*testClient{c, owner} {
			client.kill()
		}
	}
}
