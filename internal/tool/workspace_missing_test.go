package tool

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/tool/workspacetest"
)

// TestMissingNamesPlaces: the error of a file that does not exist names the workspace and files of that name.
func TestMissingNamesPlaces(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
		"src/app/main.py": "", "lib/main.py": "", "a/main.py": "", "b/main.py": "", "near.txt": "", ".gitignore": "out\n", "out/built.py": "",
	})
	for shown, want := range map[string]string{
		"main.py":           "it does not exist; the workspace has a/main.py, b/main.py, lib/main.py",
		"app/main.py":       "its folder app does not exist; the workspace has a/main.py, b/main.py, lib/main.py",
		"/nowhere/near.txt": "its folder /nowhere does not exist; the workspace is " + w.Dir() + "; the workspace has near.txt",
		"nearr.txt":         "it does not exist; the same folder has near.txt",
		"built.py":          "it does not exist",
	} {
		if got := runTool(t, w, Read(), in{"path": shown}).Text; !strings.HasSuffix(got, ": "+want) {
			t.Errorf("%s: %q, want %q", shown, got, want)
		}
	}
}

func TestOutsideIsReadWhenApproved(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"secret": "told\n"})
	w := workspacetest.New(t, map[string]string{"out": "-> " + outside})
	got := runTool(t, w, Read(), map[string]any{"path": "out/secret", "line_numbers": false})
	if got.Text != "told\n" || got.IsError {
		t.Errorf("got %+v", got)
	}
	made := runTool(t, w, Write(), map[string]any{"path": "out/new/file", "content": "x"})
	if want := "created " + outside + "/new/file (1 byte)"; made.Text != want {
		t.Errorf("got %q, want %q", made.Text, want)
	}
}
