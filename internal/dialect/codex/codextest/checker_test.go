package codextest

import "testing"

// TestChecker has a line for each fault that is found.
func TestChecker(t *testing.T) {
	const item = `{"type":"agentMessage","id":"i","text":"","phase":null,"memoryCitation":null,"moderation":null,"delivery":null,"questions":null}`
	const started = `{"method":"turn/started","params":{"threadId":"t","turn":{"id":"u","rootTurnId":"u","items":[],"status":"inProgress","error":null,"startedAt":1,"completedAt":null,"durationMs":null}}}`
	const begun = `{"method":"item/started","params":{"threadId":"t","turnId":"u","startedAtMs":1,"item":` + item + `}}`
	const ended = `{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","rootTurnId":"u","items":[],"status":"completed","error":null,"startedAt":1,"completedAt":2,"durationMs":1}}}`
	for name, test := range map[string]struct {
		sent, received []string
		problems       int
	}{
		"a turn":                  {nil, []string{started, begun, `{"method":"item/completed","params":{"threadId":"t","turnId":"u","completedAtMs":1,"item":` + item + `}}`, ended}, 0},
		"a result":                {[]string{`{"id":1,"method":"thread/loaded/list"}`}, []string{`{"id":1,"result":{"data":[],"nextCursor":null}}`}, 0},
		"a result without null":   {[]string{`{"id":1,"method":"thread/loaded/list"}`}, []string{`{"id":1,"result":{"data":[]}}`}, 1},
		"an error":                {[]string{`{"id":1,"method":"thread/loaded/list"}`}, []string{`{"id":1,"error":{"code":1,"message":""}}`}, 0},
		"a wrong result":          {[]string{`{"id":1,"method":"thread/loaded/list"}`}, []string{`{"id":1,"result":{"data":1,"nextCursor":null}}`}, 1},
		"an answer to nothing":    {nil, []string{`{"id":1,"result":{}}`}, 1},
		"an unknown notification": {nil, []string{`{"method":"x","params":{}}`}, 1},
		"an unknown request":      {nil, []string{`{"id":1,"method":"x","params":{}}`}, 1},
		"a wrong word":            {nil, []string{`{"method":"thread/status/changed","params":{"threadId":"t","status":{"type":"busy"}}}`}, 1},
		"an item that stays open": {nil, []string{started, begun, ended}, 1},
		"an item too late":        {nil, []string{begun}, 1},
		"an end without a start":  {nil, []string{ended}, 1},
		"no JSON":                 {nil, []string{"x"}, 1},
	} {
		c := NewChecker()
		for _, line := range test.sent {
			c.Sent([]byte(line))
		}
		for _, line := range test.received {
			c.Received([]byte(line))
		}
		if len(c.Problems) != test.problems {
			t.Errorf("%s: %d problems, want %d: %q", name, len(c.Problems), test.problems, c.Problems)
		}
	}
}
