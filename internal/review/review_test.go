package review

import (
	"strings"
	"testing"
)

// TestPrompt: each target has a prompt, and one that cannot be looked at is refused.
func TestPrompt(t *testing.T) {
	for _, c := range []struct {
		target            Target
		want, title, fail string
	}{
		{Target{Kind: Uncommitted}, "untracked", "current changes", ""},
		{Target{Kind: BaseBranch, Branch: "release/1.2"}, "git merge-base HEAD release/1.2", "changes against 'release/1.2'", ""},
		{Target{Kind: BaseBranch}, "", "changes against ''", "needs the name of a branch"},
		{Target{Kind: BaseBranch, Branch: "--output=/x"}, "", "changes against '--output=/x'", "is no name of a branch"},
		{Target{Kind: BaseBranch, Branch: "a;rm -r x"}, "", "changes against 'a;rm -r x'", "is no name of a branch"},
		{Target{Kind: Commit, Commit: "0123456789ab", Title: "fix it"}, `commit 0123456789ab ("fix it")`, "commit 0123456: fix it", ""},
		{Target{Kind: Commit, Commit: "HEAD~2"}, "git show HEAD~2", "commit HEAD~2", ""},
		{Target{Kind: Commit, Commit: "$(x)"}, "", "commit $(x)", "is no name of a commit"},
		{Target{Kind: Commit}, "", "commit ", "needs the name of a commit"},
		{Target{Kind: Custom, Text: " look at a.go "}, " look at a.go ", "look at a.go", ""},
		{Target{Kind: Custom, Text: " "}, "", "", "needs a text"},
		{Target{Kind: "x"}, "", "", `unknown target of a review "x"`},
	} {
		got, err := c.target.Prompt()
		switch {
		case c.fail == "" && (err != nil || !strings.Contains(got, c.want)):
			t.Errorf("%+v: %q, %v", c.target, got, err)
		case c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)):
			t.Errorf("%+v: %q, %v, want %q", c.target, got, err, c.fail)
		}
		if got := c.target.Summary(); got != c.title {
			t.Errorf("%+v has the summary %q", c.target, got)
		}
	}
}

const object = `{"findings":[{"title":"Close the file","body":"It leaks.\nAlways.","confidence_score":0.9,"priority":1,
	"code_location":{"absolute_file_path":"/w/a.go","line_range":{"start":3,"end":4}}}],
	"overall_correctness":"patch is incorrect","overall_explanation":"One leak.","overall_confidence_score":0.8}`

// TestParse: the object is found among other words; without one the answer is the explanation.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		answer      string
		findings    int
		explanation string
	}{
		"the object":      {object, 1, "One leak."},
		"in a fence":      {"Here:\n```json\n" + object + "\n```\n", 1, "One leak."},
		"more members":    {`{"findings":[],"overall_explanation":"Fine.","x":1}`, 0, "Fine."},
		"words":           {" All is well. ", 0, "All is well."},
		"a broken object": {`{"findings":[`, 0, `{"findings":[`},
		"other braces":    {"func f() { }", 0, "func f() { }"},
		"wrong types":     {`{"findings":"none"}`, 0, `{"findings":"none"}`},
		"nothing":         {"", 0, ""},
	} {
		if got := Parse(c.answer); len(got.Findings) != c.findings || got.Explanation != c.explanation {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := Parse(object)
	if f := got.Findings[0]; f.Priority == nil || *f.Priority != 1 || f.Location.Lines.End != 4 || got.Correctness != "patch is incorrect" {
		t.Errorf("%+v", got)
	}
}

// TestText: the result as users read it.
func TestText(t *testing.T) {
	const finding = "- Close the file — /w/a.go:3-4\n  It leaks.\n  Always."
	one := Parse(object)
	two := one
	two.Findings = append(two.Findings, one.Findings[0])
	bare := one
	bare.Explanation = ""
	for name, c := range map[string]struct {
		r    Result
		want string
	}{
		"one":            {one, "One leak.\n\nReview comment:\n\n" + finding},
		"two":            {two, "One leak.\n\nFull review comments:\n\n" + finding + "\n\n" + finding},
		"no explanation": {bare, "Review comment:\n\n" + finding},
		"no finding":     {Result{Explanation: "Fine."}, "Fine."},
		"nothing":        {Result{}, "The reviewer did not report anything."},
	} {
		if got := c.r.Text(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{object, "{", "}{", "words {} words"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		if r := Parse(answer); r.Text() == "" {
			t.Errorf("%q has no text", answer)
		}
	})
}
