package tool

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// A call was prepared, and shown to a user, before its path was swapped for a symlink:
// it must fail, wherever the symlink leads.
func TestSwapBetweenPrepareAndRun(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"file": "secret", "dir/file": "secret"})
	calls := map[string]struct {
		tool Tool
		in   map[string]any
	}{
		"read":  {Read(), map[string]any{"path": "dir/file"}},
		"write": {Write(), map[string]any{"path": "dir/file", "content": "overwritten"}},
		"new":   {Write(), map[string]any{"path": "dir/sub/file", "content": "overwritten"}},
		"edit":  {Edit(), map[string]any{"path": "dir/file", "old": "e", "new": "overwritten", "replace_all": true}},
		"glob":  {Glob(), map[string]any{"pattern": "dir/**"}},
		"grep":  {Grep(), map[string]any{"path": "dir", "pattern": "secret", "mode": "content"}},
		"grep1": {Grep(), map[string]any{"path": "dir/file", "pattern": "secret", "mode": "content"}},
		"list":  {List(), map[string]any{"path": "dir"}},
	}
	for name, call := range calls {
		for _, target := range []string{outside + "/dir", ".git", "other"} {
			w := workspacetest.New(t, map[string]string{
				"dir/file": "public e", ".git/file": "secret", "other/file": "secret",
			})
			prepared, err := prepareTool(t, w, call.tool, call.in)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(w.Dir(), "dir")
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, dir); err != nil {
				t.Fatal(err)
			}
			got := prepared.Run(t.Context(), Hooks{})
			if !got.IsError || strings.Contains(got.Text, "secret") || len(got.Changes) > 0 {
				t.Errorf("%s through a link to %s: got %+v", name, target, got)
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(w.Dir(), target)
			}
			if text := fileText(t, target+"/file"); text != "secret" {
				t.Errorf("%s through a link to %s: the file became %q", name, target, text)
			}
			if _, err := os.Lstat(target + "/sub"); err == nil {
				t.Errorf("%s through a link to %s: made a folder", name, target)
			}
		}
	}
}

func TestFileSwappedForLink(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"file": "secret"})
	w := workspacetest.New(t, map[string]string{"file": "public"})
	read, err := prepareTool(t, w, Read(), map[string]any{"path": "file"})
	if err != nil {
		t.Fatal(err)
	}
	write, err := prepareTool(t, w, Write(), map[string]any{"path": "file", "content": "overwritten"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Dir(), "file")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "file"), path); err != nil {
		t.Fatal(err)
	}
	for _, call := range []Call{read, write} {
		if got := call.Run(t.Context(), Hooks{}); !got.IsError || !strings.Contains(got.Text, "replaced since it was approved") {
			t.Errorf("got %+v", got)
		}
	}
	if text := fileText(t, outside+"/file"); text != "secret" {
		t.Errorf("the file outside became %q", text)
	}
}

// While a folder, or a file, is swapped for a link and back as fast as possible, no call
// sees or touches what the link leads to.
func TestSwapWhileRunning(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"file": "secret"})
	for _, swap := range []struct{ path, link, target string }{
		{"dir", outside, outside + "/file"},
		{"dir", ".git", ".git/file"},
		{"dir/file", outside + "/file", outside + "/file"},
		{"dir/file", "../.git/file", ".git/file"},
	} {
		w := workspacetest.New(t, map[string]string{
			"dir/file": "public", ".git/file": "secret", "link": "-> " + swap.link,
		})
		stop := swapper(t, filepath.Join(w.Dir(), swap.path), filepath.Join(w.Dir(), "link"))
		reads, writes := useWhileSwapped(t, w, swap.path == "dir")
		stop()
		if reads == 0 || writes == 0 && swap.path == "dir" {
			t.Errorf("%s: %d reads and %d writes succeeded: nothing was tested", swap.link, reads, writes)
		}
		if !filepath.IsAbs(swap.target) {
			swap.target = filepath.Join(w.Dir(), swap.target)
		}
		if text := fileText(t, swap.target); text != "secret" {
			t.Errorf("%s became %q", swap.target, text)
		}
	}
}

// swapper exchanges two paths until stop is called.
func swapper(t *testing.T, a, b string) (stop func()) {
	var stopped atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stopped.Load() {
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("swap: %v", err)
				return
			}
		}
	})
	return func() {
		stopped.Store(true)
		wg.Wait()
	}
}

// useWhileSwapped reads dir/file many times, and now and then writes it, whenever that
// seems to be inside. It counts what succeeded.
func useWhileSwapped(t *testing.T, w *workspace.Workspace, write bool) (reads, writes int) {
	for i := range 5000 {
		p, err := w.Resolve("dir/file", true)
		if err != nil || p.Outside {
			continue // caught in time: it would be asked
		}
		if file, err := w.Open(p); err == nil {
			data, err := io.ReadAll(file)
			file.Close()
			if err != nil || string(data) != "public" {
				t.Errorf("read %q %v", data, err)
				return reads, writes
			}
			reads++
		}
		if write && i%10 == 0 && w.WriteFile(p, []byte("public"), 0o666) == nil {
			writes++
		}
	}
	return reads, writes
}

func TestPipeIsNotWaitedFor(t *testing.T) {
	w := workspacetest.New(t, nil)
	if err := unix.Mkfifo(filepath.Join(w.Dir(), "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []Tool{Read(), Write(), Grep()} {
		in := map[string]any{"path": "pipe"}
		switch tool.Name() {
		case "write":
			in["content"] = "x"
		case "grep":
			in["pattern"] = "x"
		}
		if got := runTool(t, w, tool, in); !got.IsError || !strings.Contains(got.Text, "not a regular file") {
			t.Errorf("%s: got %+v", tool.Name(), got)
		}
	}
}
