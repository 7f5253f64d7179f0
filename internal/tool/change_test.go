package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// The diff of any two texts leads from one to the other, and its counts are its lines.
func TestDiffLaw(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "-- x\n", "+c\n", "a", "\r\n"}), 0, 30),
		func(lines []string) string { return strings.Join(lines, "") })
	rapid.Check(t, func(t *rapid.T) {
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		if from == to {
			return
		}
		old := original{data: []byte(from), exists: rapid.Bool().Draw(t, "exists") || from != ""}
		change := fileChange("dir/name", old, []byte(to))
		got, err := ApplyDiff(from, change.Diff)
		if err != nil || got != to {
			t.Fatalf("%v\n%s\ngot  %q\nwant %q", err, change.Diff, got, to)
		}
		if countLines([]byte(from))+change.Added-change.Removed != countLines([]byte(to)) {
			t.Fatalf("%d added, %d removed:\n%s", change.Added, change.Removed, change.Diff)
		}
	})
}

func TestWrite(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	long := strings.Repeat("line\n", maxDiffed/5+1)
	tests := []struct {
		name, old string // old "": no file
		content   string
		text      string
		change    event.FileChange
	}{
		{
			name: "VERSION", content: "2.4\n", text: "created VERSION (4 bytes)",
			change: event.FileChange{
				Path: "VERSION", Op: event.Created, Added: 1,
				Diff: "--- /dev/null\n+++ b/VERSION\n@@ -0,0 +1,1 @@\n+2.4\n",
			},
		},
		{
			name: "VERSION", old: "2.3\n", content: "2.4\n", text: "updated VERSION (4 bytes)",
			change: event.FileChange{
				Path: "VERSION", Op: event.Updated, Existed: true, Added: 1, Removed: 1,
				Diff: "--- a/VERSION\n+++ b/VERSION\n@@ -1,1 +1,1 @@\n-2.3\n+2.4\n",
			},
		},
		{name: "VERSION", old: "2.4\n", content: "2.4\n", text: "unchanged VERSION (4 bytes)"},
		{
			name: "new/deep/x.txt", content: "no newline", text: "created new/deep/x.txt (10 bytes)",
			change: event.FileChange{
				Path: "new/deep/x.txt", Op: event.Created, Added: 1,
				Diff: "--- /dev/null\n+++ b/new/deep/x.txt\n@@ -0,0 +1,1 @@\n+no newline\n\\ No newline at end of file\n",
			},
		},
		{
			name: "empty", old: "x\n", text: "updated empty (0 bytes)",
			change: event.FileChange{
				Path: "empty", Op: event.Updated, Existed: true, Removed: 1,
				Diff: "--- a/empty\n+++ b/empty\n@@ -1,1 +0,0 @@\n-x\n",
			},
		},
		{
			name: "dos", old: "a\r\nb\r\n", content: "a\nc\n", text: "updated dos (4 bytes); its lines ended in CRLF before, and now they end in LF",
			change: event.FileChange{
				Path: "dos", Op: event.Updated, Existed: true, Added: 2, Removed: 2,
				Diff: "--- a/dos\n+++ b/dos\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+c\n",
			},
		},
		{
			name: "binary", old: "\x00\x01", content: "text\n", text: "updated binary (5 bytes)",
			change: event.FileChange{Path: "binary", Op: event.Updated, Existed: true},
		},
		{
			name: "latin", old: "caf\xe9\n", content: "café\n", text: "updated latin (6 bytes)",
			change: event.FileChange{Path: "latin", Op: event.Updated, Existed: true},
		},
		{
			name: "long", old: "a\nb", content: long, text: fmt.Sprintf("updated long (%d bytes)", len(long)),
			change: event.FileChange{Path: "long", Op: event.Updated, Existed: true, Added: maxDiffed/5 + 1, Removed: 2},
		},
		{
			name: "a\nb", content: "x\n", text: `created "a\nb" (2 bytes)`,
			change: event.FileChange{
				Path: "a\nb", Op: event.Created, Added: 1,
				Diff: "--- /dev/null\n+++ " + `"b/a\012b"` + "\n@@ -0,0 +1,1 @@\n+x\n",
			},
		},
	}
	for _, test := range tests {
		files := map[string]string{}
		if test.old != "" {
			files[test.name] = test.old
		}
		w := workspacetest.New(t, files)
		got := runTool(t, w, Write(), map[string]any{"path": test.name, "content": test.content})
		if got.IsError || got.Text != test.text {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.text)
			continue
		}
		if test.change.Path != "" {
			test.change.After = contentHash([]byte(test.content))
		}
		if (len(got.Changes) == 1) != (test.change.Path != "") || len(got.Changes) == 1 && got.Changes[0] != test.change {
			t.Errorf("%s:\ngot  %+v\nwant %+v", test.name, got.Changes, test.change)
		}
		if text := fileText(t, filepath.Join(w.Dir(), test.name)); text != test.content {
			t.Errorf("%s: holds %.100q", test.name, text)
		}
		checkNoLeftovers(t, w)
	}
}

func checkNoLeftovers(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(w.Dir(), ".parley-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestWriteKeepsModeAndLink(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"bin/tool": "old", "link": "-> bin/tool", "dangling": "-> bin/new"})
	target := filepath.Join(w.Dir(), "bin/tool")
	if err := os.Chmod(target, 0o751); err != nil {
		t.Fatal(err)
	}
	got := runTool(t, w, Write(), map[string]any{"path": "link", "content": "new"})
	if got.Text != "updated bin/tool (3 bytes)" {
		t.Errorf("got %+v", got)
	}
	runTool(t, w, Write(), map[string]any{"path": "dangling", "content": "made"})
	for name, want := range map[string]string{"link": "bin/tool", "dangling": "bin/new"} {
		if at, err := os.Readlink(filepath.Join(w.Dir(), name)); at != want {
			t.Errorf("%s is no link to %s any more: %q %v", name, want, at, err)
		}
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if fileText(t, target) != "new" || fileText(t, filepath.Join(w.Dir(), "bin/new")) != "made" {
		t.Error("the targets were not written")
	}
}

func TestWriteRefuses(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"dir/file": "x", "locked": "x"})
	if err := os.Chmod(filepath.Join(w.Dir(), "locked"), 0o444); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"dir":        "cannot write dir: it is not a regular file",
		"locked":     "cannot write locked: it is read-only",
		"dir/file/x": "dir/file/x cannot be used",
	} {
		got := runTool(t, w, Write(), map[string]any{"path": path, "content": "y"})
		if !got.IsError || !strings.HasPrefix(got.Text, want) {
			t.Errorf("%s: got %+v", path, got)
		}
	}
	checkNoLeftovers(t, w)
}

// Edits of one file side by side are all kept.
func TestChangesDoNotGetLost(t *testing.T) {
	const n = 20
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "<%d>\n", i)
	}
	w := workspacetest.New(t, map[string]string{"file": text.String()})
	var wg sync.WaitGroup
	for i := range n {
		call, err := prepareTool(t, w, Edit(), map[string]any{"path": "file", "old": fmt.Sprintf("<%d>", i), "new": fmt.Sprintf("[%d]", i)})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if got := call.Run(t.Context(), Hooks{}); got.IsError {
				t.Error(got.Text)
			}
		})
	}
	wg.Wait()
	want := strings.NewReplacer("<", "[", ">", "]").Replace(text.String())
	if got := fileText(t, filepath.Join(w.Dir(), "file")); got != want {
		t.Errorf("got %q", got)
	}
}
