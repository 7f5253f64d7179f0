package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// TestAirToolServer: the tool of a server is asked about by its name, and both ways to say
// "this tool" for the session are understood.
func TestAirToolServer(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, remember := range []string{
		`"scope":"Session"`,
		`"grant":{"target":{"type":"tool","tool_name":"mcp__tickets__get"},"level":"Execute"}`,
		`"grant":{"target_type":"Command","target":"tool:mcp__tickets__get","level":"Execute"}`,
	} {
		get := func(id string, n int) modeltest.Reply {
			return modeltest.Stream(modeltest.Call(id, "mcp__tickets__get", fmt.Sprintf(`{"n":%d}`, n)))
		}
		b := newBackend(t, modeltest.OpenAIChat, get("c1", 7), get("c2", 8), modeltest.Stream(modeltest.Text("Done.")))
		p := b.place(t)
		stage.Holding(t, p.Work)
		config := filepath.Join(p.Home, "config.json")
		text := fmt.Sprintf(`{"mcp_servers":{"tickets":{"command":%q,"env":{%q:%q}}}}`, self, ticketsHold, filepath.Join(p.Work, "hold"))
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Env = append(p.Env, "PARLEY_CONFIG="+config)
		a := p.air(t)
		a.Say(1, "tickets")
		asked := a.Until("PermissionRequired")
		if line := asked[len(asked)-1].Raw; !strings.Contains(line, `"target_type":"Command","target":"tool:mcp__tickets__get","level":"Execute"`) {
			t.Errorf("asked as %s", line)
		}
		a.SendText(fmt.Sprintf(`{"PermissionResponse":{"tool_use_id":"c1","response":{"granted":true,%s}}}`+"\n", remember))
		var results []string
		for _, line := range a.Until("Complete") {
			switch line.Variant {
			case "PermissionRequired", "Error":
				t.Errorf("%s: %s", remember, line.Raw)
			case "ToolCompleted":
				results = append(results, line.Result)
			}
		}
		if got := strings.Join(results, ", "); !strings.Contains(got, "7 is open") || !strings.Contains(got, "8 is open") {
			t.Errorf("%s: %s", remember, got)
		}
		a.Leave()
	}
}
