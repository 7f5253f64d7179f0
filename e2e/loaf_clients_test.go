package e2e

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// The two clients in testdata/loaf_client.* are the example clients of the document "loaf
// RPC", section "Example Client", as they are printed there.

const crumbs = 20 // deltas of the answer

func crumbText() string { return strings.Repeat("crumb ", crumbs) + "The end." }

// clientPlace returns a place whose PATH begins with a program called loaf. It is parley, by a
// link of that name, with the pipe open that is closed when it ends.
func clientPlace(t *testing.T) (*place, []string) {
	t.Helper()
	p := newPlace(t)
	script := filepath.Join(p.Home, "model.script")
	write(t, script, "repeat 20 text \"crumb \"\ntext The end.\n", 0o600)
	links, shims := filepath.Join(p.Home, "links"), filepath.Join(p.Home, "shims")
	for _, dir := range []string{links, shims} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(transcript.Build(t), filepath.Join(links, "loaf")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(shims, "loaf"), "#!/bin/sh\nexec 9>'"+p.Work+"/hold'\nexec '"+links+"/loaf' \"$@\"\n", 0o700)
	return p, []string{
		"PATH=" + shims + ":" + os.Getenv("PATH"), "HOME=" + p.Home, "PARLEY_HOME=" + p.State(), "LANG=C.UTF-8",
		"PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT=" + script,
	}
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// example returns one of the document's clients, as a file that its interpreter takes.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	write(t, path, string(text), 0o600)
	return path
}

// interpreter returns where a program really lies, which is asked once: there may be a slow shim
// in its place.
func interpreter(t *testing.T, name string, ask ...string) string {
	t.Helper()
	path, err := exec.Command(name, ask...).Output()
	if err != nil {
		t.Skipf("there is no %s to run the document's client with: %v", name, err)
	}
	return strings.TrimSpace(string(path))
}

// TestPythonClient: the document's client prints the whole answer and ends, and the server
// ends with it; ten times in a row.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	python, client := interpreter(t, "python3", "-c", "import sys; print(sys.executable)"), example(t, "loaf_client.py")
	for range 10 {
		p, env := clientPlace(t)
		h := stage.Holding(t, p.Work)
		cmd := exec.Command(python, client)
		cmd.Dir, cmd.Env = p.Work, env
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != crumbText() {
			t.Fatalf("%v, it printed %q", err, out)
		}
		h.WantGone()
	}
}

// TestNodeClient: the document's client prints the whole answer. It does not end by itself;
// when it is ended the server goes too.
func TestNodeClient(t *testing.T) {
	t.Parallel()
	node, client := interpreter(t, "node", "-p", "process.execPath"), example(t, "loaf_client.mjs")
	for range 10 {
		p, env := clientPlace(t)
		h := stage.Holding(t, p.Work)
		cmd := exec.Command(node, client)
		cmd.Dir, cmd.Env = p.Work, env
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		printed := make(chan string, 1)
		go func() {
			text := make([]byte, len(crumbText()))
			n, _ := io.ReadFull(stdout, text)
			printed <- string(text[:n])
		}()
		got := stage.Await(t, printed, "the client to print the answer")
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // by the signal
		if got != crumbText() {
			t.Fatalf("it printed %q", got)
		}
		h.WantGone()
	}
}
