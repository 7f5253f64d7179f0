package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/git"
)

// A repository may contain settings with which git runs programs on every file. They may
// write the copy and objects, so only a repository that the user trusts may have them. Settings of the user for all
// repositories are trusted.

// programs matches the settings with which git runs programs in the commands used here, except
// those that are switched off.
const programs = `^filter\..*\.(clean|smudge|process)$`

// checkTracked is checkPrograms for the repositories that r tracks, and that these track in turn:
// git enters all of them when it searches for changes in r.
func (m *Manager) checkTracked(ctx context.Context, r *repository) error {
	if r.common == "" {
		return nil
	}
	return m.checkWithin(ctx, r.main)
}

// exactly returns git in a repository, but not in one that contains it.
func (m *Manager) exactly(top string) runner {
	return m.at(top).with("GIT_CEILING_DIRECTORIES=" + filepath.Dir(top))
}

func (m *Manager) checkWithin(ctx context.Context, main string) error {
	links, err := gitlinks(ctx, m.exactly(main), main)
	if _, none := errors.AsType[*git.Error](err); none {
		return nil // it looks like a repository and is not: the copy reports that
	}
	if err != nil {
		return err
	}
	for _, link := range links {
		inner := filepath.Join(main, link)
		if err := m.checkPrograms(ctx, inner); err != nil {
			return err
		}
		if err := m.checkWithin(ctx, inner); err != nil {
			return err
		}
	}
	return nil
}

// checkPrograms returns an error for a repository with settings that make git run programs.
func (m *Manager) checkPrograms(ctx context.Context, top string) error {
	if m.trusts != nil && m.trusts(top) {
		return nil
	}
	for _, scope := range []string{"--local", "--worktree"} {
		found, err := m.exactly(top).run(ctx, "config", scope, "--includes", "--name-only", "--get-regexp", programs)
		if _, none := errors.AsType[*git.Error](err); none {
			continue
		}
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(found, "\n")
		return fmt.Errorf("%s has git run a program (%s in its own configuration), which only a folder that you trust may", top, name)
	}
	return nil
}
