package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/model/modeltest"
)

// run runs the program in the place and returns what it prints.
func (p *place) run(t testing.TB, args ...string) string {
	t.Helper()
	cmd := p.Command(t, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, out, &stderr)
	}
	return string(out)
}

// TestRecordAndReplay: what a model has answered is answered again without it and without a key, in another folder; the tools
// run anew, and a turn of another dialect gets the same answers.
func TestRecordAndReplay(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "tape.jsonl")
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("I look. "), modeltest.Call("a", "shell", `{"command":"echo here >made; pwd"}`)),
		modeltest.Stream(modeltest.Text("The key is "+key[:4]), modeltest.Text(key[4:]+".")))
	p := b.place(t)
	p.Env = append(p.Env, "PARLEY_RECORD="+recording)
	recorded := p.run(t, "run", "--permission-mode", "danger-full-access", "Look around.")
	if !strings.Contains(recorded, "The key is") {
		t.Fatalf("it prints %q", recorded)
	}
	wantNoKey(t, filepath.Dir(recording))

	again := newPlace(t)
	again.Model = "replay/" + recording
	replayed := again.run(t, "run", "--permission-mode", "danger-full-access", "Look around.")
	if want := strings.ReplaceAll(recorded, key, "***"); replayed != want {
		t.Errorf("it prints %q, want %q", replayed, want)
	}
	if made, err := os.ReadFile(filepath.Join(again.Work, "made")); err != nil || string(made) != "here\n" {
		t.Errorf("the command has made %q, %v", made, err)
	}

	other := newPlace(t)
	other.Model = "replay/" + recording
	s := other.serve(t)
	s.Prompt("Another prompt.")
	if text := fmt.Sprint(s.WantCompleted()); !strings.Contains(text, "The key is ***.") {
		t.Errorf("the client gets %s", text)
	}
	if n := len(b.Requests()); n != 2 {
		t.Errorf("the model has got %d requests", n)
	}
}
