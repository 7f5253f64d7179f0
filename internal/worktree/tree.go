package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
)

// A Tree is an isolated copy of a folder.
type Tree struct {
	keeper *Keeper
	place  place
	dir    string

	mu           sync.Mutex
	repositories []*repository // the outermost first
	closed       bool
}

// Isolate makes a copy of dir, which is absolute with symlinks resolved. In a git repository
// it is a worktree of all of it, at the user's commit and with what is not committed yet,
// files that are not tracked included; nested repositories and submodules likewise. What
// git ignores is not in it. The user's repository, index and files stay as they are. Of a
// folder without git it is a plain copy, if it is not too large. The caller must Close it.
func (k *Keeper) Isolate(ctx context.Context, dir, name string) (*Tree, error) {
	top, common, prefix, err := k.find(ctx, dir)
	if err != nil {
		return nil, err
	}
	p, err := k.newPlace(plainName(name))
	if err != nil {
		return nil, err
	}
	root := filepath.Join(p.dir, treeName)
	if top == "" {
		top, prefix = dir, "."
	}
	t := &Tree{keeper: k, place: p, dir: filepath.Join(root, prefix)}
	if err := t.isolate(ctx, &repository{main: top, common: common, tree: root}, 0); err != nil {
		return nil, fmt.Errorf("isolate %s: %w", dir, errors.Join(err, t.Close()))
	}
	return t, nil
}

// Dir is the folder in the copy that was isolated.
func (t *Tree) Dir() string { return t.dir }

// Close removes the copy. It may be called again.
func (t *Tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if err := t.keeper.remove(t.place); err != nil {
		return fmt.Errorf("remove the isolated copy %s: %w", t.place.dir, err)
	}
	return nil
}

// plainName is a part of a file name that says what a place is for.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return r
		}
		return '-'
	}, name)
	return plain[:min(len(plain), 48)]
}

// Caps of a folder that is copied.
const (
	maxFiles = 50_000
	maxBytes = 1 << 30
)

// checkSize refuses a folder that nobody wants to have copied, such as a home folder.
func checkSize(dir string) error {
	files, bytes := 0, int64(0)
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // what cannot be read is told when it is copied
		}
		files++
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		if files > maxFiles || bytes > maxBytes {
			return fmt.Errorf("the folder %s is in no git repository, and too large to copy: it has more than %d files or %d MiB", dir, maxFiles, maxBytes>>20)
		}
		return nil
	})
}
