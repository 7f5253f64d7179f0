package tool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
)

// workspaceWith returns a new workspace with these files; a name that ends in "/" is a folder,
// a content that begins with "-> " a symlink.
func workspaceWith(t testing.TB, files map[string]string, protected ...string) *Workspace {
	t.Helper()
	dir := realTemp(t)
	for i, path := range protected {
		protected[i] = filepath.Join(dir, path)
	}
	layFiles(t, dir, files)
	w, err := OpenWorkspace(dir, protected...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func layFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		target, isLink := strings.CutPrefix(content, "-> ")
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o777)
		case isLink:
			err = os.Symlink(target, path)
		default:
			err = os.WriteFile(path, []byte(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// prepareTool prepares a call; in is the input's names and values.
func prepareTool(t testing.TB, w *Workspace, tool Tool, in map[string]any) (Call, error) {
	t.Helper()
	return prepareIn(t, &Env{Workspace: w}, tool, in)
}

func prepareIn(t testing.TB, env *Env, tool Tool, in map[string]any) (Call, error) {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Prepare(env, jsontext.Value(input))
}

// runTool prepares and runs a call; a refused input is a failed result.
func runTool(t testing.TB, w *Workspace, tool Tool, in map[string]any) Result {
	t.Helper()
	call, err := prepareTool(t, w, tool, in)
	if err != nil {
		return Failed(err.Error())
	}
	return call.Run(t.Context(), Hooks{})
}

func fileText(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestResolve(t *testing.T) {
	outside := realTemp(t)
	layFiles(t, outside, map[string]string{"secret": "s", "home/": "", "home/note": "n"})
	t.Setenv("HOME", filepath.Join(outside, "home"))
	w := workspaceWith(t, map[string]string{
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
	w := workspaceWith(t, map[string]string{
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

func TestOpenWorkspaceThroughLink(t *testing.T) {
	dir := realTemp(t)
	layFiles(t, dir, map[string]string{"real/": "", "link": "-> real", "file": ""})
	w, err := OpenWorkspace(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if want := filepath.Join(dir, "real"); w.Dir() != want {
		t.Errorf("got %s, want %s", w.Dir(), want)
	}
	for _, bad := range []string{"file", "missing", "file/x"} {
		if _, err := OpenWorkspace(filepath.Join(dir, bad)); err == nil {
			t.Errorf("%s was opened", bad)
		}
	}
	if _, err := OpenWorkspace(dir, "relative"); err == nil {
		t.Error("a relative protected path was taken")
	}
}

func TestWorkspaceRelease(t *testing.T) {
	w := workspaceWith(t, map[string]string{"a/in": "first", "b/in": "second"})
	at, err := w.Resolve("a/in", false)
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		f, err := w.Open(at)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	for range 2 {
		if err := w.Release(); err != nil {
			t.Fatal(err)
		}
		if w.root != nil || w.homeRoot != nil {
			t.Fatal("a folder is held open after Release")
		}
		if err := read(); err != nil {
			t.Fatalf("after Release: %v", err)
		}
	}
	if err := errors.Join(w.Release(), os.Rename(w.dir, w.dir+".moved"), os.Symlink(w.dir+".moved", w.dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Reopen(); !errors.Is(err, errSwapped) {
		t.Errorf("Reopen through a symlink: %v", err)
	}
	if err := errors.Join(os.Remove(w.dir), os.Rename(w.dir+".moved", w.dir), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := read(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed workspace is read: %v", err)
	}
}

func TestRel(t *testing.T) {
	w := workspaceWith(t, nil)
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
		if got := below(test.dir, test.path); got != test.want {
			t.Errorf("%s below %s: %v", test.path, test.dir, got)
		}
	}
}

func TestOutsideIsReadWhenApproved(t *testing.T) {
	outside := realTemp(t)
	layFiles(t, outside, map[string]string{"secret": "told\n"})
	w := workspaceWith(t, map[string]string{"out": "-> " + outside})
	got := runTool(t, w, Read(), map[string]any{"path": "out/secret", "line_numbers": false})
	if got.Text != "told\n" || got.IsError {
		t.Errorf("got %+v", got)
	}
	made := runTool(t, w, Write(), map[string]any{"path": "out/new/file", "content": "x"})
	if want := "created " + outside + "/new/file (1 byte)"; made.Text != want {
		t.Errorf("got %q, want %q", made.Text, want)
	}
}
