package codex

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// titles is how many titles of threads a client may request in one test.
const titles = 20

// newPlace makes folders, a repository as workspace, and a model that plays a script. The requests for titles, which the terminal UI makes for each new thread in
// one that is not visible, have answers of their own, as have those for suggestions, which the adapter makes after each turn: their order among the others is open.
func newPlace(t *testing.T, script ...modeltest.Reply) *stage.Place {
	t.Helper()
	p := stage.NewPlace(t)
	visible := modeltest.NewServer(t, script...)
	var answers []modeltest.Reply
	for range titles {
		answers = append(answers, says(`{"title":"The first thread"}`))
	}
	hidden := modeltest.NewServer(t, answers...)
	suggestions := modeltest.NewServer(t, slices.Repeat([]modeltest.Reply{says(`{"suggestion":null}`)}, titles)...)
	backend := stage.NewBackend(t, modeltest.OpenAIResponses, func(body []byte) http.Handler {
		if bytes.Contains(body, []byte(`"json_schema"`)) && bytes.Contains(body, []byte(`"title"`)) {
			return hidden
		}
		if bytes.Contains(body, []byte("suggested next user message")) {
			return suggestions
		}
		return visible
	})
	chosen, env := backend.Settings()
	p.Model, p.Env = chosen, append(p.Env, env...)
	git := exec.Command("git", "init", "-q", p.Work)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return p
}

// used is what each answer of the model uses.
var used = modeltest.Usage(model.Usage{Input: 100, Output: 20})

// says is an answer of the model that is text.
func says(text string) modeltest.Reply { return modeltest.Stream(modeltest.Text(text), used) }

// runs is an answer of the model with a command.
func runs(id, command string) modeltest.Reply {
	return calls(id, "exec_command", map[string]any{"cmd": command})
}

// escalates is an answer of the model with a command that is to run outside of the sandbox.
func escalates(id, command string) modeltest.Reply {
	return calls(id, "exec_command", map[string]any{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "The file is outside."})
}

func calls(id, name string, input map[string]any) modeltest.Reply {
	text, err := json.Marshal(input, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return modeltest.Stream(modeltest.Call(id, name, string(text)), used)
}

// outside makes a folder that the sandbox does not let commands write.
func outside(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "parley-e2e-") // the temporary folders are inside
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// address matches where a server listens, in its lines on standard error.
var address = regexp.MustCompile(`listening on: (\S+)\n`)

// serve starts codex app-server and returns it with its address.
func serve(t *testing.T, p *stage.Place, listen string) (*stage.Process, string) {
	t.Helper()
	server := stage.Launch(t, p.Command(t, "codex", "app-server", "--listen", listen))
	var found string
	until(t, "the address of the server", func() bool {
		match := address.FindStringSubmatch(server.Stderr.String())
		if match != nil {
			found = match[1]
		}
		return match != nil
	})
	return server, found
}

// until waits for a condition that another process makes true.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	limit := time.After(stage.Patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not within %v", what, stage.Patience)
		}
	}
}
