package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/patch"
	"parley.dev/parley/internal/tool/workspace"
)

// A patchPlan is what becomes of files, worked out before any is touched.
type patchPlan struct {
	workspace *workspace.Workspace
	files     []*patchFile // in the order in which the patch names them
	size      int          // of their contents, in bytes
}

// A patchFile is a file before a patch and after it.
type patchFile struct {
	path   approval.Path
	old    original
	perm   fs.FileMode // before, or if it did not exist, for the new file
	exists bool        // after
	data   []byte      // after
	from   *patchFile  // that was moved here; nil: none
}

// Errors of a plan.
var (
	errExists  = errors.New("it exists already: update it, or delete it first")
	errTooMuch = fmt.Errorf("the patch is about more than %d MiB of files", maxKept>>20)
)

func newPatchPlan(w *workspace.Workspace) *patchPlan { return &patchPlan{workspace: w} }

// do takes one section in.
func (p *patchPlan) do(op patchOp) error {
	f, err := p.file(op.from)
	if err != nil {
		return err
	}
	if op.Kind == patch.Add {
		if f.exists {
			return errExists
		}
		f.exists, f.data = true, []byte(op.Text)
		return nil
	}
	if !f.exists {
		return errors.New(missingFile(p.workspace, op.from))
	}
	if op.Kind == patch.Delete {
		f.exists, f.data = false, nil
		return nil
	}
	text, err := patch.Apply(string(f.data), op.Hunks)
	if err != nil {
		return err
	}
	if op.MoveTo == "" || op.to.Path == op.from.Path {
		f.data = []byte(text)
		return nil
	}
	to, err := p.file(op.to)
	if err == nil && to.exists {
		err = errExists
	}
	if err != nil {
		return fmt.Errorf("cannot move it to %s: %w", workspace.DisplayName(op.MoveTo), err)
	}
	to.exists, to.data, to.perm, to.from = true, []byte(text), f.perm, f
	f.exists, f.data = false, nil
	return nil
}

// file returns what the plan has of a path so far: at first, what is there.
func (p *patchPlan) file(path approval.Path) (*patchFile, error) {
	if i := slices.IndexFunc(p.files, func(f *patchFile) bool { return f.path.Path == path.Path }); i >= 0 {
		return p.files[i], nil
	}
	old, err := readOriginal(p.workspace, path)
	if err != nil {
		return nil, err
	}
	p.size += len(old.data)
	if old.huge || p.size > maxKept {
		return nil, errTooMuch
	}
	f := &patchFile{path: path, old: old, exists: old.exists, data: old.data, perm: 0o666}
	if old.exists {
		if f.perm, err = permOf(p.workspace, path); err != nil {
			return nil, err
		}
	}
	p.files = append(p.files, f)
	return f, nil
}

// permOf returns the permission bits of the file p.
func permOf(w *workspace.Workspace, p approval.Path) (fs.FileMode, error) {
	file, err := w.Open(p)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// changed reports whether the file is another afterwards.
func (f *patchFile) changed() bool {
	if !f.exists {
		return f.old.exists
	}
	return !f.old.is(f.data)
}

func (p *patchPlan) changes() []event.FileChange {
	var changes []event.FileChange
	room := maxDiffs
	for _, f := range p.files {
		if change := p.change(f); change != nil {
			room = cutDiff(change, room)
			changes = append(changes, *change)
		}
	}
	return changes
}

// change returns what becomes of f; nil if it stays as it is.
func (p *patchPlan) change(f *patchFile) *event.FileChange {
	name := p.workspace.Rel(f.path.Path)
	switch {
	case !f.changed():
		return nil
	case f.exists:
		return fileChange(name, f.old, f.data)
	}
	change := deletion(name, f.old)
	return &change
}

// deletion returns the fact that path had the content old and is no more.
func deletion(path string, old original) event.FileChange {
	change := *fileChange(path, old, nil)
	change.Op = event.Deleted
	if from, rest, ok := strings.Cut(change.Diff, "\n"); ok {
		_, hunks, _ := strings.Cut(rest, "\n")
		change.Diff = from + "\n+++ /dev/null\n" + hunks
	}
	return change
}

// commit makes the files what they are to be: all, or none. What is deleted comes last, so
// that a name is free only once its content is elsewhere.
func (p *patchPlan) commit() error {
	var done []patchStep
	for _, deleting := range []bool{false, true} {
		for _, f := range p.files {
			if !f.changed() || f.exists == deleting {
				continue
			}
			step := patchStep{patchFile: f, folders: missingFolders(p.workspace, f.path)}
			err := p.write(f.path, f.exists, f.data, f.perm)
			if err == nil {
				done = append(done, step)
				continue
			}
			p.removeFolders(step.folders)
			failed := cannot(p.workspace, "patch", f.path, err).Text
			if undone := p.undo(done); undone != nil {
				return fmt.Errorf("%s; what was already changed could not be put back: %w", failed, undone)
			}
			return fmt.Errorf("%s; no file was changed", failed)
		}
	}
	return nil
}

// A patchStep is a file that was changed.
type patchStep struct {
	*patchFile
	folders []string // that did not exist before, the deepest first
}

func (p *patchPlan) write(path approval.Path, exists bool, data []byte, perm fs.FileMode) error {
	if !exists {
		return p.workspace.Remove(path)
	}
	return p.workspace.WriteFile(path, data, perm)
}

// undo puts back what was there before, the last change first.
func (p *patchPlan) undo(done []patchStep) error {
	var errs []error
	for _, step := range slices.Backward(done) {
		errs = append(errs, p.write(step.path, step.old.exists, step.old.data, step.perm))
		p.removeFolders(step.folders)
	}
	return errors.Join(errs...)
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
func (p *patchPlan) removeFolders(folders []string) {
	for _, abs := range folders {
		if dir, err := p.workspace.OpenDir(filepath.Dir(abs)); err == nil {
			dir.Remove(filepath.Base(abs))
			dir.Close()
		}
	}
}
