package backend

import (
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/record"
)

// TestOptions: an option of the agent is set through each protocol that has options, and reaches the agent before the next prompt.
func TestOptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		command []string
		steps   [][2]string // $work is the workspace, and $id the id in the answer with the id 2
	}{
		"native": {[]string{"rpc"}, [][2]string{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"client":{"name":"raw"}}}`, `"id":1`},
			{`{"jsonrpc":"2.0","id":2,"method":"session/create","params":{"id":"s-1","workspace":"$work"}}`, `"id":2`},
			{`{"jsonrpc":"2.0","id":3,"method":"session/follow","params":{"session":"s-1","from":1}}`, `"id":3`},
			{`{"jsonrpc":"2.0","id":4,"method":"turn/prompt","params":{"session":"s-1","id":"p-1","blocks":[{"kind":"text","text":"Go."}]}}`, `"reason":"completed"`},
			{`{"jsonrpc":"2.0","id":5,"method":"session/change","params":{"session":"s-1","settings":{"options":{"backend.style":["terse"]}}}}`, `"id":5`},
			{`{"jsonrpc":"2.0","id":6,"method":"turn/prompt","params":{"session":"s-1","id":"p-2","blocks":[{"kind":"text","text":"Again."}]}}`, `"reason":"completed"`},
		}},
		"flint": {[]string{"flint"}, [][2]string{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"raw","version":"1"}}}`, `"id":1`},
			{`{"jsonrpc":"2.0","id":2,"method":"thread/start","params":{"cwd":"$work"}}`, `"id":2`},
			{`{"jsonrpc":"2.0","id":3,"method":"turn/start","params":{"threadId":"$id","input":[{"type":"text","text":"Go."}]}}`, `"turn/completed"`},
			{`{"jsonrpc":"2.0","id":4,"method":"config/set","params":{"id":"backend.style","value":"terse"}}`, `"id":4`},
			{`{"jsonrpc":"2.0","id":5,"method":"turn/start","params":{"threadId":"$id","input":[{"type":"text","text":"Again."}]}}`, `"turn/completed"`},
		}},
		"acp": {[]string{"acp"}, [][2]string{
			{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`, `"id":1`},
			{`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"$work","mcpServers":[]}}`, `"id":2`},
			{`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"$id","prompt":[{"type":"text","text":"Go."}]}}`, `"id":3`},
			{`{"jsonrpc":"2.0","id":4,"method":"session/set_config_option","params":{"sessionId":"$id","configId":"backend.style","value":"terse"}}`, `"id":4`},
			{`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"$id","prompt":[{"type":"text","text":"Again."}]}}`, `"id":5`},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "say One.\n\nsay Two.", nil)
			c := newRawClient(t, stage.Launch(t, b.Command(t, test.command...)))
			id := ""
			for _, step := range test.steps {
				c.send(strings.NewReplacer("$work", b.Work, "$id", id).Replace(step[0]))
				line := c.until(step[1])
				if strings.Contains(line, `"error":{`) {
					t.Fatalf("%s: %s", step[0], line)
				}
				if step[1] == `"id":2` {
					if found := regexp.MustCompile(`"(?:id|sessionId)":"([^"]+)"`).FindStringSubmatch(line); found != nil {
						id = found[1]
					}
				}
			}
			got := b.received()
			set, prompt := strings.Index(got, `"session/set_config_option"`), strings.LastIndex(got, "Again.")
			if set < 0 || set > prompt || !strings.Contains(got[set:], `"value":"terse"`) {
				t.Errorf("the agent got\n%s", got)
			}
		})
	}
}

// TestNoSuchModel: a model that the agent does not have fails the turn as refused, and the one before can be used again.
func TestNoSuchModel(t *testing.T) {
	t.Parallel()
	b := newBench(t, "say One.\n\nsay Two.", nil)
	s := b.create("prompt")
	want(t, s.turn("Go.", nil), opened, "answer: text One.", "turn: completed, 100 in, 20 out")
	change := func(model string) {
		t.Helper()
		if err := s.Change(b.ctx, map[string]any{"model": model}, 0); err != nil {
			t.Fatal(err)
		}
	}
	change("acp:scripted/none")
	message := ""
	got := s.turn("Go.", func(e record.Event) {
		if end, ok := e.(record.TurnEnded); ok && end.Failure != nil {
			message = end.Failure.Message
		}
	})
	want(t, got, "turn: failed, 0 in, 0 out, backend refused")
	if !strings.Contains(message, "none") {
		t.Errorf("the failure is %q", message)
	}
	change("acp:scripted/deep")
	want(t, s.turn("Go.", nil), "answer: text Two.", "turn: completed, 100 in, 20 out")
}
