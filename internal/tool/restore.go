package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// maxRestored is how much the files of a restore may have in them before and after, in bytes.
const maxRestored = 256 << 20

// ErrTooMuch is of a restore of files that are too large together.
var ErrTooMuch = fmt.Errorf("the files have more than %d MiB before and after together", maxRestored>>20)

// A ConflictError reports a file that is not as tools left it.
type ConflictError struct {
	Path    string // relative to the workspace, absolute if outside
	Problem string // a clause about the file
}

func (e *ConflictError) Error() string {
	return workspace.DisplayName(e.Path) + " cannot be restored: " + e.Problem
}

// A Restorer puts files back as they were before tools changed them: all, or none.
type Restorer struct {
	plan filePlan
	size int
	kept []pastState // of files that are as they were already
}

// A FileContent is what is in a file at some time.
type FileContent struct {
	Exists bool
	Data   []byte
}

func (c FileContent) original() original { return original{data: c.Data, exists: c.Exists} }

// A PastFile is a file as it was, and as tools left it.
type PastFile struct {
	FileContent
	Mode fs.FileMode      // permission bits that it is to have; 0: it keeps those that it has
	Last event.FileChange // the last change by a tool
	// Changed reports that something else changed the file between two changes by tools.
	Changed bool
	// Left returns what Last has left of the file, if that is known. It is called for files that are as they were.
	Left func() (content FileContent, ok bool)
}

// A pastState is a file that does not change: what is recorded about it.
type pastState struct {
	name   string
	last   original
	known  bool // what last has in it
	target original
}

// NewRestorer returns a Restorer of files of a workspace. No tool changes files until unlock is called.
func NewRestorer(w *workspace.Workspace) (r *Restorer, unlock func()) {
	return &Restorer{plan: filePlan{workspace: w}}, w.LockFiles()
}

// Resolve returns the path of a change that was recorded when the session worked in dir. It fails with a *ConflictError
// if the path leads through a link that was not there then.
func (r *Restorer) Resolve(dir, path string) (approval.Path, error) {
	abs := filepath.FromSlash(path)
	if !filepath.IsAbs(abs) {
		real, err := workspace.RealPath(dir)
		if err != nil {
			return approval.Path{}, &ConflictError{path, err.Error()}
		}
		abs = filepath.Join(real, abs)
	}
	p, err := r.plan.workspace.Exact(abs, true)
	if errors.Is(err, workspace.ErrSwapped) {
		err = errors.New("its path leads through a link now")
	}
	if err != nil {
		return approval.Path{}, &ConflictError{r.plan.workspace.Rel(abs), err.Error()}
	}
	return p, nil
}

// Name returns a path as it is shown: relative to the workspace, absolute if outside.
func (r *Restorer) Name(p approval.Path) string { return r.plan.workspace.Rel(p.Path) }

// Add makes a file one of those to restore, and returns what is done to it; without a diff if it is as it was already.
// It fails with a *ConflictError if the file is neither as it was nor as tools left it, and with ErrTooMuch.
func (r *Restorer) Add(p approval.Path, f PastFile) (event.FileChange, error) {
	name, target := r.Name(p), f.original()
	now, err := originalOnDisk(r.plan.workspace, p)
	switch {
	case err != nil:
		return event.FileChange{}, &ConflictError{name, err.Error()}
	case now.huge:
		return event.FileChange{}, &ConflictError{name, fmt.Sprintf("it is larger than %d MiB", maxKept>>20)}
	}
	if now.exists == target.exists && (!now.exists || now.is(target.data)) {
		return r.addUnchanged(name, f, target), nil
	}
	if problem := changedSince(now, f); problem != "" {
		return event.FileChange{}, &ConflictError{name, problem}
	}
	if r.size += len(now.data) + len(target.data); r.size > maxRestored {
		return event.FileChange{}, ErrTooMuch
	}
	planned := &plannedFile{path: p, old: now, perm: 0o666, exact: f.Mode, exists: target.exists, data: target.data}
	r.plan.files = append(r.plan.files, planned)
	return *r.plan.change(planned), nil
}

// changedSince returns how a file differs from what tools left of it; "" if it does not.
func changedSince(now original, f PastFile) string {
	switch left := f.Last.Op != event.Deleted; {
	case left && !now.exists:
		return "it was deleted since the last change by a tool"
	case !left && now.exists:
		return "it was created again since a tool deleted it"
	case left && contentHash(now.data) != f.Last.After:
		return "it was changed since the last change by a tool"
	case f.Changed:
		return "something else changed it between two changes by tools"
	}
	return ""
}

func (r *Restorer) addUnchanged(name string, f PastFile, target original) event.FileChange {
	left, known := f.Left()
	state := pastState{name: name, last: left.original(), known: known, target: target}
	r.kept = append(r.kept, state)
	change := state.change()
	change.Diff, change.Added, change.Removed, change.Cut = "", 0, 0, 0
	return change
}

// change returns the change from what tools left in the file to what it is.
func (s pastState) change() event.FileChange {
	if s.known {
		return *changeOf(s.name, s.last, s.target)
	}
	change := event.FileChange{Path: s.name, Op: event.Updated, Existed: true, After: contentHash(s.target.data)}
	if !s.target.exists {
		change.Op, change.After = event.Deleted, ""
	}
	return change
}

// Commit writes the files, and returns the changes: also those of files that were as they had been already. Contents
// that are replaced are stored.
func (r *Restorer) Commit(store func(data []byte) (address string)) ([]event.FileChange, error) {
	stored := r.plan.keep(store)
	err := r.plan.commit(context.Background(), "restore")
	stored()
	if err != nil {
		return nil, err
	}
	changes := r.plan.changes()
	for _, s := range r.kept {
		change := s.change()
		if s.known {
			change.Before = s.last.keep(store)()
		}
		changes = append(changes, change)
	}
	return CutDiffs(changes), nil
}

// CutDiffs shortens diffs so that all fit into a record.
func CutDiffs(changes []event.FileChange) []event.FileChange {
	room := maxDiffs
	for i := range changes {
		room = CutDiff(&changes[i], room)
	}
	return changes
}

// NetChange returns the change of a file from one content to another, of which one exists.
func NetChange(path string, before, after FileContent) event.FileChange {
	return *changeOf(path, before.original(), after.original())
}

// ContentAfter returns what a change has left in a file that exists, from what was in it before. It fails if the diff of
// the change is not all of it: of binary and large files there is none.
func ContentAfter(before []byte, c event.FileChange) ([]byte, error) {
	text := string(before)
	if c.Diff != "" && c.Cut == 0 {
		var err error
		if text, err = ApplyDiff(text, c.Diff); err != nil {
			return nil, err
		}
	}
	if data := []byte(text); c.After != "" && contentHash(data) == c.After {
		return data, nil
	}
	return nil, errors.New("the content after the change is not known")
}
