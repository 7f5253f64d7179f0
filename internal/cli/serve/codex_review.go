package serve

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/dialect/codex"
)

// review returns the command that reviews changes.
func (f *codexExecFlags) review() *cobra.Command {
	var target reviewFlags
	cmd := &cobra.Command{
		Use: "review [INSTRUCTIONS]", Short: "Review changes and print what is wrong with them", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.runTurn(cmd, func() error {
				of, err := target.of(args, func() (string, error) { return execPrompt(os.Stdin, args) })
				f.run.Review = &of
				return err
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&target.uncommitted, "uncommitted", false, "review staged, unstaged and untracked changes")
	flags.StringVar(&target.base, "base", "", "review what the current branch has that this one has not")
	flags.StringVar(&target.commit, "commit", "", "review the changes of a commit")
	flags.StringVar(&target.title, "title", "", "the subject of the commit of --commit")
	return cmd
}

// reviewFlags is what is reviewed, as it is written.
type reviewFlags struct {
	uncommitted         bool
	base, commit, title string
}

// of returns what is reviewed: one of the flags, or instructions.
func (r reviewFlags) of(args []string, instructions func() (string, error)) (target codex.ReviewTarget, err error) {
	given := 0
	for _, is := range []bool{r.uncommitted, r.base != "", r.commit != "", len(args) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return target, errors.New("--uncommitted, --base, --commit and INSTRUCTIONS exclude each other")
	case given == 0:
		return target, errors.New("what is to be reviewed is missing: --uncommitted, --base BRANCH, --commit SHA or INSTRUCTIONS")
	case r.title != "" && r.commit == "":
		return target, errors.New("--title is of a commit: --commit is missing")
	case r.uncommitted:
		target.Value = codex.UncommittedChangesReviewTarget{}
	case r.base != "":
		target.Value = codex.BaseBranchReviewTarget{Branch: r.base}
	case r.commit != "":
		target.Value = codex.CommitReviewTarget{SHA: r.commit, Title: r.title}
	default:
		text, err := instructions()
		if err != nil {
			return target, err
		}
		target.Value = codex.CustomReviewTarget{Instructions: text}
	}
	return target, nil
}
