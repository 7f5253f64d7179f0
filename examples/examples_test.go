// Package examples has clients to start from, and the test that they work.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { os.Exit(transcript.RemoveBuild(m.Run())) }

// TestClients: each client gets the answer of the offline demo, reads with approval, and is refused
// what it does not allow.
func TestClients(t *testing.T) {
	parley := transcript.Build(t)
	goClient := filepath.Join(t.TempDir(), "client-go")
	if out, err := exec.Command("go", "build", "-o", goClient, "./client-go").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	python, err := filepath.Abs("client-python/client.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string][]string{"go": {goClient}, "python": {"python3", python}} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(client[0]); err != nil {
				t.Skipf("not installed: %v", err)
			}
			dir, home := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "shop.go"), []byte("package shop\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(prompt string) (stdout, stderr string, err error) {
				cmd := exec.CommandContext(t.Context(), client[0], append(client[1:], prompt)...)
				var out, errs strings.Builder
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
				cmd.Env = append(os.Environ(), "PARLEY="+parley, "HOME="+home, "PARLEY_HOME="+filepath.Join(home, "state"), "PARLEY_MODEL=offline/demo")
				err = cmd.Run()
				return out.String(), errs.String(), err
			}
			if stdout, stderr, err := run("list the go files"); err != nil || !strings.Contains(stdout, "shop.go") || !strings.Contains(stderr, "[glob_search]") {
				t.Errorf("%v\n%s\n%s", err, stdout, stderr)
			}
			if stdout, stderr, err := run("run `touch made`"); err != nil || !strings.Contains(stderr, "[bash]") {
				t.Errorf("%v\n%s\n%s", err, stdout, stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
				t.Error("a call that the client denied has run")
			}
		})
	}
}
