package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// Session files go to the originals and back. The originals are the programs themselves,
// from npm: pi 0.73.1 comes with its client; omp 13.19.0 has 0.9 GB, takes half a minute to
// install and so is only asked for by PARLEY_ORIGINALS=1.

// An original is a program of the family.
type original struct {
	name    string
	program []string // and its first arguments
	agent   string   // its folder below HOME
	models  string   // its file of models there
	config  string
	points  string // its command for places to branch at
}

func originals(t *testing.T) []original {
	t.Helper()
	var all []original
	packages := stage.NodePackages(t, "piscesclient")
	if node, err := exec.LookPath("node"); err == nil {
		cli := filepath.Join(packages, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js")
		all = append(all, original{"pi", []string{node, cli}, ".pi/agent", "models.json", "settings.json", "get_fork_messages"})
	}
	if os.Getenv("PARLEY_ORIGINALS") != "" {
		packages := stage.NodePackages(t, "piscesoriginal")
		cli := filepath.Join(packages, "node_modules/@oh-my-pi/pi-coding-agent/src/cli.ts")
		all = append(all, original{"omp", []string{bun(t, packages), cli}, ".omp/agent", "models.yml", "config.yml", "get_branch_messages"})
	} else {
		t.Log("without PARLEY_ORIGINALS=1 omp is not tried")
	}
	if len(all) == 0 {
		t.Skip("there is no original to be started")
	}
	return all
}

// start starts an original in this place, its model being b.
func (o original) start(t *testing.T, p *place, b *backend, args ...string) *client.Pisces {
	t.Helper()
	agent := filepath.Join(p.Home, o.agent)
	if err := os.MkdirAll(agent, 0o700); err != nil {
		t.Fatal(err)
	}
	// YAML takes JSON.
	write(t, filepath.Join(agent, o.models), fmt.Sprintf(`{"providers":{"acme":{"baseUrl":%q,"apiKey":"none","api":"openai-completions","models":[
		{"id":"otter-2","name":"Otter 2","reasoning":true,"input":["text"],"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192}]}}}`,
		modeltest.OpenAIChat.BaseURL(b.url)), 0o600)
	write(t, filepath.Join(agent, o.config), `{"compaction":{"keepRecentTokens":2000},"tools":{"intentTracing":false},"lsp":{"enabled":false}}`, 0o600)
	cmd := exec.Command(o.program[0], append(append(o.program[1:len(o.program):len(o.program)], "--mode", "rpc", "--provider", "acme", "--model", "otter-2"), args...)...)
	cmd.Dir = p.Work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "LANG=C.UTF-8", "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"}
	return client.NewPisces(client.Start(t, cmd))
}

// alike compares contexts but for what an original does not know.
func (o original) alike(t *testing.T, what string, want, got []map[string]any) {
	t.Helper()
	if o.name == "pi" {
		for _, messages := range [][]map[string]any{want, got} {
			for _, m := range messages {
				delete(m, "shortSummary")
			}
		}
	}
	if len(want) == 0 {
		t.Fatalf("%s: nothing to compare", what)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func answer(text string) modeltest.Reply {
	return modeltest.Stream(modeltest.Text(text), modeltest.Usage(model.Usage{Input: 100, Output: 20}))
}

// TestSessionFileOfOurs: an original opens a file of ours, reads the same from it, and goes
// on; we open what it wrote.
func TestSessionFileOfOurs(t *testing.T) {
	t.Parallel()
	for _, o := range originals(t) {
		t.Run(o.name, func(t *testing.T) {
			b := newBackend(t, modeltest.OpenAIChat, answer("Tested."))
			p := newPlace(t)
			p.Plays(t, `
think Look first.
call bash {"command":"echo cart.go"}
call bash {"command":"exit 3"}
next
text Planned.
next
text Written.
`)
			ours := p.pisces(t)
			ours.Turn("Plan it")
			ours.Request("bash", map[string]any{"command": "echo hi"}, nil)
			ours.Request("set_session_name", map[string]any{"name": "Cart"}, nil)
			ours.Turn("Write it")
			want, state, points := ours.Context(), ours.State(), ours.Points("get_branch_messages")
			ours.Leave()

			theirs := o.start(t, p, b, "--session", state.SessionFile)
			o.alike(t, "what the original reads", want, theirs.Context())
			if diff := cmp.Diff(points, theirs.Points(o.points)); diff != "" {
				t.Errorf("places to branch at (-ours +theirs):\n%s", diff)
			}
			if got := theirs.State(); got.SessionID != state.SessionID || got.SessionName != "Cart" {
				t.Errorf("the original's state is %+v", got)
			}
			theirs.Turn("Test it")
			longer := theirs.Context()
			theirs.Request("new_session", nil, nil) // it writes all before the answer
			theirs.Leave()

			again := p.pisces(t, "--session", state.SessionFile)
			o.alike(t, "what was added there", longer, again.Context())
			if got := again.State(); got.SessionID != state.SessionID || got.SessionName != "Cart" {
				t.Errorf("the state is %+v", got)
			}
			again.Leave()
		})
	}
}

// TestSessionFileOfOthers: we open a file of an original, read the same from it, and go on;
// the original opens what we wrote.
func TestSessionFileOfOthers(t *testing.T) {
	t.Parallel()
	for _, o := range originals(t) {
		t.Run(o.name, func(t *testing.T) {
			b := newBackend(t, modeltest.OpenAIChat,
				modeltest.Stream(modeltest.Text("Looking."), modeltest.Call("call_a", "bash", `{"command":"echo cart.go"}`), modeltest.Usage(model.Usage{Input: 100, Output: 20})),
				answer("Planned."), answer("Written."))
			p := newPlace(t)
			theirs := o.start(t, p, b)
			theirs.Turn("Plan it")
			theirs.Request("bash", map[string]any{"command": "echo hi"}, nil)
			theirs.Turn("Write it")
			want, state, points := theirs.Context(), theirs.State(), theirs.Points(o.points)
			theirs.Request("new_session", nil, nil) // it writes all before the answer
			theirs.Leave()

			p.Plays(t, "text Tested.\n")
			ours := p.pisces(t, "--session", state.SessionFile)
			o.alike(t, "what we read", want, ours.Context())
			if diff := cmp.Diff(points, ours.Points("get_branch_messages")); diff != "" {
				t.Errorf("places to branch at (-theirs +ours):\n%s", diff)
			}
			if got := ours.State(); got.SessionID != state.SessionID || got.SessionFile != state.SessionFile {
				t.Errorf("the state is %+v, theirs was %+v", got, state)
			}
			ours.Turn("Test it")
			longer := ours.Context()
			ours.Leave()

			again := o.start(t, p, b, "--session", state.SessionFile)
			o.alike(t, "what was added here", longer, again.Context())
			again.Leave()
		})
	}
}
