//go:build unix

package shell

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/environ"
)

// TestOtherShells: shells that know less than bash keep their state too.
func TestOtherShells(t *testing.T) {
	spawner := sandbox.NewSpawner(sandbox.Options{})
	defer spawner.Close()
	full := sandbox.Policy{Level: sandbox.Full}
	for _, name := range []string{"dash", "bash"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Logf("there is no %s", name)
			continue
		}
		base := environ.ForChildren([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere"})
		state := NewState("opensesame")
		for _, command := range []string{"export A=1; exit 5", "trap 'true' EXIT; export B=2; false"} {
			c := sandbox.Command{Path: path, Dir: t.TempDir(), Env: state.Environ(base, full), Confine: full}
			left, err := state.follow(&c, command)
			if err != nil {
				t.Fatal(err)
			}
			defer left.close()
			process, err := spawner.Start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			process.Wait()
			state.keep(base, left, full)
		}
		text := "\n" + strings.Join(state.Environ(base, full), "\n") + "\n"
		if !strings.Contains(text, "\nA=1\n") || !strings.Contains(text, "\nB=2\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestShellProgram(t *testing.T) {
	found := func(string) (string, error) { return "/opt/bash", nil }
	missing := func(string) (string, error) { return "", os.ErrNotExist }
	if got := []string{bash(found), bash(missing)}; !slices.Equal(got, []string{"/opt/bash", "/bin/sh"}) {
		t.Errorf("%q", got)
	}
}
