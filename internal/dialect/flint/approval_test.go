package flint

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/sandbox"
)

// The sandboxes of the matrix, in the order of its columns.
var matrixSandboxes = []string{
	`{"type":"dangerFullAccess"}`, `{"type":"externalSandbox","networkAccess":"enabled"}`, `{"type":"externalSandbox"}`,
	`{"type":"workspaceWrite","networkAccess":true}`, `{"type":"workspaceWrite"}`, `{"type":"readOnly"}`,
}

// The outcomes of the matrix.
const (
	runs    = "r" // without a question
	asks    = "a" // and is done when it is accepted, whatever the sandbox says
	refused = "x" // without a question, and is not tried
	fails   = "f" // is tried without a question, and the sandbox stops it
)

// matrix is section 4.2 of the Flint specification: for each operation and policy, what
// becomes of it in each of the sandboxes.
var matrix = []struct{ name, call, never, onRequest, unlessTrusted, always string }{
	{"read", `read {"path":"a.txt"}`, "rrrrrr", "rrrrrr", "rrrrrr", "rrrrrr"},
	{"read outside", `read {"path":"$OUT/a.txt"}`, "rrrrrr", "rrrrrr", "rrrrrr", "rrrrrr"},
	{"plan", `plan {"items":[{"text":"x","status":"pending"}]}`, "rrrrrr", "rrrrrr", "rrrrrr", "rrrrrr"},
	{"trusted command", `shell {"command":"cat a.txt | wc -l"}`, "rrrrrr", "rrrrrr", "rrrrrr", "aaaaaa"},
	{"command inside", `shell {"command":"touch in"}`, "rrrrrf", "rrrrra", "aaaaaa", "aaaaaa"},
	{"command outside", `shell {"command":"touch $OUT/made"}`, "rrrfff", "rrraaa", "aaaaaa", "aaaaaa"},
	{"command into .git", `shell {"command":"touch .git/made"}`, "rrrfff", "rrraaa", "aaaaaa", "aaaaaa"},
	{"edit inside", `edit {"path":"a.txt","old":"alpha","new":"beta"}`, "rrrrrx", "rrrrra", "aaaaaa", "aaaaaa"},
	{"add inside", `write {"path":"sub/new.txt","content":"x\n"}`, "rrrrrx", "rrrrra", "aaaaaa", "aaaaaa"},
	{"edit outside", `edit {"path":"$OUT/a.txt","old":"alpha","new":"beta"}`, "rrrxxx", "rrraaa", "aaaaaa", "aaaaaa"},
	{"add outside", `write {"path":"$OUT/new.txt","content":"x\n"}`, "rrrxxx", "rrraaa", "aaaaaa", "aaaaaa"},
	{"edit in .git", `write {"path":".git/config","content":"x\n"}`, "rrrxxx", "rrraaa", "aaaaaa", "aaaaaa"},
	{"fetch", `fetch {"url":"$URL"}`, "rrxrxx", "rraraa", "aaaaaa", "aaaaaa"},
	{"tool that only reads", `mcp__tickets__get {}`, "rrrrrr", "rrrrrr", "rrrrrr", "aaaaaa"},
	{"other tool", `mcp__tickets__close {}`, "rrrxxx", "rrraaa", "aaaaaa", "aaaaaa"},
}

// tickets is a tool server in shell.
const tickets = `while read -r line; do
  id=$(expr "$line" : '.*"id":\([0-9]*\)')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tickets","version":"1"}}}' ;;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"get","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"close","inputSchema":{"type":"object"}}]}}' ;;
  *'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
  *'"id":'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}' ;;
  esac
done
`

// TestMatrix plays every operation under every policy and sandbox.
func TestMatrix(t *testing.T) {
	spawner := sandbox.NewSpawner(sandbox.Options{})
	defer spawner.Close()
	confines := spawner.Confinement().Available
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	t.Cleanup(page.Close)
	for i, box := range matrixSandboxes {
		for _, policy := range []string{"never", "on-request", "unlessTrusted", "always"} {
			t.Run(policy+" "+box, func(t *testing.T) {
				t.Parallel()
				got, items := playMatrix(t, page.URL, policy, box)
				for j, row := range matrix {
					want := map[string]string{"never": row.never, "on-request": row.onRequest, "unlessTrusted": row.unlessTrusted, "always": row.always}[policy][i : i+1]
					if strings.HasPrefix(row.call, "shell") && policy == "on-request" && !confines && i >= 3 && row.name != "trusted command" {
						want = asks // nothing would hold it
					}
					if strings.HasPrefix(row.call, "shell") && policy == "never" && !confines && i >= 3 {
						want = refused
					}
					if got[j] != want {
						t.Errorf("%s: %s, want %s\n%s", row.name, got[j], want, items[j])
					}
				}
			})
		}
	}
}

// playMatrix returns the outcome of each operation, and the last that was sent about it. Each is a turn.
func playMatrix(t *testing.T, url, policy, box string) (outcomes, items []string) {
	outside, err := os.MkdirTemp("/var/tmp", "parley-outside-") // the temporary folders are inside
	if err != nil {
		t.Skip("there is no folder outside:", err)
	}
	t.Cleanup(func() { os.RemoveAll(outside) })
	if err := os.WriteFile(filepath.Join(outside, "a.txt"), []byte("alpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, row := range matrix {
		script.WriteString("call " + strings.NewReplacer("$OUT", outside, "$URL", url).Replace(row.call) + "\nnext\ntext Done.\nnext\n")
	}
	p := newPlace(t, t.TempDir(), script.String())
	p.laws.dirs = []string{outside}
	p.write(t, "a.txt", "alpha\n")
	p.write(t, "tickets.sh", tickets)
	p.write(t, ".git/HEAD", "ref: refs/heads/main\n")
	c := p.open(t)
	thread := c.start(fmt.Sprintf(`{"approvalPolicy":%q,"sandbox":%s,"mcpServers":{"tickets":{"command":"/bin/sh","args":["tickets.sh"],"cwd":%q}}}`, policy, box, p.Work))
	for range matrix {
		c.begin(thread, "")
		all := c.finish("accept")
		outcome, item := outcomeOf(all)
		outcomes, items = append(outcomes, outcome), append(items, item)
	}
	if code, _ := c.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	return outcomes, items
}

// outcomeOf returns the outcome of the only call of a turn, and its item.
func outcomeOf(all []message) (outcome, item string) {
	asked := false
	for _, m := range all {
		asked = asked || m.ID != nil
		i := parseItem(m.Params.Item)
		if m.Method != "item/completed" || i.Type == "userMessage" || i.Type == "agentMessage" {
			continue
		}
		item = m.raw
		switch {
		case i.Status == "completed" || i.Type == "plan":
			outcome = runs
		case strings.Contains(m.raw, `"exitCode"`):
			outcome = fails
		default:
			outcome = refused
		}
	}
	if asked && outcome == runs {
		outcome = asks
	}
	return outcome, item
}
