package stage

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/transcript"
)

// A Place is the fresh folders that a program is started in, one start after the other.
type Place struct {
	Root  string
	Work  string   // the workspace
	Home  string   // HOME; the state is below it
	Temp  string   // TMPDIR
	Env   []string // of every start, after PATH, HOME, TMPDIR and PARLEY_HOME
	Model string   // of every start; "": none is named
}

// NewPlace makes one that goes with the test.
func NewPlace(t testing.TB) *Place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Place{Root: root, Work: filepath.Join(root, "work"), Home: filepath.Join(root, "home"), Temp: filepath.Join(root, "temp")}
	for _, dir := range []string{p.Work, p.Home, p.Temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// State returns where sessions are kept.
func (p *Place) State() string { return filepath.Join(p.Home, "state") }

// Write puts a file into the workspace.
func (p *Place) Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.Work, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Command is "parley args" in this place.
func (p *Place) Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(transcript.Build(t), args...)
	cmd.Dir = p.Work
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "TMPDIR=" + p.Temp, "PARLEY_HOME=" + p.State(), "LANG=C.UTF-8",
	}, p.Env...)
	if p.Model != "" {
		cmd.Env = append(cmd.Env, "PARLEY_MODEL="+p.Model)
	}
	return cmd
}
