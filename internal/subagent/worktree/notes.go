package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/regular"
)

// A note records that a repository has an entry of a worktree of ours. It is written before the
// entry, so that a process that finds the slot can remove the entry.
type note struct {
	Common   string `json:"common"`   // the git folder of the repository
	Worktree string `json:"worktree"` // the folder of the worktree; absolute
}

func (p slot) notes() []note {
	var notes []note
	data, err := os.ReadFile(filepath.Join(p.dir, notesName))
	if err != nil || json.Unmarshal(data, &notes) != nil {
		return nil
	}
	return notes
}

func (p slot) note(n note) error {
	data, err := json.Marshal(append(p.notes(), n))
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(filepath.Join(p.dir, notesName), data, 0o600); err != nil {
		return fmt.Errorf("note a worktree: %w", err)
	}
	return nil
}

// maxGitdir limits the path in a gitdir file, in bytes.
const maxGitdir = 64 << 10

// forget removes the repository's entry of the worktree, and no other: git's own pruning would
// also remove entries of worktrees on a disk that is not mounted now.
func (n note) forget() error {
	folders, err := os.ReadDir(filepath.Join(n.Common, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, folder := range folders {
		dir := filepath.Join(n.Common, "worktrees", folder.Name())
		data, err := regular.ReadFile(filepath.Join(dir, "gitdir"), maxGitdir)
		if err != nil || strings.TrimRight(string(data), "\n") != filepath.Join(n.Worktree, ".git") {
			continue
		}
		return os.RemoveAll(dir)
	}
	return nil
}
