package engine

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

// RestoredFiles is what Restore did, or would do.
type RestoredFiles struct {
	Files     []RestoredFile  // sorted by path
	Untracked []UntrackedCall // since the record; what they changed stays
}

// A RestoredFile is a file that is put back as it was.
type RestoredFile struct {
	event.FileChange      // from now to then; without a diff if it is so already
	Missing          bool // what was in it is not known
	Outside          bool // tools may not write it without an approval
}

// Restore puts the files that tools changed back as they were before a record, of any kind or the one after the last.
// Without apply it only reports what it would do. All files are written, or none: a *ConflictError reports a file that
// something else has changed since, an *UnrestorableError one whose content is not known, or that tools may not write.
// If the process dies meanwhile, Restore can be repeated. A FilesRestored records what was done.
//
// ErrTurnActive, ErrNoRecord, ErrTooMuch, and ErrNoFolder.
func (c *Client) Restore(ctx context.Context, before uint64, apply bool) (RestoredFiles, error) {
	s := c.session
	if !apply {
		if err := s.enterIdle(before); err != nil {
			return RestoredFiles{}, err
		}
		defer s.leaveIdle()
		restored, _, unlock, err := s.planRestore(ctx, before)
		unlock()
		return restored, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	busy, err := s.occupy(cancel, func() error { return s.canRestore(before) })
	if err != nil {
		return RestoredFiles{}, err
	}
	defer s.vacate(busy)
	restored, plan, unlock, err := s.planRestore(ctx, before)
	defer unlock()
	if err == nil {
		err = restored.refusal()
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil || len(restored.Files) == 0 {
		return restored, err
	}
	changes, err := plan.Commit(s.log.Keep)
	if err != nil {
		return RestoredFiles{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Settle("", event.FilesRestored{Before: before, Changes: changes, Client: c.who})
	return restored, nil
}

// enterIdle makes the folder of an idle session usable.
func (s *Session) enterIdle(before uint64) error {
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	if s.slot != nil {
		return ErrTurnActive
	}
	return s.canRestore(before)
}

// leaveIdle gives the folder back after enterIdle.
func (s *Session) leaveIdle() {
	s.mu.Lock()
	s.unlock()
}

// canRestore enters the folder. It runs under the session's lock.
func (s *Session) canRestore(before uint64) error {
	if before == 0 || before > s.fold.State.Head+1 {
		return ErrNoRecord
	}
	return s.enterDir()
}

// planRestore computes the changes of files, and locks the files, also if it fails.
func (s *Session) planRestore(ctx context.Context, before uint64) (restored RestoredFiles, plan *tool.Restorer, unlock func(), err error) {
	fold, err := s.fileChanges(ctx, session.FileChanges{From: before}, 1)
	if err != nil {
		return restored, nil, func() {}, err
	}
	restored.Untracked = fold.Untracked
	s.mu.Lock()
	env := s.work.env
	s.mu.Unlock()
	if env == nil { // the session is being closed
		return restored, nil, func() {}, ErrClosed
	}
	plan, unlock = tool.NewRestorer(env.Workspace)
	room := maxShownDiffs
	for _, path := range slices.Sorted(maps.Keys(fold.Files)) {
		n := fold.Files[path]
		if n.None() {
			continue
		}
		file, err := s.planFile(plan, env, n)
		if err != nil {
			return RestoredFiles{}, nil, unlock, err
		}
		room = tool.CutDiff(&file.FileChange, room)
		restored.Files = append(restored.Files, file)
	}
	return restored, plan, unlock, nil
}

// planFile takes a file into the plan, if its content then is known.
func (s *Session) planFile(plan *tool.Restorer, env *tool.Env, n session.NetChange) (RestoredFile, error) {
	path, err := plan.Resolve(n.Dir, n.Last.Path)
	if err != nil {
		return RestoredFile{}, err
	}
	file := RestoredFile{FileChange: event.FileChange{Path: plan.Name(path), Op: restoringOp(n)}, Outside: s.refuses(env, path)}
	content, known := s.contentBefore(n.First)
	if !known || !n.First.Undoable() || !n.Last.Undoable() {
		file.Missing = true
		return file, nil
	}
	change, err := plan.Add(path, tool.PastFile{
		FileContent: content, Mode: fs.FileMode(n.Mode), Last: n.Last, Changed: n.Changed != 0,
		Left: func() (tool.FileContent, bool) { return s.contentAfter(n.Last) },
	})
	if err != nil {
		return RestoredFile{}, err
	}
	file.FileChange = change
	return file, nil
}

// restoringOp returns what has to be done to a file that is as tools left it.
func restoringOp(n session.NetChange) event.FileOp {
	switch {
	case !n.First.Existed:
		return event.Deleted
	case n.Last.Op == event.Deleted:
		return event.Created
	}
	return event.Updated
}

// refuses reports whether a restore must not write a file: a rule forbids it to tools, or it is outside of what they may
// write without an approval.
func (s *Session) refuses(env *tool.Env, path approval.Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	settings := s.fold.State.Settings
	settings.Sandbox = s.withRoots(settings.Sandbox)
	decision := s.approvals().Decide(Proposed{
		Request:  approval.Request{Tool: cmp.Or(s.tools.shown("write"), "write"), Level: approval.Write, Paths: []approval.Path{path}},
		Settings: settings, Grants: &s.clients.grants, Dir: env.Workspace.Dir(), Home: env.Workspace.Home(), Shell: s.tools.shown(shellTool),
	})
	return decision.Verdict == approval.Deny || decision.Verdict == approval.Ask && path.Outside
}

// refusal returns why the files cannot be put back; nil: they can.
func (r RestoredFiles) refusal() error {
	for _, f := range r.Files {
		if f.Missing || f.Outside {
			return &UnrestorableError{Path: f.Path, Outside: !f.Missing}
		}
	}
	return nil
}
