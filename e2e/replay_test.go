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

// TestRecordingFaults: a recording that cannot be written does not keep a command from its answer, unless it cannot be opened. One that
// was cut can be played, and goes on.
func TestRecordingFaults(t *testing.T) {
	answers := func() *place {
		return newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("One.")), modeltest.Stream(modeltest.Text("Two."))).place(t)
	}
	t.Run("full", func(t *testing.T) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skip("there is no /dev/full")
		}
		p := answers()
		p.Env = append(p.Env, "PARLEY_RECORD=/dev/full")
		cmd := p.Command(t, "run", "Go.")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || string(out) != "One.\n" || strings.Count(stderr.String(), "answers are no longer recorded") != 1 {
			t.Errorf("it prints %q, and %q to standard error: %v", out, &stderr, err)
		}
	})
	t.Run("not to be opened", func(t *testing.T) {
		p := answers()
		p.Env = append(p.Env, "PARLEY_RECORD="+t.TempDir())
		cmd := p.Command(t, "run", "Go.")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if out, err := cmd.Output(); err == nil || cmd.ProcessState.ExitCode() != 1 || len(out) > 0 || !strings.Contains(stderr.String(), "recording: ") {
			t.Errorf("it prints %q, and %q to standard error: %v", out, &stderr, err)
		}
	})
	t.Run("cut", func(t *testing.T) {
		recording := filepath.Join(t.TempDir(), "tape.jsonl")
		p := answers()
		p.Env = append(p.Env, "PARLEY_RECORD="+recording)
		p.run(t, "run", "First.")
		whole, err := os.ReadFile(recording)
		if err == nil {
			err = os.WriteFile(recording, append(whole, whole[:len(whole)/2]...), 0o600) // as a program that was killed leaves it
		}
		if err != nil {
			t.Fatal(err)
		}
		p.run(t, "run", "Second.")
		again := newPlace(t)
		again.Model = "replay/" + recording
		for prompt, want := range map[string]string{"First.": "One.\n", "Second.": "Two.\n"} {
			if got := again.run(t, "run", prompt); got != want {
				t.Errorf("%s: %q, want %q", prompt, got, want)
			}
		}
	})
}
