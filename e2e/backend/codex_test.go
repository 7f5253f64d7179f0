package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/record"
)

// codexProgram returns the path of the Codex CLI, as npm has it.
func codexProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(stage.NodePackages(t, "clients/codex"), "node_modules/.bin/codex")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("npm has no codex for this system: %v", err)
	}
	return program
}

// codexHome makes a folder for the state of codex, whose model is a server that plays a script.
func codexHome(t *testing.T, p *stage.Place, server *modeltest.Server) string {
	t.Helper()
	home := filepath.Join(p.Home, "codex")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`model = "gpt-5.5"
model_provider = "test"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.test]
name = "test"
base_url = %q
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 1
`, modeltest.OpenAIResponses.BaseURL(server.URL))
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// newCodex configures the Codex CLI, whose model plays a script.
func newCodex(t *testing.T, script ...modeltest.Reply) (*bench, *modeltest.Server) {
	t.Helper()
	program := codexProgram(t)
	server := modeltest.NewServer(t, script...)
	b := newBench(t, "", nil)
	config, err := json.Marshal(map[string]any{"backend": "codex", "backends": map[string]any{"codex": map[string]any{
		"command": []string{program, "app-server"}, "env": map[string]string{"CODEX_HOME": codexHome(t, b.Place, server)}, "pass_env": []string{"OPENAI_API_KEY"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Home, "config.jsonc"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Env = append(b.Env, "OPENAI_API_KEY="+stage.Key)
	return b, server
}

// used is what each answer of the model uses.
var used = modeltest.Usage(model.Usage{Input: 100, Output: 20})

// runs is an answer of the model with a command.
func runs(id, command string) modeltest.Reply {
	input, err := json.Marshal(map[string]any{"cmd": command, "yield_time_ms": 30000})
	if err != nil {
		panic(err)
	}
	return modeltest.Stream(modeltest.Call(id, "exec_command", string(input)), used)
}

func says(text string) modeltest.Reply { return modeltest.Stream(modeltest.Text(text), used) }

// opensCodex checks the record that the session of codex begins with, and returns the lines after it.
func opensCodex(t *testing.T, lines []string) []string {
	t.Helper()
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "opened: codex ") || !strings.Contains(lines[0], ", codex 0.169.0") {
		t.Fatalf("the turn begins with %q", lines)
	}
	return lines[1:]
}

// TestCodex: a client of the native protocol approves and denies what the Codex CLI asks for.
func TestCodex(t *testing.T) {
	t.Parallel()
	b, server := newCodex(t,
		modeltest.Stream(modeltest.Summary("Let me see."), modeltest.Text("I run it."), modeltest.Call("c1", "exec_command", `{"cmd":"echo \"it's here\" > made.txt; cat made.txt; exit 3"}`), used), says("Done."),
		runs("c2", "rm made.txt"), says("I see."),
		runs("c3", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: made.txt\n@@\n-it's here\n+it was here\n*** End Patch\nEOF"), says("Changed."),
	)
	s := b.create("prompt")
	decide := func(allow bool) func(record.Event) {
		return func(e record.Event) {
			asked, ok := e.(record.ApprovalAsked)
			switch {
			case !ok:
			case allow:
				if err := s.Approve(b.ctx, asked.ID); err != nil {
					t.Error(err)
				}
			default:
				if err := s.Deny(b.ctx, asked.ID, "it is still needed"); err != nil {
					t.Error(err)
				}
			}
		}
	}
	var ended record.ToolEnded
	got := opensCodex(t, s.turn("Make it.", func(e record.Event) {
		decide(true)(e)
		if end, ok := e.(record.ToolEnded); ok {
			ended = end
		}
	}))
	command := `echo "it's here" > made.txt; cat made.txt; exit 3`
	want(t, got, "answer: thinking Let me see.; text I run it.; call shell", fmt.Sprintf(`intended: shell {"command":%s}`, agent.Quote(command)),
		fmt.Sprintf("asked: shell execute %q", command), "answered: true by client", "started", `ended: failed "it's here\n"`, "answer: ", "answer: text Done.", "turn: completed, 200 in, 40 out")
	if ended.Shell == nil || ended.Shell.ExitCode != 3 || ended.Shell.Command != command || ended.Shell.Dir != b.Work {
		t.Errorf("the command ran as %+v", ended.Shell)
	}
	want(t, s.turn("Remove it.", decide(false)), "answer: call shell", `intended: shell {"command":"rm made.txt"}`, `asked: shell execute "rm made.txt"`,
		"answered: false by client", `ended: denied "it is still needed"`, "answer: ", "answer: text I see.", "turn: completed, 200 in, 40 out")
	var changes []record.FileChange
	got = s.turn("Change it.", func(e record.Event) {
		decide(true)(e)
		if end, ok := e.(record.ToolEnded); ok {
			changes = end.Changes
		}
	})
	if joined := strings.Join(got, "\n"); !strings.Contains(joined, "intended: apply_patch ") || !strings.Contains(joined, "asked: apply_patch write") || !strings.HasSuffix(joined, "turn: completed, 200 in, 40 out") {
		t.Errorf("the change is\n%s", joined)
	}
	if len(changes) != 1 || changes[0].Path != "made.txt" || !strings.Contains(changes[0].Diff, "-it's here\n+it was here\n") {
		t.Errorf("the changes are %+v", changes)
	}
	if data, err := os.ReadFile(filepath.Join(b.Work, "made.txt")); err != nil || string(data) != "it was here\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if n := len(server.Requests()); n != 6 {
		t.Errorf("the model got %d requests", n)
	}
}

// TestCodexInterrupt: an interrupt ends a command that codex would leave running, and the session goes on.
func TestCodexInterrupt(t *testing.T) {
	t.Parallel()
	b, _ := newCodex(t, runs("c1", "echo begun; exec sleep 1000"), says("Again."))
	mark := stage.NewMark(b.Place)
	s := b.create("danger-full-access")
	if _, err := s.Prompt(b.ctx, client.Prompt{Text: "Wait."}); err != nil {
		t.Fatal(err)
	}
	for rec, err := range s.Follow(b.ctx, client.FollowOptions{Transient: []string{record.KindToolOutput}}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindToolStarted {
			break
		}
	}
	if _, err := s.Interrupt(b.ctx, ""); err != nil {
		t.Fatal(err)
	}
	got := opensCodex(t, s.until(nil))
	if joined := strings.Join(got, "\n"); !strings.Contains(joined, "started\n") || !strings.Contains(joined, "ended: interrupted") || !strings.HasPrefix(got[len(got)-1], "turn: interrupted") {
		t.Errorf("the turn is\n%s", joined)
	}
	if got := s.turn("Go on.", nil); got[0] != "answer: text Again." {
		t.Errorf("the next turn is %q", got)
	}
	b.client.Close()
	mark.WantEnded(t, nil)
}

// TestCodexKilled: nothing of codex is left when the program is killed, and another process resumes its thread.
func TestCodexKilled(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	defer close(gate)
	b, server := newCodex(t, says("First."), modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(gate)), says("Whole."))
	next := b.killed("Remember blue.", "Go.")
	next.until(nil)
	if got := next.until(nil); got[len(got)-1] != "turn: interrupted, 0 in, 0 out" {
		t.Errorf("the cut turn: %q", got)
	}
	got := opensCodex(t, next.turn("Go on.", nil))
	want(t, got, "answer: text Whole.", "turn: completed, 100 in, 20 out")
	requests := server.Requests()
	if last := requests[len(requests)-1].Raw; !strings.Contains(last, "Remember blue.") || strings.Contains(last, "earlier-conversation") {
		t.Errorf("the model got\n%s", last)
	}
}
