package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// A fakeEditor is a client with unsaved buffers, by path relative to the workspace. What is written is not saved.
type fakeEditor struct {
	w        *workspace.Workspace
	buffers  map[string]string
	refuses  string   // a part of the paths that it neither reads nor writes; "": none
	requests []string // in order: the verb and the relative path
}

func (f *fakeEditor) files() ClientFiles { return ClientFiles{Read: f.read, Write: f.write} }

func (f *fakeEditor) refuse(path string) error {
	if f.refuses != "" && strings.Contains(path, f.refuses) {
		return errors.New("not part of\nthe project")
	}
	return nil
}

func (f *fakeEditor) read(_ context.Context, path string) (string, error) {
	rel := f.w.Rel(path)
	f.requests = append(f.requests, "read "+rel)
	text, ok := f.buffers[rel]
	if !ok {
		return "", errors.New("no such buffer")
	}
	return text, f.refuse(rel)
}

func (f *fakeEditor) write(_ context.Context, path, text string) error {
	rel := f.w.Rel(path)
	f.requests = append(f.requests, "write "+rel)
	if err := f.refuse(rel); err != nil {
		return err
	}
	f.buffers[rel] = text
	return nil
}

// pngHead is the beginning of a picture; no tool shows it.
const pngHead = "\x89PNG\r\n\x1a\n"

