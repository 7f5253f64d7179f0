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

// TestMessagesAfterOthersEnd: messages that wait while the turn of another client runs are answered when that turn completes, fails, or is
// interrupted, in the session of a protocol that leaves follow-ups in the queue then, too.
func TestMessagesAfterOthersEnd(t *testing.T) {
	kinds := map[string]*clientKind{}
	for _, kind := range clientKinds() {
		kinds[kind.name] = kind
	}
	queued := map[string]string{ // prompts that wait, by the protocol of their client
		"agentair": `{"session_id":1,"content":"$TEXT","turn_id":{"role":"User","sequence":$ID}}`,
		"acp v1":   `{"jsonrpc":"2.0","id":$ID,"method":"session/prompt","params":{"sessionId":"$SESSION","prompt":[{"type":"text","text":"$TEXT"}]}}`,
		"acp v2":   `{"jsonrpc":"2.0","id":$ID,"method":"session/prompt","params":{"sessionId":"$SESSION","prompt":[{"type":"text","text":"$TEXT"}]}}`,
		"loaf":     `{"jsonrpc":"2.0","id":$ID,"method":"session.send","params":{"session_id":"$HANDLE","text":"$TEXT","enqueue":true}}`,
	}
	answered := map[string][]string{ // the turn of loaf has both
		"agentair": {`"sequence":101},"stop_reason"`, `"sequence":102},"stop_reason"`}, "loaf": {`"session.completed"`},
		"acp v1": {`"id":101,"result":{"stopReason":"end_turn"`, `"id":102,"result":{"stopReason":"end_turn"`},
		"acp v2": {`"state":"idle","stopReason":"end_turn"`},
	}
	h := newTestHost(t, nil)
	for i, opener := range []string{"owner", "codex", "flint", "pisces"} {
		for waiter, line := range queued {
			for _, end := range []string{"completes", "fails", "is interrupted"} {
				t.Run(fmt.Sprintf("%s waits, the turn of %s %s", waiter, opener, end), func(t *testing.T) {
					session, key := fmt.Sprintf("after-%d-%s-%d", i, strings.ReplaceAll(waiter, " ", "-"), len(end)), fmt.Sprintf("key-%d-%s-%s", i, waiter, end)
					first := h.begun(kinds[opener], &session)
					c := h.dial(kinds[waiter], session)
					if refused := c.enter(session); refused != "" {
						t.Fatal(refused)
					}
					verb := "write "
					if end == "fails" {
						verb = "reject "
					}
					follower := h.dial(kinds["viewer"], session)
					if refused := follower.enter(session); refused != "" {
						t.Fatal(refused)
					}
					follower.await(`"kind":"turn_ended"`) // of the first prompt
					first.prompt(session, verb+key)
					follower.await(`"kind":"step_started"`)
					for id, text := range []string{"one", "two"} {
						c.send(strings.NewReplacer("$SESSION", session, "$HANDLE", c.handle, "$ID", fmt.Sprint(id+101), "$TEXT", text).Replace(line))
					}
					follower.await(`"kind":"queue_changed"`, `"text":"two"`)
					if end == "is interrupted" {
						h.interrupt(session)
					} else {
						h.model.release(key)
					}
					for _, mark := range answered[waiter] {
						c.await(mark)
					}
					for _, text := range []string{"one", "two"} {
						follower.await(`"kind":"user_message"`, `"text":"`+text+`"`)
					}
					follower.await(`"kind":"turn_ended"`, `"reason":"completed"`)
					for _, client := range []*testClient{c, first, follower} {
						client.kill()
					}
				})
			}
		}
	}
}

// begun returns a client of a kind after the first turn of a new session, whose id is stored in session.
func (h *testHost) begun(kind *clientKind, session *string) *testClient {
	h.t.Helper()
	var c *testClient
	switch kind.dialect {
	case "native":
		c = h.owner(*session, "")
	case "pisces":
		made := *kind
		made.args = []string{"--mode", "rpc"}
		c = h.dial(&made, "")
		c.send(`{"id":"1","type":"get_state"}`)
		*session = member(c.await(`"command":"get_state"`), `"sessionId":"`)
	default:
		c = h.dial(kind, "")
		c.send(`{"id":1,"method":"thread/start","params":{}}`)
		*session = member(c.await(`"id":1,"result"`), `"thread":{"id":"`)
	}
	c.prompt(*session, "hello")
	c.await(c.kind.ended...)
	return c
}

// interrupt interrupts the turn of a session, as another client.
func (h *testHost) interrupt(session string) {
	h.t.Helper()
	other := h.dial(nativeKind("other", "owner"), session)
	if refused := other.enter(session); refused != "" {
		h.t.Fatal(refused)
	}
	other.send(`{"jsonrpc":"2.0","id":"interrupt","method":"turn/interrupt","params":{"session":"` + session + `"}}`)
	other.await(`"id":"interrupt","result"`)
	other.kill()
}
