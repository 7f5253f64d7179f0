package tool

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// folderIn returns a new folder in that folder, symlinks resolved.
func folderIn(t *testing.T, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "parley-temp-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// useTemp makes a folder the one that the environment names for temporary files.
func useTemp(t *testing.T, named string) {
	t.Helper()
	before := machineTemp
	machineTemp = &lazy.Value[tempFolders]{New: func() tempFolders { return findTemp(named) }}
	t.Cleanup(func() { machineTemp = before })
}

// TestWritableTemp: each temporary folder can be excluded, and is there once.
func TestWritableTemp(t *testing.T) {
	slash, err := filepath.EvalSymlinks("/tmp")
	if err != nil {
		t.Skip(err)
	}
	named := workspacetest.TempDir(t)
	file := filepath.Join(named, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                  string
		named                 string
		noTempDir, noSlashTmp bool
		want                  []string
	}{
		{"both", named, false, false, []string{named, slash}},
		{"/tmp", named, true, false, []string{slash}},
		{"the named one", named, false, true, []string{named}},
		{"none", named, true, true, nil},
		{"the same folder", "/tmp", false, false, []string{slash}},
		{"the same folder, named", "/tmp", false, true, []string{slash}},
		{"the same folder, not named", "/tmp", true, false, []string{slash}},
		{"nothing is named", "", false, true, nil},
		{"a relative name", "tmp", false, true, nil},
		{"a file", file, false, false, []string{slash}},
		{"not there", filepath.Join(named, "none"), false, true, nil},
	} {
		useTemp(t, c.named)
		got := WritableTemp(approval.Sandbox{Kind: approval.SandboxWorkspace, NoTempDir: c.noTempDir, NoSlashTmp: c.noSlashTmp})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCommandsInTemp: the operating system refuses a command what is excluded, and the workspace below it stays writable.
func TestCommandsInTemp(t *testing.T) {
	env := shellEnv(t, nil)
	if !env.Confines() {
		t.Skip("nothing can be confined here")
	}
	named, slash := folderIn(t, "/var/tmp"), folderIn(t, "/tmp")
	useTemp(t, named)
	for _, c := range []struct{ noTempDir, noSlashTmp bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		limits := approval.Sandbox{Kind: approval.SandboxWorkspace, NoTempDir: c.noTempDir, NoSlashTmp: c.noSlashTmp}
		for dir, works := range map[string]bool{named: !c.noTempDir, slash: !c.noSlashTmp, env.Workspace.Dir(): true} {
			hooks := new(liveText).hooks()
			hooks.Sandbox = limits
			path := filepath.Join(dir, "made")
			r := prepareShell(t, env, map[string]any{"command": "echo x >" + path}).Run(t.Context(), hooks)
			_, err := os.Stat(path)
			if (err == nil) != works || r.IsError == works {
				t.Errorf("%+v: write in %s: %q, %v", c, dir, r.Text, err)
			}
			_ = os.Remove(path)
		}
	}
}

// TestPolicyInCopy: a copy of a project can be changed although its folder is protected; what else is protected stays so.
func TestPolicyInCopy(t *testing.T) {
	dir := workspacetest.TempDir(t)
	copies, state := filepath.Join(dir, "copies"), filepath.Join(dir, "state")
	w, err := workspace.Open(dir, copies, state)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	e := &Env{Workspace: w, Copies: []string{copies}}
	for _, row := range []struct {
		dir            string
		copies, states bool
	}{{filepath.Join(copies, "a"), false, true}, {dir, true, true}, {filepath.Join(state, "a"), true, true}} {
		p, err := e.PolicyIn(row.dir, approval.Sandbox{Kind: approval.SandboxWorkspace})
		if err != nil || slices.Contains(p.Protected, copies) != row.copies || slices.Contains(p.Protected, state) != row.states {
			t.Errorf("%+v: %q, %v", row, p.Protected, err)
		}
	}
}
