package engine

import (
	"errors"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/approval"
)

// This file handles the further folders of a session: Options.Roots.

// SetRoots replaces the further folders of a session that is open; see Options.Roots. It counts from the next decision about a
// call, and for commands that start then. *RootError; then nothing has changed.
func (h *Host) SetRoots(s *Session, roots []string) error {
	resolved, err := h.resolveRoots(roots)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.work.roots = resolved
	if s.work.env != nil {
		s.work.env.Workspace.SetRoots(resolved)
	}
	return nil
}

// resolveRoots returns folders with symlinks resolved, each once.
func (h *Host) resolveRoots(roots []string) (resolved []string, err error) {
	for _, root := range roots {
		if !filepath.IsAbs(root) {
			return nil, &RootError{root, errors.New("it is not an absolute path")}
		}
		real, err := realFolder(root)
		if err == nil && !h.access.coversFolder(real) {
			err = ErrOutside
		}
		if err != nil {
			return nil, &RootError{root, err}
		}
		if !slices.Contains(resolved, real) {
			resolved = append(resolved, real)
		}
	}
	return resolved, nil
}

// withRoots returns the limits of calls with the further folders opened, where the workspace is. The caller holds the session's lock.
func (s *Session) withRoots(limits approval.Sandbox) approval.Sandbox {
	if limits.Kind == approval.SandboxWorkspace && len(s.work.roots) > 0 {
		limits.Roots = slices.Concat(limits.Roots, s.work.roots)
	}
	return limits
}
