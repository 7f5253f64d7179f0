// Package review is reviews of changes by models: the instructions and the prompt of a turn that reviews, its result read from
// the model's answer, and that as text. It runs nothing: the caller starts a turn that may only look.
package review

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
)

// Instructions are the system prompt of a turn that reviews.
//
//go:embed instructions.md
var Instructions string

// A Target is what is reviewed: one of its kinds.
type Target struct {
	Kind   Kind
	Branch string // of BaseBranch: the branch that the changes are to be merged into
	Commit string // of Commit: its hash
	Title  string // of Commit: its subject; "": not known
	Text   string // of Custom: what the user writes
}

// A Kind is the kind of a Target.
type Kind string

// The kinds.
const (
	Uncommitted Kind = "uncommitted" // staged, unstaged and untracked changes
	BaseBranch  Kind = "base_branch" // what the current branch has that another has not
	Commit      Kind = "commit"      // one commit
	Custom      Kind = "custom"      // what the user describes
)

const ending = " Report every finding that the author would fix, as JSON."

// Prompt returns the prompt for a review. The error reports what the target lacks.
func (t Target) Prompt() (string, error) {
	switch t.Kind {
	case Uncommitted:
		return "Review the code changes that are not committed: staged, unstaged and untracked files." + ending, nil
	case BaseBranch:
		if err := t.checkRevision("branch", t.Branch); err != nil {
			return "", err
		}
		return fmt.Sprintf("Review the code changes against the branch %q. Find the commit where the current branch begins with `git merge-base HEAD %s`, "+
			"and look at `git diff` from that commit on.", t.Branch, t.Branch) + ending, nil
	case Commit:
		if err := t.checkRevision("commit", t.Commit); err != nil {
			return "", err
		}
		title := ""
		if t.Title != "" {
			title = fmt.Sprintf(" (%q)", t.Title)
		}
		return fmt.Sprintf("Review the code changes of the commit %s%s: look at `git show %s`.", t.Commit, title, t.Commit) + ending, nil
	case Custom:
		if strings.TrimSpace(t.Text) == "" {
			return "", errors.New("a review with instructions needs a text")
		}
		return t.Text, nil
	}
	return "", fmt.Errorf("unknown target of a review %q", t.Kind)
}

// checkRevision refuses names that git would take for something else: the model puts them into commands.
func (t Target) checkRevision(what, name string) error {
	if name == "" {
		return fmt.Errorf("a review needs the name of a %s", what)
	}
	if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, notInRevision) {
		return fmt.Errorf("%q is no name of a %s", name, what)
	}
	return nil
}

func notInRevision(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("`'\"\\$;&|<>()*?[{}!#", r)
}

// Summary returns what is reviewed, in a few words for the user.
func (t Target) Summary() string {
	switch t.Kind {
	case Uncommitted:
		return "current changes"
	case BaseBranch:
		return "changes against '" + t.Branch + "'"
	case Commit:
		short := t.Commit[:min(7, len(t.Commit))]
		if t.Title != "" {
			return "commit " + short + ": " + t.Title
		}
		return "commit " + short
	}
	return strings.TrimSpace(t.Text)
}