// TestClientFiles: a text is what the client has, and is written by the client; all else is of our own disk.
func TestClientFiles(t *testing.T) {
	const deep = "new/deep"
	for _, test := range []struct {
		name     string
		tool     Tool
		input    in
		only     string // "read" or "write": the client has only that; "": both
		refuses  string
		want     string // part of the result
		requests []string
		buffers  map[string]string // that differ afterwards
		disk     map[string]string // that differs afterwards; "-": it is gone
	}{
		{name: "read", tool: Read(), input: in{"path": "f"}, want: "1\tunsaved\n", requests: []string{"read f"}},
		{name: "read a part", tool: Read(), input: in{"path": "f", "offset": 2, "limit": 1}, want: "2\tof f\n", requests: []string{"read f"}},
		{name: "read what is not saved yet", tool: Read(), input: in{"path": "fresh"}, want: "1\tonly a buffer\n", requests: []string{"read fresh"}},
		{name: "read an empty text of no file", tool: Read(), input: in{"path": "blank"}, want: "cannot read blank: it does not exist", requests: []string{"read blank"}},
		{name: "read what the client does not have", tool: Read(), input: in{"path": "other"}, want: "1\tof other\n", requests: []string{"read other"}},
		{name: "read what the client refuses", tool: Read(), input: in{"path": "f"}, refuses: "f", want: "1\tsaved\n", requests: []string{"read f"}},
		{name: "read without the client", tool: Read(), input: in{"path": "f"}, only: "write", want: "1\tsaved\n"},
		{name: "read a picture", tool: Read(), input: in{"path": "png"}, want: "cannot read png"},
		{name: "read a binary file", tool: Read(), input: in{"path": "bin"}, want: "bin is a binary file"},
		{name: "read a folder", tool: Read(), input: in{"path": "dir"}, want: "leaf"},
		{name: "list", tool: List(), input: in{"path": "dir"}, want: "leaf"},
		{name: "grep", tool: Grep(), input: in{"pattern": "^saved", "path": "f"}, want: "f\n"},
		{name: "glob", tool: Glob(), input: in{"pattern": "f*"}, want: "f"},

		{
			name: "edit", tool: Edit(), input: in{"path": "f", "old": "unsaved", "new": "edited"}, want: "edited f",
			requests: []string{"read f", "write f"}, buffers: map[string]string{"f": "edited\nof f\n"},
		},
		{
			name: "edit of the client's text, written by us", tool: Edit(), input: in{"path": "f", "old": "unsaved", "new": "edited"}, only: "read", want: "edited f",
			requests: []string{"read f"}, disk: map[string]string{"f": "edited\nof f\n"},
		},
		{
			name: "edit of our text, written by the client", tool: Edit(), input: in{"path": "f", "old": "saved", "new": "edited"}, only: "write", want: "edited f",
			requests: []string{"write f"}, buffers: map[string]string{"f": "edited\nof f\n"},
		},
		{
			name: "edit of what only the buffer lacks", tool: Edit(), input: in{"path": "f", "old": "\nsaved", "new": "edited"}, want: "cannot edit f",
			requests: []string{"read f"},
		},
		{
			name: "edit that the client refuses", tool: Edit(), input: in{"path": "other", "old": "of", "new": "OF"}, refuses: "other",
			want: "cannot edit other: the client did not write it: not part of the project", requests: []string{"read other", "write other"},
		},
		{name: "edit of a binary file", tool: Edit(), input: in{"path": "bin", "old": "x", "new": "y"}, want: "edited bin", disk: map[string]string{"bin": "\x00y"}},

		{
			name: "write", tool: Write(), input: in{"path": deep, "content": "new\n"}, want: "created new/deep",
			requests: []string{"read new/deep", "write new/deep"}, buffers: map[string]string{deep: "new\n"}, disk: map[string]string{"new/": ""},
		},
		{
			name: "write that the client refuses", tool: Write(), input: in{"path": deep, "content": "new\n"}, refuses: "deep",
			want: "cannot write new/deep: the client did not write it", requests: []string{"read new/deep", "write new/deep"},
		},
		{name: "write over a binary file", tool: Write(), input: in{"path": "bin", "content": "text"}, want: "updated bin", disk: map[string]string{"bin": "text"}},
		{name: "write of what is no text", tool: Write(), input: in{"path": "other", "content": "a\x00"}, want: "updated other", requests: []string{"read other"}, disk: map[string]string{"other": "a\x00"}},
		{name: "write of the same text", tool: Write(), input: in{"path": "f", "content": "unsaved\nof f\n"}, want: "unchanged f", requests: []string{"read f"}},
		{name: "write to a read-only file", tool: Write(), input: in{"path": "locked", "content": "x"}, want: "cannot write locked: it is read-only", requests: []string{"read locked"}},

		{
			name: "patch", tool: Patch(), input: patchOf("*** Update File: f", "@@", "-unsaved", "+patched", "*** Add File: g", "+g"),
			want: "M f", requests: []string{"read f", "read g", "write f", "write g"}, buffers: map[string]string{"f": "patched\nof f\n", "g": "g\n"},
		},
		{
			name: "patch that moves and deletes", tool: Patch(), input: patchOf("*** Update File: f", "*** Move to: g", "@@", "-unsaved", "+patched", "*** Delete File: other"),
			want: "A g", requests: []string{"read f", "read g", "read other"}, disk: map[string]string{"f": "-", "g": "patched\nof f\n", "other": "-"},
		},
		{
			name: "patch that the client refuses in part", tool: Patch(), input: patchOf("*** Update File: f", "@@", "-unsaved", "+patched", "*** Add File: new/g", "+g", "*** Update File: other", "@@", "-of other", "+patched"),
			refuses: "other", want: "cannot patch other: the client did not write it: not part of the project; no file was changed",
			requests: []string{"read f", "read new/g", "read other", "write f", "write new/g", "write other", "write f"}, buffers: map[string]string{"new/g": "g\n"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := map[string]string{"f": "saved\nof f\n", "other": "of other\n", "bin": "\x00x", "png": pngHead, "dir/leaf": "leaf", "locked": "locked"}
			w := workspacetest.New(t, disk)
			if err := os.Chmod(filepath.Join(w.Dir(), "locked"), 0o444); err != nil {
				t.Fatal(err)
			}
			buffers := map[string]string{"f": "unsaved\nof f\n", "fresh": "only a buffer\n", "blank": ""}
			editor := &fakeEditor{w: w, buffers: buffers, refuses: test.refuses}
			files := editor.files()
			switch test.only {
			case "read":
				files.Write = nil
			case "write":
				files.Read = nil
			}
			call, err := prepareTool(t, w, test.tool, test.input)
			if err != nil {
				t.Fatal(err)
			}
			wantBuffers, wantDisk := map[string]string{}, map[string]string{}
			for _, from := range []map[string]string{buffers, test.buffers} {
				for name, content := range from {
					wantBuffers[name] = content
				}
			}
			for _, from := range []map[string]string{disk, test.disk} {
				for name, content := range from {
					if wantDisk[name] = content; content == "-" {
						delete(wantDisk, name)
					}
				}
			}
			got := call.Run(t.Context(), Hooks{Files: files})
			if !strings.Contains(got.Text, test.want) || got.IsError != strings.HasPrefix(test.want, "cannot") && !strings.Contains(test.want, "is a binary") {
				t.Errorf("%q, error %t; want %q", got.Text, got.IsError, test.want)
			}
			if diff := cmp.Diff(test.requests, editor.requests); diff != "" {
				t.Errorf("requests: %s", diff)
			}
			if diff := cmp.Diff(wantBuffers, buffers); diff != "" {
				t.Errorf("buffers: %s", diff)
			}
			if diff := cmp.Diff(wantDisk, treeOf(t, w)); diff != "" {
				t.Errorf("disk: %s", diff)
			}
		})
	}
}

