package session

import (
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/event"
)

// FileChanges is the fold of what tools and restores changed in files. From and Turn select which changes count; they
// are set before the first record.
type FileChanges struct {
	From uint64       // number of the first record that counts; 0: all
	Turn event.TurnID // only this turn counts; "": all

	Files     map[string]NetChange // by absolute path
	Untracked []UntrackedCall      // in the order of their records
	TurnFound bool                 // there is a record of Turn

	dir   string // that turns work in
	space string // the workspace
	calls map[event.CallID]event.ToolIntended
	began map[event.CallID]bool // the calls that have run
}

// A NetChange is the net change of one file.
type NetChange struct {
	Dir         string // that turns worked in at the last change
	First, Last event.FileChange
	Number      int    // of changes
	Added       int    // lines, of all changes
	Removed     int    // lines, of all changes
	Mode        uint32 // permission bits before it was deleted first; 0: it never was
	// Changed is the record of a change whose file was not as the change before had left it; 0: there is none.
	Changed uint64
}

// An UntrackedCall is a call of a tool, or a command of a user, that may have changed files without a record of it.
type UntrackedCall struct {
	Seq  uint64       // of its end
	Call event.CallID // "": a command of a user
	Tool string       // our own name of the tool, or that of its server
}

// trackedTools are our own tools whose changes of files are all recorded; most make none. Others run something that
// may change any file.
var trackedTools = []string{
	"read", "write", "edit", "patch", "glob", "grep", "list", "fetch", "search", "skill", "ask", "permissions", "plan", "todo", "leave_plan", "submit",
	"background_list", "background_read", "background_stop",
}

// None reports whether the file is as it was.
func (n NetChange) None() bool {
	if n.Last.Op == event.Deleted {
		return !n.First.Existed
	}
	return n.First.Existed && n.First.Before != "" && n.First.Before == n.Last.After
}

// OpenChanges returns the fold of what changes in the open turn. It takes the records from Open.Began on.
func (f *Fold) OpenChanges() FileChanges {
	return FileChanges{Turn: f.State.Turn, dir: f.Open.Dir, space: f.State.Workspace}
}

// Apply takes the next record, the first of a session at first, unless OpenChanges has returned the fold.
func (c *FileChanges) Apply(rec event.Record) {
	c.TurnFound = c.TurnFound || c.Turn != "" && rec.Turn == c.Turn
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		c.space = e.Workspace
		c.move(e.Settings)
	case event.SessionChanged:
		c.move(e.Settings)
	case event.ToolIntended:
		c.intend(e)
	case event.ToolStarted:
		if _, ok := c.calls[e.Call]; ok {
			c.began[e.Call] = true
		}
	case event.ToolEnded:
		intended, began := c.calls[e.Call], c.began[e.Call]
		delete(c.calls, e.Call)
		delete(c.began, e.Call)
		if c.counts(rec) {
			c.changed(rec.Seq, e.Changes)
			if e.Shell != nil {
				c.changed(rec.Seq, e.Shell.Changes)
			}
			if began && untracked(intended, e) {
				c.Untracked = append(c.Untracked, UntrackedCall{rec.Seq, e.Call, toolName(intended)})
			}
		}
	case event.CommandRan:
		if c.counts(rec) {
			c.changed(rec.Seq, e.Shell.Changes)
			if !e.Shell.Tracked {
				c.Untracked = append(c.Untracked, UntrackedCall{Seq: rec.Seq, Tool: "shell"})
			}
		}
	case event.FilesRestored:
		if c.counts(rec) {
			c.changed(rec.Seq, e.Changes)
		}
	}
}

func (c *FileChanges) counts(rec event.Record) bool {
	return rec.Seq >= c.From && (c.Turn == "" || rec.Turn == c.Turn)
}

func (c *FileChanges) move(settings event.Settings) {
	if c.dir = settings.Dir; c.dir == "" {
		c.dir = c.space
	}
}

func (c *FileChanges) intend(e event.ToolIntended) {
	if c.calls == nil {
		c.calls, c.began = map[event.CallID]event.ToolIntended{}, map[event.CallID]bool{}
	}
	e.Input = nil
	c.calls[e.Call] = e
}

// untracked reports whether a call that has run may have changed files without a record of it.
func untracked(intended event.ToolIntended, e event.ToolEnded) bool {
	if len(e.Changes) > 0 || e.Shell != nil && e.Shell.Tracked { // the changes of a command that is a patch are in the call
		return false
	}
	return e.Outcome == event.OutcomeUnknown || intended.Server != "" || !slices.Contains(trackedTools, intended.Tool)
}

func toolName(e event.ToolIntended) string {
	if e.Tool == "" {
		return e.Name
	}
	return e.Tool
}

func (c *FileChanges) changed(seq uint64, changes []event.FileChange) {
	for _, change := range changes {
		path := filepath.FromSlash(change.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.dir, path)
		}
		if c.Files == nil {
			c.Files = map[string]NetChange{}
		}
		n, seen := c.Files[path]
		switch {
		case !seen:
			n.First = change
		case n.Changed == 0 && !follows(change, n.Last):
			n.Changed = seq
		}
		if n.Mode == 0 {
			n.Mode = change.Mode
		}
		n.Dir, n.Last = c.dir, change
		n.Number++
		n.Added, n.Removed = n.Added+change.Added, n.Removed+change.Removed
		c.Files[path] = n
	}
}

// follows reports whether next begins with what last has left, as far as that is recorded.
func follows(next, last event.FileChange) bool {
	if exists := last.Op != event.Deleted; !exists || !next.Existed {
		return exists == next.Existed
	}
	return next.Before == "" || last.After == "" || next.Before == last.After
}
