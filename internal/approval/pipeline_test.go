package approval

import (
	"fmt"
	"testing"
)

// TestPipelines: a line that is trusted is taken apart, any other is not.
func TestPipelines(t *testing.T) {
	for line, want := range map[string]string{
		"cat a.go":                           `[{"cat a.go" [["cat" "a.go"]]}]`,
		"cat 'a b' | head -n 3 && ls; wc -l": `[{"cat 'a b' | head -n 3" [["cat" "a b"] ["head" "-n" "3"]]} {"ls" [["ls"]]} {"wc -l" [["wc" "-l"]]}]`,
		"ls || cat a | nl | uniq":            `[{"ls" [["ls"]]} {"cat a | nl | uniq" [["cat" "a"] ["nl"] ["uniq"]]}]`,
		"ls\ncat a":                          `[{"ls" [["ls"]]} {"cat a" [["cat" "a"]]}]`,
		"cat *.go":                           `[]`,
		"cat a | head *":                     `[]`,
		"ls && cat *.go":                     `[]`,
		"rm a":                               `[]`,
		"cat $HOME":                          `[]`,
		"cat a > b":                          `[]`,
		"":                                   `[]`,
	} {
		if got := fmt.Sprintf("%q", Pipelines(line)); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}
