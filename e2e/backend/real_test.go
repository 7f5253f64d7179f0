package backend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/record"
)

// exampleAgent configures the example agent of the official SDK of the Agent Client Protocol, as npm has it.
func exampleAgent(t *testing.T) *bench {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	agent := filepath.Join(stage.NodePackages(t, "../acp/clients"), "node_modules/@agentclientprotocol/sdk/dist/examples/agent.js")
	b := newBench(t, "", nil)
	config, err := json.Marshal(map[string]any{"backend": "acp:example", "backends": map[string]any{"acp:example": map[string]any{"command": []string{node, agent}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Home, "config.jsonc"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestExampleAgent: a client of the native protocol approves what the example agent asks for.
func TestExampleAgent(t *testing.T) {
	t.Parallel()
	b := exampleAgent(t)
	s := b.create("prompt")
	got := strings.Join(s.turn("Improve the project.", func(e record.Event) {
		if asked, ok := e.(record.ApprovalAsked); ok {
			if err := s.Approve(b.ctx, asked.ID); err != nil {
				t.Error(err)
			}
		}
	}), "\n")
	for _, part := range []string{
		"opened: acp:example ", "answer: text I'll help you with that.", `intended: read {"path":"/project/README.md"}`, "ended: succeeded",
		"asked: write write", "answered: true by client", "Perfect! I've successfully updated the configuration.", "turn: completed",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
}

// TestFlintDrivesExampleAgent: a client of Flint does not see another difference than the name of the model.
func TestFlintDrivesExampleAgent(t *testing.T) {
	t.Parallel()
	b := exampleAgent(t)
	mark := stage.NewMark(b.Place)
	p := stage.Launch(t, b.Command(t, "flint", "--backend", "acp:example"))
	c := newRawClient(t, p)
	c.send(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`)
	c.until(`"id":1`)
	c.send(`{"method":"initialized"}`)
	c.send(fmt.Sprintf(`{"id":2,"method":"thread/start","params":{"cwd":%q,"approvalPolicy":"never","sandbox":"danger-full-access"}}`, b.Work))
	started := c.until(`"id":2`)
	_, rest, _ := strings.Cut(started, `"id":"`)
	thread, _, _ := strings.Cut(rest, `"`)
	c.send(fmt.Sprintf(`{"id":3,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":"Improve the project."}]}}`, thread))
	c.until(`I'll help you with that`)
	c.until(`Perfect! I've successfully updated the configuration.`)
	if end := c.until(`"turn/completed"`); !strings.Contains(end, `"completed"`) {
		t.Errorf("the turn ends as %s", end)
	}
	p.Stdin.Close()
	if code := p.Code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	mark.WantEnded(t, nil)
}
