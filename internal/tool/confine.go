package tool

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/sandbox"
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
		p.Writable = append(p.Writable, TempFolders()...)
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
	}
	return p, err
}

// environ returns the environment of a command with these limits.
func (e *Env) environ(confine sandbox.Policy) []string {
	return e.Caches.Add(e.Shell.Environ(e.Environ, confine), confine)
}

// run runs shell text to its end; see shell.Text.Run.
func (e *Env) run(ctx context.Context, t shell.Text) (exit sandbox.Exit, captured bool, err error) {
	t.Environ = e.environ(t.Confine)
	return t.Run(ctx, e.Spawner, e.Shell, e.Environ)
}

// TempFolders is the machine's temporary folders: absolute, symlinks resolved.
var TempFolders = sync.OnceValue(func() []string {
	var folders []string
	for _, dir := range []string{os.TempDir(), "/tmp"} {
		real, err := workspace.RealPath(dir)
		if info, serr := os.Stat(real); err != nil || serr != nil || !info.IsDir() || slices.Contains(folders, real) {
			continue
		}
		folders = append(folders, real)
	}
	return folders
})
