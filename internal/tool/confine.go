package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/environ"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspace"
)

// Confines reports whether this machine can confine commands. The first answer may take some
// milliseconds: it is tried out.
func (e *Env) Confines() bool { return e.Spawner != nil && e.Spawner.Confinement().Available }

// policy returns how a command is confined that may touch what s says.
func (e *Env) policy(s approval.Sandbox) (sandbox.Policy, error) {
	switch s.Kind {
	case approval.SandboxNone, approval.SandboxExternal:
		return sandbox.Policy{Level: sandbox.Full}, nil
	case approval.SandboxReadOnly:
		return sandbox.Policy{Level: sandbox.ReadOnly}, nil
	case approval.SandboxWorkspace:
		p := sandbox.Policy{Level: sandbox.WorkspaceWrite, Network: s.Network}
		p.Writable = append([]string{e.Workspace.Dir()}, s.Roots...)
		p.Writable = append(p.Writable, WritableTemp(s)...)
		program.Distrust(p.Writable...)
		p.ProtectedFiles, p.Protected = e.Workspace.Protected()
		return p, nil
	}
	return sandbox.Policy{}, fmt.Errorf("unknown sandbox %q", s.Kind)
}

// PolicyIn returns how a command is confined in a folder that is not the workspace, and is worked
// in as if it was.
func (e *Env) PolicyIn(dir string, s approval.Sandbox) (sandbox.Policy, error) {
	p, err := e.policy(s)
	if err == nil && p.Level == sandbox.WorkspaceWrite {
		p.Writable[0] = dir
		p.Protected = slices.DeleteFunc(p.Protected, func(path string) bool {
			return slices.Contains(e.Copies, path) && workspace.Below(path, dir)
		})
		program.Distrust(dir)
	}
	return p, err
}

// environ returns the environment of a command with these limits.
func (e *Env) environ(confine sandbox.Policy) []string {
	return e.Caches.Add(e.Shell.Environ(e.Environ, confine), confine)
}

// grantedGit are the settings of git for a command that a grant covers, so that it does what its words say: git then takes no
// folder for a bare repository because of the files in it, and starts no program of a repository's settings to find changes.
var grantedGit = []environ.GitSetting{{Key: "safe.bareRepository", Value: "explicit"}, {Key: "core.fsmonitor", Value: "false"}}

// gitSettings returns the settings of git for a command.
func gitSettings(granted bool) []environ.GitSetting {
	if !granted {
		return nil
	}
	return grantedGit
}

// run runs shell text to its end; see shell.Text.Run.
func (e *Env) run(ctx context.Context, t shell.Text) (exit sandbox.Exit, captured bool, err error) {
	t.Environ = e.environ(t.Confine)
	return t.Run(ctx, e.Spawner, e.Shell, e.Environ)
}

// TempFolders returns the machine's temporary folders: absolute, symlinks resolved.
func TempFolders() []string { return WritableTemp(approval.Sandbox{}) }

// WritableTemp returns the temporary folders that s opens where it opens the workspace: absolute, symlinks resolved.
func WritableTemp(s approval.Sandbox) []string {
	temp := machineTemp.Get()
	var folders []string
	if !s.NoTempDir {
		folders = append(folders, temp.named...)
	}
	if !s.NoSlashTmp {
		folders = append(folders, temp.slash...)
	}
	if len(folders) == 2 && folders[0] == folders[1] {
		folders = folders[:1]
	}
	return folders
}

// A tempFolders is the temporary folders of a machine: each list has one, or none if it is no folder.
type tempFolders struct {
	named []string // the folder that the environment names
	slash []string // /tmp
}

var machineTemp = &lazy.Value[tempFolders]{New: func() tempFolders { return findTemp(os.Getenv("TMPDIR")) }}

// findTemp returns the temporary folders of a machine whose environment names that one; "": none.
func findTemp(named string) tempFolders {
	return tempFolders{named: folderAt(named), slash: folderAt("/tmp")}
}

// folderAt returns the folder at an absolute path, symlinks resolved; nothing if there is none.
func folderAt(path string) []string {
	if !filepath.IsAbs(path) {
		return nil
	}
	real, err := workspace.RealPath(path)
	if info, serr := os.Stat(real); err != nil || serr != nil || !info.IsDir() {
		return nil
	}
	return []string{real}
}
