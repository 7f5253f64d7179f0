package session

import (
	"slices"
	"strings"
	"testing"
)

// TestFitPrompts: the first prompt and the last ones stay, and what is cut is noted.
func TestFitPrompts(t *testing.T) {
	long := func(name string, n int) string { return name + strings.Repeat(".", n-2*len(name)) + name }
	for _, c := range []struct {
		name    string
		prompts []string
		room    int
		want    []string // beginnings
		omitted int
		whole   int // how many are as they were
	}{
		{"none", nil, 10, nil, 0, 0},
		{"all fit", []string{"a", "b"}, 2, []string{"a", "b"}, 0, 2},
		{"one that is too long", []string{long("a", 5000)}, 1000, []string{"a"}, 0, 0},
		{"the last that fit", []string{"task", long("b", 900), long("c", 900), long("d", 900)}, 2000, []string{"task", "c", "d"}, 1, 3},
		{"the last that fit, one cut", []string{"task", long("b", 900), long("c", 900), long("d", 900)}, 1500, []string{"task", "c", "d"}, 1, 2},
		{"a long task", []string{long("task", 9000), "b", long("c", 2000)}, 1000, []string{"task", "c"}, 1, 0},
	} {
		got, omitted := FitPrompts(c.prompts, c.room)
		whole, size := 0, 0
		for i, p := range got {
			if i < len(c.want) && !strings.HasPrefix(p, c.want[i]) || i >= len(c.want) {
				t.Errorf("%s: prompt %d is %.20q", c.name, i, p)
			}
			if slices.Contains(c.prompts, p) {
				whole++
			} else if !strings.Contains(p, "bytes "+promptCut) || !strings.HasSuffix(p, p[:1]) && !strings.HasSuffix(p, "task") {
				t.Errorf("%s: prompt %d is cut without a note, or without its end", c.name, i)
			}
			size += len(p)
		}
		if len(got) != len(c.want) || omitted != c.omitted || whole != c.whole || size > c.room+300 {
			t.Errorf("%s: %d prompts of %d bytes, %d of them whole, and %d left out", c.name, len(got), size, whole, omitted)
		}
	}
}
