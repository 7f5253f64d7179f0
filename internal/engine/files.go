package engine

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/git"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
)

// This file reports what tools changed in files. The contents before the changes are blobs, those after them are worked out from
// the diffs.

// maxShownDiffs is how long the diffs of all files of a report are at most, in bytes.
const maxShownDiffs = 4 << 20

// UntrackedCall is a call or a command that may have changed files without a record of it.
type UntrackedCall = session.UntrackedCall

// ChangedFiles is what tools changed in files, all in all.
type ChangedFiles struct {
	Files     []ChangedFile // sorted by path
	Untracked []UntrackedCall
}

// A ChangedFile is all changes of a file as one, from its first content to its last.
type ChangedFile struct {
	event.FileChange
	Missing bool // the contents are not known: there is no diff, and the lines are those of all changes
}

// Files are the files that a session works on.
type Files struct{ s *Session }

// Files returns the files of the session.
func (s *Session) Files() Files { return Files{s} }

// Changes returns what tools changed in files, in one turn or, with "", in all. ErrNoTurn.
func (f Files) Changes(ctx context.Context, turn event.TurnID) (ChangedFiles, error) {
	s := f.s
	fold, from := s.changesIn(turn)
	fold, err := s.fileChanges(ctx, fold, from)
	if err != nil {
		return ChangedFiles{}, err
	}
	if turn != "" && !fold.TurnFound {
		return ChangedFiles{}, ErrNoTurn
	}
	dir := s.State().Dir()
	changed := ChangedFiles{Untracked: fold.Untracked}
	room := maxShownDiffs
	for _, path := range slices.Sorted(maps.Keys(fold.Files)) {
		if n := fold.Files[path]; !n.None() {
			file := s.netChange(n)
			file.Path = relativeTo(dir, path)
			room = tool.CutDiff(&file.FileChange, room)
			changed.Files = append(changed.Files, file)
		}
	}
	return changed, nil
}

// Uncommitted returns what differs from the last commit in the session's folder, whatever changed it. It fails where there is no repository.
func (f Files) Uncommitted(ctx context.Context) (git.Difference, error) {
	dir := f.s.State().Dir()
	env, err := f.s.host.cfg.Env(dir)
	if err != nil {
		return git.Difference{}, fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	defer func() { _ = env.Workspace.Close() }() // only read from
	return git.Runner{Spawner: env.Spawner, Environ: env.Environ}.Diff(ctx, env.Workspace.Dir())
}

// changesIn returns the fold of the changes in a turn, or in all, and the first record that it takes: of the turn that runs, which clients
// show after each change, the records before it are not read.
func (s *Session) changesIn(turn event.TurnID) (fold session.FileChanges, from uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn != "" && turn == s.fold.State.Turn {
		return s.fold.OpenChanges(), s.fold.Open.Began
	}
	return session.FileChanges{Turn: turn}, 1
}

// fileChanges folds the records that exist now, from one on.
func (s *Session) fileChanges(ctx context.Context, fold session.FileChanges, from uint64) (session.FileChanges, error) {
	for rec, err := range s.Log().RecordsFrom(ctx, from) {
		if err != nil {
			return fold, err
		}
		fold.Apply(rec)
	}
	return fold, nil
}

// netChange returns the changes of a file as one.
func (s *Session) netChange(n session.NetChange) ChangedFile {
	if n.Number == 1 {
		return ChangedFile{FileChange: n.Last}
	}
	before, known := s.contentBefore(n.First)
	after, knownAfter := s.contentAfter(n.Last)
	if known && knownAfter {
		return ChangedFile{FileChange: tool.NetChange(n.Last.Path, before, after)}
	}
	return ChangedFile{FileChange: event.FileChange{Path: n.Last.Path, Op: netOp(n), Existed: n.First.Existed, Added: n.Added, Removed: n.Removed}, Missing: true}
}

// netOp returns what was done to a file, all in all.
func netOp(n session.NetChange) event.FileOp {
	switch {
	case n.Last.Op == event.Deleted:
		return event.Deleted
	case !n.First.Existed:
		return event.Created
	}
	return event.Updated
}

// contentBefore returns what was in a file before a change, if that is known.
func (s *Session) contentBefore(c event.FileChange) (content tool.FileContent, known bool) {
	if !c.Existed {
		return tool.FileContent{}, true
	}
	if c.Before == "" {
		return tool.FileContent{}, false
	}
	data, err := s.log.Blob(c.Before)
	return tool.FileContent{Exists: true, Data: data}, err == nil
}

// contentAfter returns what a change has left of a file, if that is known.
func (s *Session) contentAfter(c event.FileChange) (content tool.FileContent, known bool) {
	if c.Op == event.Deleted {
		return tool.FileContent{}, true
	}
	if before, known := s.contentBefore(c); known {
		if data, err := tool.ContentAfter(before.Data, c); err == nil {
			return tool.FileContent{Exists: true, Data: data}, true
		}
	}
	if c.After == "" {
		return tool.FileContent{}, false
	}
	data, err := s.log.Blob(c.After) // a later change may have stored it
	return tool.FileContent{Exists: true, Data: data}, err == nil
}

// relativeTo returns a path as records have it: relative to dir with "/", absolute if outside.
func relativeTo(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
