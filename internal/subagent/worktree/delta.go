package worktree

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Delta is the changes in a copy.
type Delta struct {
	Patches []Patch  // of the changed repositories, the outermost first
	Left    []string // new repositories, which no patch contains; relative to the copy's root
}

// A Patch is the changes in one repository, in git's format, binary files included.
type Patch struct {
	Repository string // the path below the outermost, with "/"; "" for the outermost
	Text       []byte
	main       string // see repository
	common     string // see repository
	base       string // see repository
	before     string // the tree objects that it is between
	after      string
	git        runner
	made       []string // the files that it creates, with "/"
}

// Empty reports whether nothing was changed.
func (d Delta) Empty() bool { return len(d.Patches) == 0 }

// Outer returns the patch of the outermost repository; nil if nothing was changed in it.
func (d Delta) Outer() []byte {
	for _, p := range d.Patches {
		if p.Repository == "" {
			return p.Text
		}
	}
	return nil
}

// Capture returns the changes so far, committed or not, except in files that git ignores.
func (t *Tree) Capture(ctx context.Context) (Delta, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return Delta{}, fmt.Errorf("capture changes: the isolated copy %s is removed", t.slot.dir)
	}
	if err := t.beginEmpty(ctx); err != nil {
		return Delta{}, fmt.Errorf("capture changes: %w", err)
	}
	var d Delta
	for _, r := range t.repositories {
		p, left, err := r.changes(ctx)
		if err != nil {
			return Delta{}, fmt.Errorf("capture changes: %w", err)
		}
		for _, path := range left {
			d.Left = append(d.Left, strings.TrimPrefix(r.rel+"/"+path, "/"))
		}
		if len(p.Text) > 0 {
			d.Patches = append(d.Patches, p)
		}
	}
	return d, nil
}

// changes returns the patch from the snapshot to the present state, and the repositories that are new since the snapshot.
func (r *repository) changes(ctx context.Context) (p Patch, left []string, err error) {
	if _, err := os.Stat(r.tree); err != nil {
		return p, nil, fmt.Errorf("the copy of %s is gone: %w", r.main, err)
	}
	if left, err = r.newRepositories(ctx); err != nil {
		return p, nil, err
	}
	foreign := slices.Concat(r.inner, left)
	after, err := writeTree(ctx, r.git, foreign)
	if err != nil || after == r.before {
		return p, left, err
	}
	what := append([]string{r.before, after, "--"}, without(foreign)...)
	args := []string{
		"diff-tree", "-r", "-p", "-M", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color",
		"--src-prefix=a/", "--dst-prefix=b/",
	}
	text, err := r.git.run(ctx, append(args, what...)...)
	if err != nil {
		return p, left, err
	}
	p = Patch{Repository: r.rel, Text: []byte(text), main: r.main, common: r.common, base: r.base, before: r.before, after: after, git: r.git}
	names, err := r.git.run(ctx, append([]string{"diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A"}, what...)...)
	for name := range strings.SplitSeq(names, "\x00") {
		if name != "" {
			p.made = append(p.made, name)
		}
	}
	return p, left, err
}

func (r *repository) newRepositories(ctx context.Context) ([]string, error) {
	found, err := untrackedRepositories(ctx, r.git)
	return slices.DeleteFunc(found, func(path string) bool { return slices.Contains(r.inner, path) }), err
}
