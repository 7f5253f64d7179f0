package tool

import (
	"context"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/snapshot"
)

// maxCommandDiffs is how long the diffs of all files that a command changes may be, in bytes.
const maxCommandDiffs = 1 << 20

// A fileWatch finds out what a command changes in files.
type fileWatch struct {
	env    *Env
	before snapshot.Snapshot
	taken  bool
}

// watchFiles begins to watch the files of the workspace, unless a command cannot change any.
func (e *Env) watchFiles(ctx context.Context, s approval.Sandbox) fileWatch {
	w := fileWatch{env: e}
	if s.Kind == approval.SandboxReadOnly {
		return w
	}
	var err error
	w.before, err = e.Snapshots.Take(ctx, e.Workspace.Dir(), e.Environ)
	w.taken = err == nil
	return w
}

// end returns what the command changed, and reports whether that is all but for files that git ignores. The contents before
// are stored with keep. It also does that after ctx has ended.
func (w fileWatch) end(ctx context.Context, keep func(data []byte) string) (changes []event.FileChange, tracked bool) {
	if !w.taken {
		return nil, false
	}
	ctx = context.WithoutCancel(ctx)
	after, err := w.env.Snapshots.Take(ctx, w.env.Workspace.Dir(), w.env.Environ)
	if err != nil {
		return nil, false
	}
	found, whole, err := w.env.Snapshots.Changes(ctx, w.before, after, w.env.Environ)
	if err != nil {
		return nil, false
	}
	room := maxCommandDiffs
	for _, f := range found {
		if w.env.Workspace.Hides(f.Path) {
			whole = false
			continue
		}
		old, now := originalOf(f.Before), originalOf(f.After)
		change := changeOf(w.env.Workspace.Rel(f.Path), old, now)
		change.Before = old.keep(keep)()
		room = CutDiff(change, room)
		changes = append(changes, *change)
	}
	return changes, whole
}

func originalOf(f snapshot.File) original {
	return original{data: f.Data, exists: f.Exists, huge: len(f.Data) > maxKept, perm: f.Mode}
}
