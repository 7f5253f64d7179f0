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
	manager *Manager
	slot    slot
	dir     string
	empty   bool // it is a copy of nothing, and has a repository from the first file on

	mu           sync.Mutex
	repositories []*repository // the outermost first
	closed       bool
}

// Isolate makes a copy of dir, which is absolute with symlinks resolved. In a git repository the
// copy is a worktree of the whole repository at the user's commit, with changes that are not
// committed and files that are not tracked; nested repositories and submodules likewise. It has no
// ignored files. The user's repository, index and files stay as they are. A folder without git is
// copied file by file, if it is not too large. The caller must Close the Tree.
func (m *Manager) Isolate(ctx context.Context, dir, name string) (*Tree, error) {
	top, common, prefix, err := m.find(ctx, dir)
	if err != nil {
		return nil, err
	}
	p, err := m.newSlot(plainName(name))
	if err != nil {
		return nil, err
	}
	root := filepath.Join(p.dir, treeName)
	if top == "" {
		top, prefix = dir, "."
	}
	t := &Tree{manager: m, slot: p, dir: filepath.Join(root, prefix)}
	if err := t.isolate(ctx, &repository{main: top, common: common, tree: root}, 0); err != nil {
		return nil, fmt.Errorf("isolate %s: %w", dir, errors.Join(err, t.Close()))
	}
	return t, nil
}

// Dir returns the folder in the copy that corresponds to the isolated one.
func (t *Tree) Dir() string { return t.dir }

// Close removes the copy. Later calls do nothing.
func (t *Tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if err := t.manager.remove(t.slot); err != nil {
		return fmt.Errorf("remove the isolated copy %s: %w", t.slot.dir, err)
	}
	return nil
}

// plainName returns name as a part of a file name.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return r
		}
		return '-'
	}, name)
	return plain[:min(len(plain), 48)]
}

// The limits of a folder without git.
const (
	maxFiles = 50_000
	maxBytes = 1 << 30
)

// checkSize returns an error for a folder that is copied only by mistake, such as a home folder.
func checkSize(dir string) error {
	files, bytes := 0, int64(0)
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // the copy reports files that cannot be read
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
