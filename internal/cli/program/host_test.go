package program

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/companion"
)

// TestElsewhere: commands of parley-host, their help and their completion are for it, and the pages of all commands.
func TestElsewhere(t *testing.T) {
	for words, want := range map[string]string{
		"batch list": "parley batch", "help worker": "parley worker", "__complete store ": "parley store", "man pages": "parley man",
		"": "", "help": "", "help run": "", "run batch": "", "__complete run ": "", "hosts": "",
	} {
		got := ""
		if err := elsewhere(strings.Fields(words)); err != nil {
			got = err.(*app.ElsewhereError).What
		}
		if got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

// TestReplacedOnce: a program that is executed in the place of parley executes no other one.
func TestReplacedOnce(t *testing.T) {
	err := replace(&app.ElsewhereError{What: "a store"}, cli.Version)
	if err == nil || !strings.Contains(err.Error(), "a store needs the program parley-host, and ") || !strings.Contains(err.Error(), " is another one") {
		t.Errorf("%v", err)
	}
}

// TestReplaceUntrusted: a program that commands may have written into the workspace of the command line is not executed, however the
// command line names that workspace.
func TestReplaceUntrusted(t *testing.T) {
	for _, words := range []string{"run -w WORKSPACE task", "run -wWORKSPACE task", "codex exec --cd=WORKSPACE task", "batch run -- WORKSPACE"} {
		root, err := os.MkdirTemp("/var/tmp", "parley-replace-") // outside of what is passed over anyway
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(root) })
		workspace := filepath.Join(root, "workspace")
		bin := filepath.Join(workspace, "bin")
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		planted := filepath.Join(bin, companion.Host)
		if err := os.WriteFile(planted, []byte("no program"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin)
		old := os.Args
		os.Args = strings.Fields("parley " + strings.ReplaceAll(words, "WORKSPACE", workspace))
		err = replace(&app.ElsewhereError{What: "a store"}, "")
		os.Args = old
		if !errors.Is(err, companion.ErrMissing) || !strings.Contains(err.Error(), planted+" is passed over") {
			t.Errorf("%s: %v", words, err)
		}
	}
}
