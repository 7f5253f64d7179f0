package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/renameio/v2"
)

// A note says that a repository knows of a worktree of ours. It is written before the
// repository hears of it, so that whoever finds the place can undo it.
type note struct {
	Common   string `json:"common"`   // the git folder of the repository
	Worktree string `json:"worktree"` // absolute
}

func (p place) notes() []note {
	var notes []note
	data, err := os.ReadFile(filepath.Join(p.dir, notesName))
	if err != nil || json.Unmarshal(data, &notes) != nil {
		return nil
	}
	return notes
}

func (p place) note(n note) error {
	data, err := json.Marshal(append(p.notes(), n))
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(p.dir, notesName), data, 0o600); err != nil {
		return fmt.Errorf("note a worktree: %w", err)
	}
	return nil
}

// forget removes what the repository knows of the worktree. Nothing of another worktree is
// touched: git's own pruning would also drop those whose disk is not there now.
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
		data, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if err != nil || strings.TrimRight(string(data), "\n") != filepath.Join(n.Worktree, ".git") {
			continue
		}
		return os.RemoveAll(dir)
	}
	return nil
}
