package approval

import (
	"slices"
	"testing"
)

// TestCommandWords: a rule is offered for one plain command whose words a grant can begin with, and it covers that command.
func TestCommandWords(t *testing.T) {
	for line, want := range map[string][]string{
		"git log --oneline":   {"git", "log", "--oneline"},
		"git log 'a  b' '*'":  {"git", "log", "a  b", "*"},
		"go test ./...":       {"go", "test", "./..."},
		"git log && git diff": nil,
		"git log > x":         nil,
		"git log $X":          nil,
		"git log *":           nil,
		"X=1 git log":         nil,
		"bash x.sh | cat":     nil,
		"sudo ls":             nil,
		"":                    nil,
	} {
		r := Request{Tool: "shell", Level: Execute, Command: line, Dir: "/w"}
		if got := CommandWords(r); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		r.URL = "https://example.com"
		if got := CommandWords(r); got != nil {
			t.Errorf("%s with an address: %q", line, got)
		}
	}
}

// TestPrefixTarget: the words of a rule are no pattern, and what could be more than its words is refused.
func TestPrefixTarget(t *testing.T) {
	for _, test := range []struct {
		words   []string
		pattern string // "": refused
	}{
		{[]string{"git", "log"}, "git log *"},
		{[]string{"git", "log", "*"}, "git log '*' *"},
		{[]string{"git", "log", "it's"}, `git log 'it'\''s' *`},
		{[]string{"git", "log", "$(rm x)"}, "git log '$(rm x)' *"},
		{[]string{"git", "log", "a\nb"}, "git log 'a\nb' *"},
		{[]string{"git log"}, "'git log' *"},
		{[]string{"git"}, "git *"},
		{[]string{"bash"}, ""},
		{[]string{"sudo"}, ""},
		{[]string{""}, ""},
		{nil, ""},
	} {
		target, err := PrefixTarget(test.words)
		if (err != nil) != (test.pattern == "") || err == nil && target.Pattern != test.pattern {
			t.Errorf("%q: %q, %v; want %q", test.words, target.Pattern, err, test.pattern)
		}
	}
}
