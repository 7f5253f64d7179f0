package serve

import (
	"reflect"
	"testing"

	"parley.dev/parley/internal/dialect/codex"
)

// TestReviewFlags: exactly one thing is reviewed.
func TestReviewFlags(t *testing.T) {
	for name, test := range map[string]struct {
		flags reviewFlags
		args  []string
		want  any
		err   string
	}{
		"uncommitted":      {flags: reviewFlags{uncommitted: true}, want: codex.UncommittedChangesReviewTarget{}},
		"base":             {flags: reviewFlags{base: "main"}, want: codex.BaseBranchReviewTarget{Branch: "main"}},
		"commit":           {flags: reviewFlags{commit: "abc"}, want: codex.CommitReviewTarget{SHA: "abc"}},
		"commit and title": {flags: reviewFlags{commit: "abc", title: "T"}, want: codex.CommitReviewTarget{SHA: "abc", Title: "T"}},
		"instructions":     {args: []string{"-"}, want: codex.CustomReviewTarget{Instructions: "read from standard input"}},
		"nothing":          {err: "what is to be reviewed is missing: --uncommitted, --base BRANCH, --commit SHA or INSTRUCTIONS"},
		"title alone":      {flags: reviewFlags{title: "T", base: "main"}, err: "--title is of a commit: --commit is missing"},
		"two flags":        {flags: reviewFlags{uncommitted: true, base: "main"}, err: "--uncommitted, --base, --commit and INSTRUCTIONS exclude each other"},
		"flag and text":    {flags: reviewFlags{commit: "abc"}, args: []string{"look"}, err: "--uncommitted, --base, --commit and INSTRUCTIONS exclude each other"},
	} {
		got, err := test.flags.of(test.args, func() (string, error) { return "read from standard input", nil })
		switch {
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("%s: %v, want %s", name, err, test.err)
		case test.err == "" && (err != nil || !reflect.DeepEqual(got.Value, test.want)):
			t.Errorf("%s: %+v, %v, want %+v", name, got.Value, err, test.want)
		}
	}
}