// TestClientFileChange: the change of a file is from the client's text, which is stored, and proposals and previews show the same.
func TestClientFileChange(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"f": "saved\n"})
	editor := &fakeEditor{w: w, buffers: map[string]string{"f": "unsaved\nend\n"}}
	for _, test := range []struct {
		tool  Tool
		input in
	}{
		{Edit(), in{"path": "f", "old": "unsaved", "new": "done"}},
		{Write(), in{"path": "f", "content": "done\nend\n"}},
		{Patch(), patchOf("*** Update File: f", "@@", "-unsaved", "+done")},
	} {
		editor.buffers["f"] = "unsaved\nend\n"
		call, err := prepareTool(t, w, test.tool, test.input)
		if err != nil {
			t.Fatal(err)
		}
		const diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-unsaved\n+done\n end\n"
		if shown := call.(Previewer).Preview(t.Context(), editor.files()); len(shown) != 1 || shown[0].Diff != diff {
			t.Errorf("%s: the preview is %+v", test.tool.Name(), shown)
		}
		if proposed, err := call.(Proposer).Propose(t.Context(), editor.files()); err != nil || len(proposed) != 1 || proposed[0].Diff != diff {
			t.Errorf("%s: %v, the proposal is %+v", test.tool.Name(), err, proposed)
		}
		var kept []string
		got := call.Run(t.Context(), Hooks{Files: editor.files(), Keep: func(data []byte) string {
			kept = append(kept, string(data))
			return "kept"
		}})
		want := []event.FileChange{{
			Path: "f", Op: event.Updated, Existed: true, Diff: diff, Added: 1, Removed: 1, Before: "kept", After: contentHash([]byte("done\nend\n")),
		}}
		if d := cmp.Diff(want, got.Changes); d != "" || got.IsError {
			t.Errorf("%s: %s %s", test.tool.Name(), got.Text, d)
		}
		if d := cmp.Diff([]string{"unsaved\nend\n"}, kept); d != "" {
			t.Errorf("%s stored %s", test.tool.Name(), d)
		}
	}
}

