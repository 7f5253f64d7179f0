package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/patch"
	"parley.dev/parley/internal/tool/workspace"
)

// A patchPlan is the plan of a patch.
type patchPlan struct {
	filePlan
	size int // of the contents of the files, in bytes
}

// Errors of a plan.
var (
	errExists  = errors.New("it exists already: update it, or delete it first")
	errTooMuch = fmt.Errorf("the patch is about more than %d MiB of files", maxKept>>20)
)

func newPatchPlan(w *workspace.Workspace, client ClientFiles) *patchPlan {
	return &patchPlan{filePlan: filePlan{workspace: w, client: client}}
}

// do takes one section in.
func (p *patchPlan) do(ctx context.Context, op patchOp) error {
	f, err := p.file(ctx, op.from)
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
	to, err := p.file(ctx, op.to)
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
func (p *patchPlan) file(ctx context.Context, path approval.Path) (*plannedFile, error) {
	if i := slices.IndexFunc(p.files, func(f *plannedFile) bool { return f.path.Path == path.Path }); i >= 0 {
		return p.files[i], nil
	}
	old, err := readOriginal(ctx, p.workspace, p.client, path)
	if err != nil {
		return nil, err
	}
	p.size += len(old.data)
	if old.huge || p.size > maxKept {
		return nil, errTooMuch
	}
	f := &plannedFile{path: path, old: old, exists: old.exists, data: old.data, perm: 0o666}
	if old.exists {
		f.perm = old.perm
	}
	p.files = append(p.files, f)
	return f, nil
}
