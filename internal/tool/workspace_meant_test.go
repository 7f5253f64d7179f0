package tool

import (
	"strings"
	"testing"
)

// TestResolveMeant: a path that does not exist as a model wrote it is the one that it means.
func TestResolveMeant(t *testing.T) {
	w := workspaceWith(t, map[string]string{
		"src/a.py": "a", "with space.txt": "s", "'quoted'": "q", "@at/x": "x", "caf\u00e9.md": "c", "de\u0301j\u00e0/x": "d", "100%25": "p",
	})
	for _, test := range []struct {
		shown, want string // relative to the workspace
		write       bool
	}{
		{shown: "@src/a.py", want: "src/a.py"},
		{shown: "@at/x", want: "@at/x"},
		{shown: " src/a.py\n", want: "src/a.py"},
		{shown: `"src/a.py"`, want: "src/a.py"},
		{shown: "`src/a.py`", want: "src/a.py"},
		{shown: "'quoted'", want: "'quoted'"},
		{shown: `with\ space.txt`, want: "with space.txt"},
		{shown: "file://src/a.py", want: "src/a.py"},
		{shown: "file://" + w.Dir() + "/with%20space.txt", want: "with space.txt"},
		{shown: "100%25", want: "100%25"},
		{shown: "cafe\u0301.md", want: "caf\u00e9.md"},
		{shown: "d\u00e9j\u00e0/x", want: "d\u00e9j\u00e0/x"}, // neither of its spellings
		{shown: "@src/new.py", want: "src/new.py", write: true},
		{shown: `"new.py"`, want: "new.py", write: true},
		{shown: "file://new.py", want: "new.py", write: true},
		{shown: "new.py ", want: "new.py ", write: true},
		{shown: "@new.py", want: "@new.py", write: true},
		{shown: "'", want: "'", write: true},
	} {
		p, err := w.Resolve(test.shown, test.write)
		if err != nil || p.Path != w.Dir()+"/"+test.want {
			t.Errorf("%q is %q, %v, want %q", test.shown, p.Path, err, test.want)
		}
	}
}

// TestMissingNamesPlaces: the error of a file that does not exist names the workspace and files of that name.
func TestMissingNamesPlaces(t *testing.T) {
	w := workspaceWith(t, map[string]string{
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
