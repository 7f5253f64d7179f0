package workspace_test

import (
	"testing"

	"parley.dev/parley/internal/tool/workspacetest"
)

// TestResolveMeant: a path that does not exist as a model wrote it is the one that it means.
func TestResolveMeant(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
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
