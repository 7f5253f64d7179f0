package workspace_test

import (
	"path/filepath"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestRoots: further folders count as part of the workspace, until others replace them; what is protected stays so.
func TestRoots(t *testing.T) {
	other := workspacetest.TempDir(t)
	workspacetest.Lay(t, other, map[string]string{"lib/a": "", "lib/out": "-> " + other + "/secret", "secret": "", "lib/.git/config": "", "library": "", "state/x": ""})
	dir := workspacetest.TempDir(t)
	workspacetest.Lay(t, dir, map[string]string{"link": "-> " + other + "/lib/a"})
	w, err := workspace.Open(dir, filepath.Join(other, "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	check := func(roots []string, inside map[string]bool) {
		t.Helper()
		w.SetRoots(roots)
		for shown, want := range inside {
			for _, write := range []bool{false, true} {
				p, err := w.Resolve(shown, write)
				if err != nil {
					t.Fatal(err)
				}
				if p.Outside == want || p.Protected {
					t.Errorf("%v: %s, write %v: %+v", roots, shown, write, p)
				}
			}
		}
	}
	check([]string{filepath.Join(other, "lib")}, map[string]bool{
		".": true, "link": true, other + "/lib": true, other + "/lib/a": true, other + "/lib/new/b": true,
		other + "/lib/../secret": false, other + "/lib/out": false, other + "/library": false, other: false,
	})
	if p, err := w.Resolve(other+"/lib/.git/config", true); err != nil || !p.Outside || !p.Protected {
		t.Errorf("git of a further folder: %+v, %v", p, err)
	}
	check([]string{other}, map[string]bool{other + "/secret": true, other + "/lib/out": true})
	if p, err := w.Resolve(other+"/state/x", false); err != nil || !p.Outside || !p.Protected {
		t.Errorf("a protected folder: %+v, %v", p, err)
	}
	check(nil, map[string]bool{".": true, "link": false, other + "/lib/a": false})
	w.SetRoots([]string{filepath.Join(other, "lib")})
	p, err := w.Resolve(other+"/lib/new/b", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFile(p, []byte("x"), 0o644); err != nil {
		t.Error(err)
	}
	if file, err := w.Open(approval.Path{Path: p.Path}); err != nil {
		t.Error(err)
	} else {
		_ = file.Close()
	}
}
