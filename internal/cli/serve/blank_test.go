package serve

import (
	"testing"

	"parley.dev/parley/internal/event"
)

// TestBlankPrompts: a prompt with nothing for a model is refused in the form of each protocol, and no turn begins; but that of Pisces,
// whose document takes empty messages.
func TestBlankPrompts(t *testing.T) {
	answers := map[string][]string{
		"owner":    {`"error":{"code":-32602`, `"member":"blocks"`},
		"viewer":   {`"error":{"code":-32004`},
		"flint":    {`"error":{"code":-32602`, "input must"},
		"codex":    {`"error":{"code":-32600`, "input must not be empty"},
		"loaf":     {`"error":{"code":-32602`, `"field":"text"`},
		"agentair": {`{"Error":`, "Empty message"},
		"acp v1":   {`"error":{"code":-32602`, `"field":"prompt"`},
		"acp v2":   {`"error":{"code":-32602`, `"field":"prompt"`},
		"scaiflux": {`"code":"invalid_message"`, "prompt.text: must not be blank"},
		"pisces":   {`"type":"agent_end"`},
	}
	h := newTestHost(t, nil)
	for i, kind := range clientKinds() {
		session := "blank-" + string(rune('a'+i))
		h.owner(session, "")
		c := h.dial(kind, session)
		if refused := c.enter(session); refused != "" {
			t.Fatal(refused)
		}
		for _, text := range []string{"", " \t\n "} {
			c.prompt(session, text)
			c.await(answers[kind.name]...)
		}
		s, err := h.app.Host.Session(event.SessionID(session))
		if err != nil {
			t.Fatal(err)
		}
		if turns := s.State().Turns; (turns > 0) != (kind.name == "pisces") {
			t.Errorf("%s: %d turns", kind.name, turns)
		}
	}
}
