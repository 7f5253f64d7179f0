package e2e

import (
	"fmt"
	"os"
	"os/exec"
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
	t.Parallel()
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
	t.Parallel()
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

// TestSessionsReplay: a session is run again with its own answers in a copy of its repository; what its tools do now is compared, and the
// workspace and the store stay as they are.
func TestSessionsReplay(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat,
		modeltest.Stream(modeltest.Text("I look. "), modeltest.Call("a", "read", `{"path":"notes.txt"}`), modeltest.Call("b", "shell", `{"command":"cat notes.txt; pwd"}`)),
		modeltest.Stream(modeltest.Call("c", "edit", `{"path":"notes.txt","old":"one","new":"two"}`)),
		modeltest.Stream(modeltest.Text("Done.")))
	p := b.place(t)
	notes := filepath.Join(p.Work, "notes.txt")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", p.Work, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	commit := func(text, message string) {
		t.Helper()
		if err := os.WriteFile(notes, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", message)
	}
	git("init", "-q")
	commit("one\n", "first")
	p.run(t, "run", "--sandbox", "workspace-write", "Change the notes.")
	asked := len(b.Requests())

	replay := func(want int, args ...string) string {
		t.Helper()
		cmd := p.Command(t, append([]string{"sessions", "replay", "latest"}, args...)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("exit code %d, want %d: %s", code, want, out)
		}
		return string(out)
	}
	if out := replay(0); !strings.HasSuffix(out, "1 turn, 3 calls: 3 the same, 0 different\n") {
		t.Errorf("nothing has changed, and it prints %s", out)
	}
	commit("one, and more\n", "second")
	out := replay(1)
	for _, want := range []string{"turn 1: Change the notes.\n", "  differs  read ", "-one\n", "+one, and more\n", "  same     edit ", "3 calls: 1 the same, 2 different\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q: %s", want, out)
		}
	}
	if out := replay(0, "--revision", "HEAD~1", "--json"); !strings.Contains(strings.Join(strings.Fields(out), ""), `{"same":true,"turns":[`) {
		t.Errorf("of the first revision it prints %s", out)
	}
	if text, err := os.ReadFile(notes); err != nil || string(text) != "one, and more\n" {
		t.Errorf("the workspace has %q, %v", text, err)
	}
	if list := p.run(t, "sessions", "list", "--all"); strings.Count(list, "\n") != 2 {
		t.Errorf("the sessions are\n%s", list)
	}
	if n := len(b.Requests()); n != asked {
		t.Errorf("the model has got %d requests more", n-asked)
	}
}
