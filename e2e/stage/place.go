package stage

import (
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"parley.dev/parley/internal/transcript"
)

// A Place is the fresh folders that a program is started in, one start after the other.
type Place struct {
	Root  string
	Work  string   // the workspace
	Home  string   // HOME; the state is below it
	Temp  string   // TMPDIR; "": it is not set
	Env   []string // of every start, after PATH, HOME, TMPDIR and PARLEY_HOME
	Model string   // of every start; "": none is named

	// Build returns the program that is started; nil: transcript.Build. Programs are beside each other.
	Build func(testing.TB) string
}

// NewPlace makes one in a temporary folder of the test.
func NewPlace(t testing.TB) *Place {
	t.Helper()
	return NewPlaceIn(t, t.TempDir())
}

// NewHostPlace makes one in which parley-host is started.
func NewHostPlace(t testing.TB) *Place {
	t.Helper()
	p := NewPlace(t)
	p.Build = transcript.BuildHost
	return p
}

// NewPlaceIn makes one in a folder, which must be empty.
func NewPlaceIn(t testing.TB, folder string) *Place {
	t.Helper()
	root, err := filepath.EvalSymlinks(folder)
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

// Plays makes the offline model of every start play a script.
func (p *Place) Plays(t testing.TB, script string) {
	t.Helper()
	path := filepath.Join(p.Home, "model.script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Model = "offline/script"
	p.Env = append(p.Env, "PARLEY_OFFLINE_SCRIPT="+path)
}

// restoreSignals makes programs start with the signals that end them, where the test process ignores these: a shell without job control
// ignores SIGINT for what it starts in the background, and nohup SIGHUP. A program would ignore them, too, until it listens to signals.
var restoreSignals = sync.OnceFunc(func() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a signal that has a handler has its default in programs
		}
	}
})

// Command is "parley args" in this place.
func (p *Place) Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	restoreSignals()
	build := transcript.Build
	if p.Build != nil {
		build = p.Build
	}
	cmd := exec.Command(build(t), args...)
	cmd.Dir = p.Work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "PARLEY_HOME=" + p.State(), "LANG=C.UTF-8"}
	if p.Temp != "" {
		cmd.Env = append(cmd.Env, "TMPDIR="+p.Temp)
	}
	cmd.Env = append(cmd.Env, p.Env...)
	if p.Model != "" {
		cmd.Env = append(cmd.Env, "PARLEY_MODEL="+p.Model)
	}
	return cmd
}

// EachFile gives the bytes of every file below folders; there must be one.
func EachFile(t testing.TB, look func(path string, data []byte), folders ...string) {
	t.Helper()
	files := 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			files++
			data, err := os.ReadFile(path)
			look(path, data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Errorf("there is no file in %q", folders)
	}
}
