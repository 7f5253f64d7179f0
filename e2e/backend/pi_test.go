package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/record"
)

// piProgram returns the path of pi, as npm has it.
func piProgram(t *testing.T) string {
	t.Helper()
	return filepath.Join(stage.NodePackages(t, "clients/pi"), "node_modules/.bin/pi")
}

// newPi configures pi as npm has it, whose model plays a script.
func newPi(t *testing.T, script ...modeltest.Reply) (*bench, *modeltest.Server) {
	t.Helper()
	program := piProgram(t)
	server := modeltest.NewServer(t, script...)
	b := newBench(t, "", nil)
	home := filepath.Join(b.Home, "pi")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	models := fmt.Sprintf(`{"providers":{"test":{"baseUrl":%q,"api":"openai-completions","apiKey":"none","models":[{"id":%q,"name":"Scripted",
		"reasoning":false,"input":["text"],"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0},"contextWindow":200000,"maxTokens":8192}]}}}`,
		modeltest.OpenAIChat.BaseURL(server.URL), modeltest.Model)
	if err := os.WriteFile(filepath.Join(home, "models.json"), []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"backend": "pi", "backends": map[string]any{"pi": map[string]any{
		"command": []string{program, "--mode", "rpc"}, "model": "test/" + modeltest.Model, "state": []string{home}, "start_limit": "1m",
		"env": map[string]string{"PI_CODING_AGENT_DIR": home, "PI_OFFLINE": "1"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Home, "config.jsonc"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	return b, server
}

// piUsage is what each answer of the model uses.
var piUsage = modeltest.Usage(model.Usage{Input: 100, Output: 20})

func piSays(text string) modeltest.Reply { return modeltest.Stream(modeltest.Text(text), piUsage) }

func piRuns(text, id, command string) modeltest.Reply {
	return modeltest.Stream(modeltest.Text(text), modeltest.Call(id, "bash", fmt.Sprintf(`{"command":%q}`, command)), piUsage)
}

// piOpened checks the record that a session of pi begins with, and returns the lines after it.
func piOpened(t *testing.T, lines []string, resumed bool) []string {
	t.Helper()
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "opened: pi /") ||
		!strings.Contains(lines[0], ", pi 0.73.1") || strings.HasSuffix(lines[0], ", resumed") != resumed {
		t.Fatalf("the turn begins with %q", lines)
	}
	return lines[1:]
}

// lastRequest returns the last request to the model.
func lastRequest(t *testing.T, server *modeltest.Server) string {
	t.Helper()
	all := server.Requests()
	if len(all) == 0 {
		t.Fatal("the model got no request")
	}
	return all[len(all)-1].Raw
}

// TestPi: a client of the native protocol approves and denies what pi runs, and the reason of a denial comes to the model.
func TestPi(t *testing.T) {
	t.Parallel()
	b, server := newPi(t,
		piRuns("I run it.", "c1", "echo made > made.txt; cat made.txt; exit 3"), piSays("Done."),
		piRuns("I remove it.", "c2", "rm made.txt"), piSays("I see."),
		modeltest.Stream(modeltest.Text("I change it."), modeltest.Call("c3", "edit", `{"path":"made.txt","edits":[{"oldText":"made","newText":"changed"}]}`), piUsage), piSays("Changed."),
	)
	s := b.create("prompt")
	decide := func(allow bool) func(record.Event) {
		return func(e record.Event) {
			asked, ok := e.(record.ApprovalAsked)
			if !ok {
				return
			}
			err := s.Approve(b.ctx, asked.ID)
			if !allow {
				err = s.Deny(b.ctx, asked.ID, "it is still needed")
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	got := piOpened(t, s.turn("Make it.", decide(true)), false)
	for _, part := range []string{
		`intended: shell {"command":"echo made > made.txt; cat made.txt; exit 3"}`, `asked: shell execute "echo made > made.txt; cat made.txt; exit 3"`,
		"answered: true by client", "started", `ended: failed "made\n\n\nCommand exited with code 3"`, "answer: text Done.", "turn: completed, 200 in, 40 out",
	} {
		if !strings.Contains(strings.Join(got, "\n"), part) {
			t.Errorf("%q is missing in\n%s", part, strings.Join(got, "\n"))
		}
	}
	got = s.turn("Remove it.", func(e record.Event) {
		if asked, ok := e.(record.ApprovalAsked); ok {
			if err := s.Deny(b.ctx, asked.ID, "it is still needed"); err != nil {
				t.Error(err)
			}
		}
	})
	if lines := strings.Join(got, "\n"); !strings.Contains(lines, `ended: denied "it is still needed"`) || !strings.Contains(lines, "answer: text I see.") {
		t.Errorf("the denied call:\n%s", lines)
	}
	if raw := lastRequest(t, server); !strings.Contains(raw, "it is still needed") {
		t.Errorf("the model got %s", raw)
	}
	var changes []record.FileChange
	s.turn("Change it.", func(e record.Event) {
		decide(true)(e)
		if end, ok := e.(record.ToolEnded); ok {
			changes = end.Changes
		}
	})
	if text, err := os.ReadFile(filepath.Join(b.Work, "made.txt")); err != nil || string(text) != "changed\n" {
		t.Errorf("%q, %v", text, err)
	}
	if len(changes) != 1 || !strings.Contains(changes[0].Diff, "-made\n+changed") {
		t.Errorf("the changes are %+v", changes)
	}
}

// TestPiInterrupt: an interrupt ends what pi does, and it goes on with the next prompt.
func TestPiInterrupt(t *testing.T) {
	t.Parallel()
	b, _ := newPi(t, piRuns("I wait.", "c1", "echo begun; sleep 100"), piSays("Whole."))
	s := b.create("danger-full-access")
	if _, err := s.Prompt(b.ctx, client.Prompt{Text: "Wait."}); err != nil {
		t.Fatal(err)
	}
	for rec, err := range s.Follow(b.ctx, client.FollowOptions{Transient: []string{record.KindToolOutput}}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindToolOutput {
			break
		}
	}
	if _, err := s.Interrupt(b.ctx, ""); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(piOpened(t, s.until(nil), false), "\n")
	if !strings.Contains(got, `ended: interrupted "begun\n\n\nCommand aborted"`) || !strings.Contains(got, "turn: interrupted") {
		t.Errorf("the interrupted turn:\n%s", got)
	}
	if got := s.turn("Go on.", nil); got[len(got)-1] != "turn: completed, 100 in, 20 out" {
		t.Errorf("the next turn: %q", got)
	}
}

// TestPiSteer: a prompt during a turn comes to the model before the turn ends.
func TestPiSteer(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	b, server := newPi(t, modeltest.Stream(modeltest.Text("One"), modeltest.Wait(gate), modeltest.Text(" more."), piUsage), piSays("Two."))
	s := b.create("prompt")
	if _, err := s.Prompt(b.ctx, client.Prompt{Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	for rec, err := range s.Follow(b.ctx, client.FollowOptions{Transient: []string{record.KindTextDelta}}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindTextDelta {
			break
		}
	}
	if err := s.Steer(b.ctx, client.Prompt{Text: "And this."}); err != nil {
		t.Fatal(err)
	}
	close(gate)
	got := strings.Join(piOpened(t, s.until(nil), false), "\n")
	if !strings.Contains(got, "answer: text One more.") || !strings.Contains(got, "answer: text Two.") {
		t.Errorf("the turn:\n%s", got)
	}
	if raw := lastRequest(t, server); !strings.Contains(raw, "And this.") {
		t.Errorf("the model got %s", raw)
	}
}

// TestPiKilled: nothing of pi is left when the program is killed, and another process goes on with its session.
func TestPiKilled(t *testing.T) {
	t.Parallel()
	b, server := newPi(t, piSays("First."), modeltest.Stream(modeltest.Text("Half"), modeltest.Wait(nil)), piSays("Resumed."))
	next := b.killed("One.", "Two.")
	next.until(nil)
	next.until(nil)
	got := piOpened(t, next.turn("Go on.", nil), true)
	if !strings.Contains(strings.Join(got, "\n"), "answer: text Resumed.") {
		t.Errorf("the resumed turn: %q", got)
	}
	if raw := lastRequest(t, server); !strings.Contains(raw, "First.") || !strings.Contains(raw, "Go on.") || strings.Contains(raw, "earlier-conversation") {
		t.Errorf("the model got %s", raw)
	}
}
