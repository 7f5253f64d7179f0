package tool

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestFileIndex: one index answers several queries over all roots, with folders, and says what of a path matched.
func TestFileIndex(t *testing.T) {
	one := workspacetest.New(t, map[string]string{".gitignore": "ignored\n", "ignored/turn.go": "", "turn.go": "", "turn/äx.go": "", "other.txt": ""})
	two := workspacetest.New(t, map[string]string{"a/turning.go": ""})
	var x FileIndex
	for _, w := range []*workspace.Workspace{one, two} {
		if err := x.Add(t.Context(), w); err != nil || x.Truncated {
			t.Fatal(err)
		}
	}
	type found struct {
		root   *workspace.Workspace
		path   string
		folder bool
		at     []int
	}
	for _, c := range []struct {
		query string
		limit int
		want  []found
	}{
		{"turn", 50, []found{{one, "turn", true, []int{0, 1, 2, 3}}, {one, "turn.go", false, []int{0, 1, 2, 3}}, {two, "a/turning.go", false, []int{2, 3, 4, 5}}, {one, "turn/äx.go", false, []int{0, 1, 2, 3}}}},
		{"turn", 1, []found{{one, "turn", true, []int{0, 1, 2, 3}}}},
		{"x.go", 50, []found{{one, "turn/äx.go", false, []int{6, 7, 8, 9}}}},
		{"TURNING", 50, []found{{two, "a/turning.go", false, []int{2, 3, 4, 5, 6, 7, 8}}}},
		{"zzz", 50, nil},
	} {
		got := x.Search(c.query, c.limit)
		last := 1 << 30
		for i, m := range got {
			if m.Score < 0 || m.Score > last {
				t.Errorf("%q: the score of %s is %d after %d", c.query, m.Path, m.Score, last)
			}
			last = m.Score
			if i >= len(c.want) || m.Root != c.want[i].root.Dir() || m.Path != c.want[i].path || m.Folder != c.want[i].folder || !slices.Equal(m.Indices, c.want[i].at) {
				t.Errorf("%q: match %d is %+v", c.query, i, m)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%q: %d matches, want %d", c.query, len(got), len(c.want))
		}
	}
	if got := x.Search("", 2); len(got) != 2 {
		t.Errorf("without a query: %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := len(x.paths)
	if err := x.Add(ctx, one); !errors.Is(err, context.Canceled) || len(x.paths) != before {
		t.Errorf("cancelled: %v", err)
	}
}

// TestBestPaths: of paths of one rank the better score is first, however long the path is.
func TestBestPaths(t *testing.T) {
	got := bestPaths("tgo", []string{"atbgco", "t_g_o_longer_name"}, 9)
	if len(got) != 2 || got[0].path != "t_g_o_longer_name" || got[0].total() <= got[1].total() {
		t.Errorf("%+v", got)
	}
}
