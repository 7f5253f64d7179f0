package tool

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/tool/workspacetest"
)

func TestListDeep(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
		"a/b/c/d": "1", "a/x": "12", "z": "", "link": "-> a", ".git/HEAD": "x", ".gitignore": "*.log\n", "a/y.log": "", "a/.gitignore": "b/c\n",
		"state/secret": "", "empty/": "",
	}, "state")
	const all = ".git/|a/|a/b/|a/.gitignore (4 bytes)|a/x (2 bytes)|empty/|state/|.gitignore (6 bytes)|link -> a|z (0 bytes)|"
	tests := []struct {
		in   in
		want string // lines, "|" after each
	}{
		{in{"depth": 1}, ".git/|a/|empty/|state/|.gitignore (6 bytes)|link -> a|z (0 bytes)|"},
		{in{"depth": 2}, all},
		{in{"depth": 20}, all},
		{in{"depth": 3, "ignored": true, "path": "a"}, "b/|b/c/|b/c/d (1 bytes)|.gitignore (4 bytes)|x (2 bytes)|y.log (0 bytes)|"},
		{in{"depth": 2, "limit": 3}, ".git/|a/|a/b/|[there are more names: go on with offset 4]|"},
		{in{"depth": 2, "offset": 4, "limit": 3}, "a/.gitignore (4 bytes)|a/x (2 bytes)|empty/|[there are more names: go on with offset 7]|"},
		{in{"depth": 2, "offset": 7, "limit": 4}, "state/|.gitignore (6 bytes)|link -> a|z (0 bytes)|"},
		{in{"offset": 7}, "z (0 bytes)|"},
		{in{"offset": 8}, "!offset 8 is past the end: there are 7 names"},
		{in{"path": "empty", "offset": 0}, "the folder is empty"},
		{in{"path": "state", "depth": 2}, "secret (0 bytes)|"},
	}
	for _, test := range tests {
		got := runTool(t, w, List(), test.in)
		want, wrong := strings.CutPrefix(strings.ReplaceAll(test.want, "|", "\n"), "!")
		if got.IsError != wrong || got.Text != want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.in, got.Text, want)
		}
	}
}

// Whatever pages a list is read in, together they are the whole.
func TestListPages(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("d%d/e%d/f%d", i%3, i%5, i)] = ""
	}
	w := workspacetest.New(t, files)
	whole := runTool(t, w, List(), in{"depth": 5}).Text
	for _, limit := range []int{1, 7, 20, 77, 78, 79} {
		var pages strings.Builder
		for offset := 1; ; offset += limit {
			page := runTool(t, w, List(), in{"depth": 5, "offset": offset, "limit": limit}).Text
			lines, more := strings.CutSuffix(page, fmt.Sprintf("[there are more names: go on with offset %d]\n", offset+limit))
			pages.WriteString(lines)
			if !more {
				break
			}
		}
		if pages.String() != whole {
			t.Errorf("pages of %d are not the whole", limit)
		}
	}
}

func TestGrepNewestFirst(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"a/1": "x\n", "a/2": "x\n", "b/1": "x\n", "b/2": "y\n", "c": "x\n", "d": "x\n"})
	for i, name := range []string{"c", "b/1", "a/2", "b/2", "a/1"} {
		at := time.Unix(int64(1000-i), 0)
		if name == "a/2" {
			at = time.Unix(999, 0) // as b/1
		}
		if err := os.Chtimes(w.Dir()+"/"+name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		in   in
		want string
	}{
		{in{"order": "modified"}, "d\nc\na/2\nb/1\na/1\n"},
		{in{"order": "path"}, "a/1\na/2\nb/1\nc\nd\n"},
		{in{"order": "modified", "head_limit": 2}, "d\nc\n[2 of 5 files shown: narrow the search]\n"},
		{in{"order": "modified", "path": "a"}, "a/2\na/1\n"},
		{in{"order": "modified", "path": "c"}, "c\n"},
		{in{"order": "modified", "mode": "count"}, "d:1\nc:1\na/2:1\nb/1:1\na/1:1\n"},
	} {
		test.in["pattern"] = "x"
		if got := runTool(t, w, Grep(), test.in); got.Text != test.want {
			t.Errorf("%v: %q, want %q", test.in, got.Text, test.want)
		}
	}
}