// TestClientFileKnown: what the model knows, and what its change was shown for, is the text of the client.
func TestClientFileKnown(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"f": "saved\n"})
	env := &Env{Workspace: w, Known: &KnownFiles{}}
	editor := &fakeEditor{w: w, buffers: map[string]string{"f": "unsaved\n"}}
	hooks := Hooks{Files: editor.files()}
	run := func(tool Tool, input in) Result {
		t.Helper()
		call, err := prepareIn(t, env, tool, input)
		if err != nil {
			t.Fatal(err)
		}
		return call.Run(t.Context(), hooks)
	}
	write := in{"path": "f", "content": "new\n"}
	if got := run(Write(), write); !strings.Contains(got.Text, errNeverRead.Error()) {
		t.Errorf("never read: %s", got.Text)
	}
	run(Read(), in{"path": "f"})
	editor.buffers["f"] = "typed meanwhile\n"
	if got := run(Write(), write); !strings.Contains(got.Text, errStale.Error()) {
		t.Errorf("changed in the buffer: %s", got.Text)
	}
	run(Read(), in{"path": "f"})
	if got := run(Write(), write); got.IsError || editor.buffers["f"] != "new\n" {
		t.Errorf("read: %s", got.Text)
	}
	call, err := prepareIn(t, env, Edit(), in{"path": "f", "old": "new", "new": "newer"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.(Proposer).Propose(t.Context(), editor.files()); err != nil {
		t.Fatal(err)
	}
	editor.buffers["f"] = "new, and more\n"
	if got := call.Run(t.Context(), hooks); !strings.Contains(got.Text, errChanged.Error()) || editor.buffers["f"] != "new, and more\n" {
		t.Errorf("changed since it was shown: %s", got.Text)
	}
	if text := fileText(t, filepath.Join(w.Dir(), "f")); text != "saved\n" {
		t.Errorf("the disk has %q", text)
	}
}

// TestClientFileLinks: a path that leads through a link since it was resolved is not sent to the client.
func TestClientFileLinks(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"f": "text\n", "dir/g": "text\n"})
	outside := workspacetest.TempDir(t)
	editor := &fakeEditor{w: w, buffers: map[string]string{"f": "text\n", "dir/g": "text\n"}}
	var calls []Call
	for _, path := range []string{"f", "dir/g"} {
		for tool, input := range map[Tool]in{
			Read():  {"path": path},
			Edit():  {"path": path, "old": "text", "new": "x"},
			Write(): {"path": path, "content": "x"},
			Patch(): patchOf("*** Update File: "+path, "@@", "-text", "+x"),
		} {
			call, err := prepareTool(t, w, tool, input)
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, call)
		}
	}
	for _, path := range []string{"f", "dir"} {
		if err := os.RemoveAll(filepath.Join(w.Dir(), path)); err != nil {
			t.Fatal(err)
		}
	}
	workspacetest.Lay(t, w.Dir(), map[string]string{"f": "-> " + outside + "/f", "dir": "-> " + outside})
	workspacetest.Lay(t, outside, map[string]string{"f": "secret\n", "g": "secret\n"})
	for _, call := range calls {
		if got := call.Run(t.Context(), Hooks{Files: editor.files()}); !got.IsError || !strings.Contains(got.Text, workspace.ErrSwapped.Error()) {
			t.Errorf("%s: %s", call.Request().Summary, got.Text)
		}
	}
	if len(editor.requests) > 0 {
		t.Errorf("requested %v", editor.requests)
	}
}

// TestClientFileInterrupted: a client that does not answer is waited for no longer than the call may run, and a patch is undone
// all the same.
func TestClientFileInterrupted(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	w := workspacetest.New(t, map[string]string{"f": "old\n", "g": "old\n"})
	defer w.Close()
	synctest.Test(t, func(t *testing.T) {
		reads := ClientFiles{Read: func(ctx context.Context, _ string) (string, error) { return "", hang(ctx) }}
		var wrote []string
		writes := ClientFiles{Write: func(ctx context.Context, path, text string) error {
			wrote = append(wrote, w.Rel(path)+" "+text)
			if len(wrote) == 1 {
				return nil
			}
			return hang(ctx)
		}}
		patch := patchOf("*** Update File: f", "@@", "-old", "+new", "*** Update File: g", "@@", "-old", "+new")
		for _, test := range []struct {
			tool  Tool
			input in
			files ClientFiles
			want  string
			after time.Duration
		}{
			{Read(), in{"path": "f"}, reads, "cannot read f", time.Minute},
			{Edit(), in{"path": "f", "old": "old", "new": "new"}, reads, "cannot edit f", time.Minute},
			{Patch(), patch, writes, "cannot patch g: interrupted while the client wrote it", time.Minute + clientGrace},
		} {
			call, err := prepareTool(t, w, test.tool, test.input)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			begun := time.Now()
			got := call.Run(ctx, Hooks{Files: test.files})
			cancel()
			if !got.IsError || !strings.Contains(got.Text, test.want) || time.Since(begun) != test.after {
				t.Errorf("%s after %s: %s", test.tool.Name(), time.Since(begun), got.Text)
			}
		}
		if diff := cmp.Diff([]string{"f new\n", "g new\n", "f old\n"}, wrote); diff != "" {
			t.Error(diff)
		}
	})
	if diff := cmp.Diff(map[string]string{"f": "old\n", "g": "old\n"}, treeOf(t, w)); diff != "" {
		t.Error(diff)
	}
}
