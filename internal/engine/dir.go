package engine

import (
	"fmt"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/snapshot"
)

// This file handles the folder that a session's turns work in. It may change between them.

// moveToDir records the folder of Options.Dir as the session's. The session is idle.
func (s *Session) moveToDir() {
	dir, st := s.opts.Dir, &s.fold.State
	if dir == "" || dir == st.Dir() {
		return
	}
	s.change(func(settings *event.Settings) {
		if settings.Dir = dir; dir == st.Workspace {
			settings.Dir = ""
		}
	}, event.Client{})
}

// enterDir makes the session's folder the one of the next turn. The session is idle.
func (s *Session) enterDir() error {
	dir := s.fold.State.Dir()
	if s.work.env != nil && s.work.env.Workspace.Dir() == dir {
		if err := s.work.env.Workspace.Reopen(); err != nil {
			return fmt.Errorf("%w: %w", ErrNoFolder, err)
		}
		return nil
	}
	env, err := s.surroundings(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	s.leaveDir()
	s.work.env = env
	return nil
}

// surroundings returns what tools work with in a folder. Commands in the background belong to the
// session, whatever its folder is.
func (s *Session) surroundings(dir string) (*tool.Env, error) {
	env, err := s.host.cfg.Env(dir)
	if err != nil {
		return nil, err
	}
	if s.shell.state == nil {
		s.shell.state = env.Shell.Another()
	}
	if !s.opts.PersistentShell {
		env.Shell = nil
	}
	s.work.caches.Spawner = env.Spawner
	env.Known, env.Caches = s.work.known, &s.work.caches
	if s.work.outputs == nil {
		s.work.outputs = tool.NewOutputs(env.Temp)
	}
	if s.host.cfg.Snapshots && s.work.snapshots == nil {
		s.work.snapshots = snapshot.NewTaker(env.Spawner, env.Temp)
	}
	env.Snapshots = s.work.snapshots
	env.Workspace.AllowReads(s.work.outputs.Folder())
	env.Workspace.SetRoots(s.work.roots)
	env.Environ = sandbox.WithVariables(env.Environ, s.opts.Variables)
	env.Tasks, env.Limits, env.ZeroOffsets, env.Escalation = s.opts.Tasks, s.opts.ResultLimits, s.opts.ZeroOffsets, s.opts.Escalation
	if s.work.background == nil {
		s.work.background = env.Background
	}
	env.Background = s.work.background
	return env, nil
}

// leaveDir gives the folder back.
func (s *Session) leaveDir() {
	if s.work.env != nil {
		_ = s.work.env.Workspace.Close() // only read from
		s.work.env = nil
	}
}

// hides reports whether a path of the request is hidden in the workspace.
func (t *turn) hides(req approval.Request) bool {
	return slices.ContainsFunc(req.Paths, func(path approval.Path) bool { return t.env.Workspace.Hides(path.Path) })
}
