// Package examples has a client of each protocol to copy, and the test that they work.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }

// A program is how a user starts an example.
type program struct {
	command   []string
	approvals bool // requests the approval of the user
}

// TestAnswers: each client prints the answer of the offline demo and exits with 0. A failed turn is
// an error on stderr, and its exit code is 1.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			e := newEnvironment(t, c)
			stdout, stderr, err := e.run(t, "list the go files", "y\n")
			if err != nil || !strings.Contains(stdout, "shop.go") {
				t.Errorf("%v\n%s\n%s", err, stdout, stderr)
			}
			script := filepath.Join(e.home, "fail.script")
			if err := os.WriteFile(script, []byte("text Half\nfail rejected status=400 no such thing\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			e.env = append(e.env, "PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT="+script)
			stdout, stderr, err = e.run(t, "go", "")
			if err == nil || !strings.HasPrefix(stdout, "Half") || strings.Contains(stdout, "no such thing") || !strings.Contains(stderr, "no such thing") {
				t.Errorf("a turn that failed: %v\n%s\n%s", err, stdout, stderr)
			}
		})
	}
}

// TestApprovals: a command runs if the user allows it, and does not run otherwise.
func TestApprovals(t *testing.T) {
	t.Parallel()
	for name, c := range clients(t) {
		if !c.approvals {
			continue
		}
		for answer, want := range map[string]bool{"y\n": true, "n\n": false, "": false} {
			t.Run(name+"/"+strings.TrimSpace(answer), func(t *testing.T) {
				e := newEnvironment(t, c)
				stdout, stderr, err := e.run(t, "run `touch made`", answer)
				if err != nil || !strings.Contains(stderr, "touch made") {
					t.Errorf("%v\n%s\n%s", err, stdout, stderr)
				}
				if _, err := os.Stat(filepath.Join(e.dir, "made")); (err == nil) != want {
					t.Errorf("the command has run: %v, want %v\n%s\n%s", err == nil, want, stdout, stderr)
				}
			})
		}
	}
}

// TestNativeInDocs: docs/native.md shows the client in Python that these tests run.
func TestNativeInDocs(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("native.py")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/native.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```python\n"+string(code)+"```\n") {
		t.Error("docs/native.md does not show examples/native.py as it is")
	}
	if lines := strings.Count(string(code), "\n"); lines > 60 {
		t.Errorf("examples/native.py has %d lines: a client needs at most 60", lines)
	}
}

// TestGoClient: the client in Go denies what does more than read.
func TestGoClient(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t, clients(t)["client-go"])
	if stdout, stderr, err := e.run(t, "run `touch made`", ""); err != nil || !strings.Contains(stdout, "denied") {
		t.Errorf("%v\n%s\n%s", err, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(e.dir, "made")); err == nil {
		t.Error("a call that the client denied has run")
	}
}

// clients returns each example by name. Those in Python are absent where it is not installed.
func clients(t *testing.T) map[string]program {
	t.Helper()
	built := filepath.Join(t.TempDir(), "client-go")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-exec", "cp", "./client-go", built).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]program{
		"client-go": {command: []string{built}},
		"run":       {command: []string{"sh", filepath.Join(here, "run.sh")}},
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Logf("without the clients in Python: %v", err)
		return all
	}
	for name, approvals := range map[string]bool{"scaiflux": true, "flint": true, "codex": true, "agentair": true, "acp": true, "native": true, "loaf": false, "pisces": false} {
		all[name] = program{[]string{"python3", filepath.Join(here, name+".py")}, approvals}
	}
	return all
}

// An environment is a workspace with one file, and a home folder.
type environment struct {
	client    program
	dir, home string
	env       []string
}

func newEnvironment(t *testing.T, c program) *environment {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.go"), []byte("package shop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &environment{c, dir, home, append(os.Environ(), "PARLEY="+transcript.Build(t), "HOME="+home,
		"PARLEY_HOME="+filepath.Join(home, "state"), "PARLEY_MODEL=offline/demo")}
}

// run runs the client with a prompt, and what the user types.
func (e *environment) run(t *testing.T, prompt, typed string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), e.client.command[0], append(e.client.command[1:], prompt)...)
	var out, errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = e.dir, e.env, strings.NewReader(typed), &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
