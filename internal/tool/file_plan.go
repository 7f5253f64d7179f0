package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// A filePlan is the changes of files, computed before any file is touched.
type filePlan struct {
	workspace *workspace.Workspace
	client    ClientFiles
	files     []*plannedFile // in the order in which they were named
}

// A plannedFile is a file before and after the changes of a plan.
type plannedFile struct {
	path   approval.Path
	old    original
	before string       // address of the content of old; "": it is not stored
	perm   fs.FileMode  // before, or if it did not exist, for the new file
	exact  fs.FileMode  // permission bits that it is to have afterwards; 0: as tools write files
	exists bool         // after
	data   []byte       // after
	from   *plannedFile // that was moved here; nil: none
}

// changed reports whether the file is another afterwards.
func (f *plannedFile) changed() bool {
	if !f.exists {
		return f.old.exists
	}
	return !f.old.is(f.data)
}

func (p *filePlan) changes() []event.FileChange {
	var changes []event.FileChange
	for _, f := range p.files {
		if change := p.change(f); change != nil {
			changes = append(changes, *change)
		}
	}
	return CutDiffs(changes)
}

// change returns the change of f; nil if f stays unchanged.
func (p *filePlan) change(f *plannedFile) *event.FileChange {
	if !f.changed() {
		return nil
	}
	change := changeOf(p.workspace.Rel(f.path.Path), f.old, original{data: f.data, exists: f.exists})
	change.Before = f.before
	return change
}

// keep begins to store the contents that the plan replaces, and returns what waits until they are stored.
func (p *filePlan) keep(store func(data []byte) string) (wait func()) {
	var waits []func()
	for _, f := range p.files {
		if f.changed() {
			address := f.old.keep(store)
			waits = append(waits, func() { f.before = address() })
		}
	}
	return func() {
		for _, wait := range waits {
			wait()
		}
	}
}

// commit makes the files what they are to be: all, or none. What is deleted comes last, so
// that a name is free only once its content is elsewhere. The error is worded for models, and begins with what
// was to be done.
func (p *filePlan) commit(ctx context.Context, doing string) error {
	var done []planStep
	for _, deleting := range []bool{false, true} {
		for _, f := range p.files {
			if !f.changed() || f.exists == deleting {
				continue
			}
			step := planStep{plannedFile: f, folders: missingFolders(p.workspace, f.path)}
			err := p.write(ctx, f)
			if err == nil {
				done = append(done, step)
				continue
			}
			removeFolders(p.workspace, step.folders)
			failed := cannot(p.workspace, doing, f.path, err).Text
			if undone := p.undo(ctx, done); undone != nil {
				return fmt.Errorf("%s; what was already changed could not be put back: %w", failed, undone)
			}
			return fmt.Errorf("%s; no file was changed", failed)
		}
	}
	return nil
}

// A planStep is a file that was changed.
type planStep struct {
	*plannedFile
	folders []string // that did not exist before, the deepest first
}

func (p *filePlan) write(ctx context.Context, f *plannedFile) error {
	switch {
	case !f.exists:
		return p.workspace.Remove(f.path)
	case p.byClient(f):
		return p.client.write(ctx, p.workspace, f.path, f.data)
	case f.exact != 0:
		return p.workspace.ReplaceFile(f.path, f.data, f.exact)
	}
	return p.workspace.WriteFile(f.path, f.data, f.perm)
}

// byClient reports whether the client writes the file. What is moved is moved on our own disk.
func (p *filePlan) byClient(f *plannedFile) bool {
	return f.exists && f.from == nil && f.exact == 0 && p.client.writes(f.old, f.data)
}

// undo puts back what was there before, the last change first. It goes on for some time after ctx has ended.
func (p *filePlan) undo(ctx context.Context, done []planStep) error {
	ctx, cancel := outliving(ctx, clientGrace)
	defer cancel()
	var errs []error
	for _, step := range slices.Backward(done) {
		errs = append(errs, p.restore(ctx, step.plannedFile))
		removeFolders(p.workspace, step.folders)
	}
	return errors.Join(errs...)
}

// restore makes a file that was changed what it was before.
func (p *filePlan) restore(ctx context.Context, f *plannedFile) error {
	switch {
	case f.old.exists && p.byClient(f):
		return p.client.write(ctx, p.workspace, f.path, f.old.data)
	case f.old.exists:
		return p.workspace.ReplaceFile(f.path, f.old.data, f.old.perm)
	}
	err := p.workspace.Remove(f.path)
	if p.byClient(f) && errors.Is(err, fs.ErrNotExist) {
		return nil // the client has not saved it
	}
	return err
}

// missingFolders returns the folders above p that do not exist, the deepest first.
func missingFolders(w *workspace.Workspace, p approval.Path) []string {
	var missing []string
	for abs := filepath.Dir(p.Path); ; abs = filepath.Dir(abs) {
		dir, err := w.OpenDir(abs)
		if !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				dir.Close()
			}
			return missing
		}
		missing = append(missing, abs)
	}
}

// removeFolders removes folders that are empty.
func removeFolders(w *workspace.Workspace, folders []string) {
	for _, abs := range folders {
		if dir, err := w.OpenDir(filepath.Dir(abs)); err == nil {
			dir.Remove(filepath.Base(abs))
			dir.Close()
		}
	}
}

// deletion returns the fact that path had the content old and is no more.
func deletion(path string, old original) *event.FileChange {
	change := fileChange(path, old, nil)
	change.Op, change.After, change.Mode = event.Deleted, "", uint32(old.perm)
	if from, rest, ok := strings.Cut(change.Diff, "\n"); ok {
		_, hunks, _ := strings.Cut(rest, "\n")
		change.Diff = from + "\n+++ /dev/null\n" + hunks
	}
	return change
}

// changeOf returns the fact that path was old and now is new.
func changeOf(path string, old, new original) *event.FileChange {
	if !new.exists {
		return deletion(path, old)
	}
	return fileChange(path, old, new.data)
}
