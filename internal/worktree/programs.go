package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A repository may have come with settings by which git runs programs on every file. They run
// unconfined, so only those that the user trusts may have them. What the user has set for all
// repositories is the user's word.

// programs is the settings by which git runs programs when it does what we ask for, but for
// those that manners switch off.
const programs = `^filter\..*\.(clean|smudge|process)$`

// checkTracked is checkPrograms for the repositories that r's tracks, and those that they do:
// git goes into all of them when it looks for changes in r.
func (k *Keeper) checkTracked(ctx context.Context, r *repository) error {
	if r.common == "" {
		return nil
	}
	return k.checkWithin(ctx, r.main)
}

// exactly is git in a repository, and not in one around it.
func (k *Keeper) exactly(top string) git {
	return k.at(top).with("GIT_CEILING_DIRECTORIES=" + filepath.Dir(top))
}

func (k *Keeper) checkWithin(ctx context.Context, main string) error {
	links, err := gitlinks(ctx, k.exactly(main), main)
	if _, none := errors.AsType[*gitError](err); none {
		return nil // it looks like a repository, and is none: that is told where it is copied
	}
	if err != nil {
		return err
	}
	for _, link := range links {
		inner := filepath.Join(main, link)
		if err := k.checkPrograms(ctx, inner); err != nil {
			return err
		}
		if err := k.checkWithin(ctx, inner); err != nil {
			return err
		}
	}
	return nil
}

// checkPrograms refuses a repository that has git run programs.
func (k *Keeper) checkPrograms(ctx context.Context, top string) error {
	if k.trusts != nil && k.trusts(top) {
		return nil
	}
	for _, scope := range []string{"--local", "--worktree"} {
		found, err := k.exactly(top).run(ctx, "config", scope, "--includes", "--name-only", "--get-regexp", programs)
		if _, none := errors.AsType[*gitError](err); none {
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
