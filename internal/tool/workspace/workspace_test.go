package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

func TestResolve(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"secret": "s", "home/": "", "home/note": "n"})
	t.Setenv("HOME", filepath.Join(outside, "home"))
	w := workspacetest.New(t, map[string]string{
		"a/b/file":    "f",
		"in":          "-> a/b",
		"in-file":     "-> a/../in/file",
		"out":         "-> " + outside,
		"out-file":    "-> " + outside + "/secret",
		"out-rel":     "-> " + "../" + filepath.Base(outside),
		"dangling":    "-> a/new",
		"gone":        "-> " + outside + "/new",
		"git":         "-> .git",
		".git/config": "c",
		"sub/.git":    "gitdir: x",
		"state/file":  "s",
		"to-state":    "-> state",
		"line\nbreak": "x",
	}, "state")
	up := filepath.Dir(w.Dir())
	tests := []struct {
		shown   string
		want    string // relative to the workspace, unless absolute
		outside bool
		write   bool
		kept    bool // protected, hence outside too
	}{
		{shown: ".", want: "."},
		{shown: "a/b/file", want: "a/b/file"},
		{shown: w.Dir() + "/a", want: "a"},
		{shown: "new/folder/file", want: "new/folder/file", write: true},
		{shown: "a/../../x", want: up + "/x", outside: true},
		{shown: "..", want: up, outside: true},
		{shown: "../" + filepath.Base(w.Dir()) + "/a", want: "a"},
		{shown: w.Dir() + "x", want: w.Dir() + "x", outside: true},
		{shown: "/etc/hosts", want: "/etc/hosts", outside: true},
		{shown: "/../..", want: "/", outside: true},
		{shown: "in/file", want: "a/b/file"},
		{shown: "in/../x", want: "a/x"},
		{shown: "in-file", want: "a/b/file"},
		{shown: "out", want: outside, outside: true},
		{shown: "out/secret", want: outside + "/secret", outside: true},
		{shown: "out/new/file", want: outside + "/new/file", outside: true, write: true},
		{shown: "out-file", want: outside + "/secret", outside: true},
		{shown: "out/..", want: filepath.Dir(outside), outside: true},
		{shown: "dangling", want: "a/new", write: true},
		{shown: "gone", want: outside + "/new", outside: true, write: true},
		{shown: "~", want: outside + "/home", outside: true},
		{shown: "~/note", want: outside + "/home/note", outside: true},
		{shown: "~other", want: "~other"},
		{shown: ".git/config", want: ".git/config"},
		{shown: ".git/config", want: ".git/config", kept: true, write: true},
		{shown: ".GIT/config", want: ".GIT/config", kept: true, write: true},
		{shown: "git/hooks/x", want: ".git/hooks/x", kept: true, write: true},
		{shown: "sub/.git", want: "sub/.git", kept: true, write: true},
		{shown: ".github/x", want: ".github/x", write: true},
		{shown: "state", want: "state", kept: true},
		{shown: "to-state/file", want: "state/file", kept: true},
		{shown: "states", want: "states"},
		{shown: "line\nbreak", want: "line\nbreak"},
		{shown: "name with space\t", want: "name with space\t"},
	}
	for _, test := range tests {
		got, err := w.Resolve(test.shown, test.write)
		if err != nil {
			t.Errorf("%q: %v", test.shown, err)
			continue
		}
		want := approval.Path{Path: test.want, Shown: test.shown, Write: test.write, Outside: test.outside || test.kept, Protected: test.kept}
		if !filepath.IsAbs(want.Path) {
			want.Path = filepath.Join(w.Dir(), want.Path)
		}
		if got != want {
			t.Errorf("%q:\ngot  %+v\nwant %+v", test.shown, got, want)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
		"file": "f", "self": "-> self", "ping": "-> pong", "pong": "-> ping/x",
		"bytes": "-> \xff",
	})
	for shown, want := range map[string]string{
		"":                        "empty",
		"a\x00b":                  "NUL",
		"self":                    "too many symlinks",
		"ping/deep":               "too many symlinks",
		"bytes":                   "UTF-8",
		"file/x":                  "not a directory",
		strings.Repeat("n", 5000): "too long",
	} {
		if p, err := w.Resolve(shown, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %+v, %v; want an error with %q", shown, p, err, want)
		}
	}
}

func TestOpenThroughLink(t *testing.T) {
	dir := workspacetest.TempDir(t)
	workspacetest.Lay(t, dir, map[string]string{"real/": "", "link": "-> real", "file": ""})
	w, err := workspace.Open(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if want := filepath.Join(dir, "real"); w.Dir() != want {
		t.Errorf("got %s, want %s", w.Dir(), want)
	}
	for _, bad := range []string{"file", "missing", "file/x"} {
		if _, err := workspace.Open(filepath.Join(dir, bad)); err == nil {
			t.Errorf("%s was opened", bad)
		}
	}
	if _, err := workspace.Open(dir, "relative"); err == nil {
		t.Error("a relative protected path was taken")
	}
}

func TestRel(t *testing.T) {
	w := workspacetest.New(t, nil)
	for abs, want := range map[string]string{
		w.Dir():           ".",
		w.Dir() + "/a/b":  "a/b",
		w.Dir() + "x/y":   w.Dir() + "x/y",
		"/etc/hosts":      "/etc/hosts",
		w.Dir() + "/..a/": "..a",
	} {
		if got := w.Rel(abs); got != want {
			t.Errorf("%s: got %s, want %s", abs, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, test := range []struct {
		dir, path string
		want      bool
	}{
		{"/", "/", true},
		{"/", "/a/b", true},
		{"/a", "/a", true},
		{"/a", "/a/b", true},
		{"/a", "/ab", false},
		{"/a/b", "/a", false},
	} {
		if got := workspace.Below(test.dir, test.path); got != test.want {
			t.Errorf("%s below %s: %v", test.path, test.dir, got)
		}
	}
}
