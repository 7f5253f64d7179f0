package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A changer is a session whose model calls one tool a turn.
type changer struct {
	t   testing.TB
	b   *bench
	s   *Session
	dir string
	n   int
}

// newChanger returns a session with the tools that change files, in a folder with these files.
func newChanger(t testing.TB, files map[string]string) *changer {
	t.Helper()
	c := &changer{t: t, b: newBench(t, nil)}
	for _, real := range []tool.Tool{tool.Write(), tool.Edit(), tool.Patch()} {
		c.b.tools[real.Name()] = real
	}
	c.s = c.b.session(t, nil)
	c.dir = c.s.State().Workspace
	for name, content := range files {
		c.write(name, content)
	}
	return c
}

func (c *changer) write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *changer) read(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

// run runs a tool in a turn of its own, and returns the number of the record that a restore needs to undo it.
func (c *changer) run(name string, in map[string]any) (before uint64) {
	c.t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		c.t.Fatal(err)
	}
	c.n++
	before = c.s.State().Head + 1
	c.b.mu.Lock()
	c.b.answers = append(c.b.answers, call(toolCall(fmt.Sprint("call-", c.n), name, string(input))), say("Done."))
	c.b.mu.Unlock()
	for _, e := range find[event.ToolEnded](turnOf(c.t, c.s, "go", nil)) {
		if e.Outcome != event.Succeeded {
			c.t.Fatalf("%s %s: %s", name, input, e.Output)
		}
	}
	if err := c.s.Wait(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	return before
}

func (c *changer) edit(name, old, new string) uint64 {
	return c.run("edit", map[string]any{"path": name, "old": old, "new": new})
}

func (c *changer) create(name, content string) uint64 {
	return c.run("write", map[string]any{"path": name, "content": content})
}

func (c *changer) patch(lines ...string) uint64 {
	return c.run("patch", map[string]any{"input": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"})
}

// restore applies a restore, and returns its paths with what was done to them.
func (c *changer) restore(before uint64) []string {
	c.t.Helper()
	dry, err := c.s.one().Restore(c.t.Context(), before, false)
	if err != nil {
		c.t.Fatal(err)
	}
	done, err := c.s.one().Restore(c.t.Context(), before, true)
	if err != nil {
		c.t.Fatal(err)
	}
	if diff := cmp.Diff(dry, done); diff != "" {
		c.t.Errorf("it does something else than it said:\n%s", diff)
	}
	return filesOf(done)
}

func filesOf(r RestoredFiles) (list []string) {
	for _, f := range r.Files {
		list = append(list, string(f.Op)+" "+f.Path)
	}
	return list
}

// tree returns the files with their permission bits and contents.
func (c *changer) tree() map[string]string {
	c.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files[relativeTo(c.dir, path)] = info.Mode().String() + " " + c.read(relativeTo(c.dir, path))
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return files
}

// TestRestore: files that were made, changed, deleted and moved are what they were, with their permission bits; a
// restore is recorded with its client, and can be undone.
func TestRestore(t *testing.T) {
	c := newChanger(t, map[string]string{"changed": "1\n", "deleted.sh": "2\n", "moved": "3\n", "other": "4\n", "bin": "\x00x"})
	if err := os.Chmod(filepath.Join(c.dir, "deleted.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	was := c.tree()
	before := c.edit("changed", "1", "one")
	c.edit("changed", "one", "uno")
	c.edit("bin", "x", "y")
	c.create("sub/new", "n\n")
	c.create("gone", "g\n")
	c.patch("*** Delete File: deleted.sh", "*** Delete File: gone", "*** Update File: moved", "*** Move to: sub/moved", "@@", "-3", "+three")
	c.create("deleted.sh", "again\n")
	is := c.tree()

	undo := c.s.State().Head + 1
	want := []string{"updated bin", "updated changed", "updated deleted.sh", "created moved", "deleted sub/moved", "deleted sub/new"}
	if diff := cmp.Diff(want, c.restore(before)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(was, c.tree()); diff != "" {
		t.Errorf("the files are not as they were:\n%s", diff)
	}
	var fact event.FilesRestored
	for rec, err := range c.s.Log().RecordsFrom(t.Context(), undo) {
		if err != nil {
			t.Fatal(err)
		}
		fact = rec.Event.(event.FilesRestored)
	}
	if fact.Before != before || len(fact.Changes) != len(want) {
		t.Errorf("recorded: %+v", fact)
	}
	if changed, err := c.s.Files().Changes(t.Context(), ""); err != nil || len(changed.Files) > 0 {
		t.Errorf("all in all: %+v, %v", changed.Files, err)
	}
	if got := c.restore(before); len(got) > 0 || c.s.State().Head != undo {
		t.Errorf("restored again: %v", got)
	}
	c.restore(undo)
	delete(is, "deleted.sh") // its bits are those of the file that was there first
	now := c.tree()
	if now["deleted.sh"] != "-rwxr-x--- again\n" {
		t.Errorf("deleted.sh is %q", now["deleted.sh"])
	}
	delete(now, "deleted.sh")
	if diff := cmp.Diff(is, now); diff != "" {
		t.Errorf("the restore is not undone:\n%s", diff)
	}
}

// TestRestoreLaw: whatever tools do, a restore gives the files before any turn back, and undone it gives those after
// the last.
func TestRestoreLaw(t *testing.T) {
	contents := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "ü\r\n", "z"}), 1, 6), func(lines []string) string { return strings.Join(lines, "") })
	rapid.Check(t, func(rt *rapid.T) {
		c := newChanger(t, map[string]string{"a": "one\ntwo\n", "b": "x", "d/e": "\x00\x01\n"})
		var befores []uint64
		var trees []map[string]string
		for range rapid.IntRange(1, 5).Draw(rt, "turns") {
			befores, trees = append(befores, c.s.State().Head+1), append(trees, c.tree())
			names := []string{"a", "b", "d/e", "new", "d/new"}
			name := rapid.SampledFrom(names).Draw(rt, "name")
			now, content := c.read(name), contents.Draw(rt, "content")
			switch op := rapid.SampledFrom([]string{"edit", "edit", "delete", "move"}).Draw(rt, "op"); {
			case now == "-":
				c.create(name, content)
			case op == "delete":
				c.patch("*** Delete File: " + name)
			case op == "move" && c.read("moved") == "-" && strings.HasPrefix(now, "one\n"):
				c.patch("*** Update File: "+name, "*** Move to: moved", "@@", "-one", "+1")
			case now != content:
				c.edit(name, now, content)
			}
		}
		last, end := c.tree(), c.s.State().Head
		i := rapid.IntRange(0, len(trees)-1).Draw(rt, "restored")
		c.restore(befores[i])
		if diff := cmp.Diff(trees[i], c.tree()); diff != "" {
			rt.Fatalf("before turn %d:\n%s", i, diff)
		}
		if c.s.State().Head > end {
			c.restore(end + 1)
		}
		if diff := cmp.Diff(last, c.tree()); diff != "" {
			rt.Fatalf("undone:\n%s", diff)
		}
	})
}

// TestRestoreConflicts: nothing is written if one file is not as tools left it, whatever was done to it.
func TestRestoreConflicts(t *testing.T) {
	tests := map[string]struct {
		interfere func(c *changer)
		path      string // of the conflict; "": there is none
		problem   string
	}{
		"nothing":     {func(*changer) {}, "", ""},
		"changed":     {func(c *changer) { c.write("d/b", "other\n") }, "d/b", "it was changed since the last change by a tool"},
		"put back":    {func(c *changer) { c.write("d/b", "2\n") }, "", ""},
		"deleted":     {func(c *changer) { os.Remove(filepath.Join(c.dir, "d/b")) }, "d/b", "it was deleted since the last change by a tool"},
		"made again":  {func(c *changer) { c.write("gone", "other\n") }, "gone", "it was created again since a tool deleted it"},
		"new changed": {func(c *changer) { c.write("new", "other\n") }, "new", "it was changed since the last change by a tool"},
		"new deleted": {func(c *changer) { os.Remove(filepath.Join(c.dir, "new")) }, "", ""},
		"a folder": {func(c *changer) {
			os.Remove(filepath.Join(c.dir, "d/b"))
			c.write("d/b/x", "")
		}, "d/b", "it is not a regular file"},
		"a link": {func(c *changer) {
			c.write("elsewhere", "two\n")
			os.Remove(filepath.Join(c.dir, "d/b"))
			if err := os.Symlink("../elsewhere", filepath.Join(c.dir, "d/b")); err != nil {
				c.t.Fatal(err)
			}
		}, "d/b", "its path leads through a link now"},
		"below a link": {func(c *changer) {
			os.Rename(filepath.Join(c.dir, "d"), filepath.Join(c.dir, "d2"))
			if err := os.Symlink("d2", filepath.Join(c.dir, "d")); err != nil {
				c.t.Fatal(err)
			}
		}, "d/b", "its path leads through a link now"},
		"between two changes": {func(c *changer) {
			c.write("d/b", "other\n")
			c.edit("d/b", "other", "third")
		}, "d/b", "something else changed it between two changes by tools"},
		"between, and put back": {func(c *changer) {
			c.write("d/b", "other\n")
			c.edit("d/b", "other", "third")
			c.write("d/b", "2\n")
		}, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newChanger(t, map[string]string{"a": "1\n", "d/b": "2\n", "gone": "3\n"})
			was := c.tree()
			before := c.edit("a", "1", "one")
			c.edit("d/b", "2", "two")
			c.create("new", "n\n")
			c.patch("*** Delete File: gone")
			test.interfere(c)
			is, head := c.tree(), c.s.State().Head
			_, dryErr := c.s.one().Restore(t.Context(), before, false)
			_, err := c.s.one().Restore(t.Context(), before, true)
			if test.path == "" {
				if diff := cmp.Diff(was, c.tree()); err != nil || dryErr != nil || diff != "" {
					t.Errorf("%v, %v\n%s", err, dryErr, diff)
				}
				return
			}
			for _, err := range []error{err, dryErr} {
				if conflict, ok := errors.AsType[*ConflictError](err); !ok || conflict.Path != test.path || conflict.Problem != test.problem {
					t.Errorf("got %v", err)
				}
			}
			if diff := cmp.Diff(is, c.tree()); diff != "" || c.s.State().Head != head {
				t.Errorf("something was done:\n%s", diff)
			}
		})
	}
}

// TestRestoreAgain: a process that dies while it writes leaves files of both kinds and no record. The restore is
// repeated, and what it records can be undone.
func TestRestoreAgain(t *testing.T) {
	for n := range 4 { // files that were written before the end
		c := newChanger(t, map[string]string{"a": "1\n", "b": "2\n", "gone": "3\n"})
		was := c.tree()
		before := c.edit("a", "1", "one")
		c.edit("b", "2", "two")
		c.edit("b", "two", "zwei")
		c.patch("*** Delete File: gone")
		is, end := c.tree(), c.s.State().Head
		for _, name := range []string{"a", "b", "gone"}[:n] {
			_, content, _ := strings.Cut(was[name], " ")
			c.write(name, content)
		}
		if got := c.restore(before); len(got) != 3 {
			t.Errorf("%d: restored %v", n, got)
		}
		if diff := cmp.Diff(was, c.tree()); diff != "" {
			t.Errorf("%d:\n%s", n, diff)
		}
		c.restore(end + 1)
		if diff := cmp.Diff(is, c.tree()); diff != "" {
			t.Errorf("%d, undone:\n%s", n, diff)
		}
	}
}

// TestRestoreUnknownContents: files whose contents were not stored are listed, and nothing is written.
func TestRestoreUnknownContents(t *testing.T) {
	large := strings.Repeat("x", tool.MaxStored) + "y\n"
	c := newChanger(t, map[string]string{"a": "1\n", "large": large})
	before := c.edit("a", "1", "one")
	c.edit("large", "y", "z")
	is := c.tree()
	dry, err := c.s.one().Restore(t.Context(), before, false)
	if err != nil || len(dry.Files) != 2 || dry.Files[0].Missing || !dry.Files[1].Missing || dry.Files[1].Op != event.Updated || dry.Files[1].Diff != "" {
		t.Errorf("%+v, %v", dry.Files, err)
	}
	_, err = c.s.one().Restore(t.Context(), before, true)
	if e, ok := errors.AsType[*UnrestorableError](err); !ok || e.Path != "large" || e.Outside {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(is, c.tree()); diff != "" {
		t.Errorf("something was written:\n%.200s", diff)
	}

	// A file that is not over the limit yet, and then is, can be put back.
	c.write("large", large[2:])
	small := c.edit("large", "y", "yy")
	c.restore(small)
	if c.read("large") != large[2:] {
		t.Error("a file of the largest size is not what it was")
	}
}

// TestOldRecords: journals of programs that stored no contents are read, and restored as far as nothing is needed.
func TestOldRecords(t *testing.T) {
	b := newBench(t, nil)
	dir := t.TempDir()
	old := func(call event.CallID, c event.FileChange) []event.Record {
		return []event.Record{
			{Turn: "t", Event: event.ToolIntended{Call: call, Name: "edit", Tool: "edit"}},
			{Turn: "t", Event: event.ToolStarted{Call: call}},
			{Turn: "t", Event: event.ToolEnded{Call: call, Outcome: event.Succeeded, Changes: []event.FileChange{c}}},
		}
	}
	records := []event.Record{{Turn: "t", Event: event.TurnStarted{Prompt: "p"}}, {Turn: "t", Event: event.StepStarted{Step: 1}}}
	records = append(records, old("1", event.FileChange{Path: "a", Op: event.Updated, Existed: true, Diff: "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-1\n+2\n", Added: 1, Removed: 1})...)
	records = append(records, old("2", event.FileChange{Path: "b", Op: event.Updated, Existed: true, Added: 1, Removed: 1})...)
	records = append(records, old("3", event.FileChange{Path: "b", Op: event.Updated, Existed: true, Added: 2})...)
	records = append(records, event.Record{Turn: "t", Event: event.StepEnded{Step: 1}}, event.Record{Turn: "t", Event: event.TurnEnded{Reason: event.TurnCompleted}})
	all := func(yield func(event.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
	s, err := b.host().Import(t.Context(), NewSession{Workspace: dir}, all, nil, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	changed, err := s.Files().Changes(t.Context(), "t")
	if err != nil || len(changed.Files) != 2 {
		t.Fatalf("%+v, %v", changed, err)
	}
	if f := changed.Files[0]; f.Missing || f.Diff == "" {
		t.Errorf("the only change of a: %+v", f)
	}
	if f := changed.Files[1]; !f.Missing || f.Diff != "" || f.Added != 3 || f.Removed != 1 || f.Op != event.Updated {
		t.Errorf("two changes of b: %+v", f)
	}
	if dry, err := s.one().Restore(t.Context(), 2, false); err != nil || len(dry.Files) != 2 || !dry.Files[0].Missing || !dry.Files[1].Missing {
		t.Errorf("%+v, %v", dry.Files, err)
	}
	if _, err := s.one().Restore(t.Context(), 2, true); !strings.Contains(fmt.Sprint(err), `"a" cannot be restored: its content before the change is not stored`) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Files().Changes(t.Context(), "none"); !errors.Is(err, ErrNoTurn) {
		t.Errorf("an unknown turn: %v", err)
	}
}

// TestRestoreOutside: what tools may not write without an approval is not written: outside of the workspace, and git's own.
func TestRestoreOutside(t *testing.T) {
	elsewhere := t.TempDir()
	for _, name := range []string{filepath.Join(elsewhere, "f"), ".git/config"} {
		c := newChanger(t, map[string]string{"a": "1\n"})
		before := c.edit("a", "1", "one")
		c.create(name, "n\n")
		if err := c.s.Change(func(s *event.Settings) { s.Mode = "workspace-write" }); err != nil {
			t.Fatal(err)
		}
		dry, err := c.s.one().Restore(t.Context(), before, false)
		i := slices.IndexFunc(dry.Files, func(f RestoredFile) bool { return f.Path == name })
		if err != nil || len(dry.Files) != 2 || i < 0 || !dry.Files[i].Outside || dry.Files[1-i].Outside {
			t.Errorf("%+v, %v", dry.Files, err)
		}
		_, err = c.s.one().Restore(t.Context(), before, true)
		if e, ok := errors.AsType[*UnrestorableError](err); !ok || e.Path != name || !e.Outside || c.read("a") != "one\n" {
			t.Errorf("got %v", err)
		}
		if err := c.s.Change(func(s *event.Settings) { s.Mode = "danger-full-access" }); err != nil {
			t.Fatal(err)
		}
		if c.restore(before); c.read("a") != "1\n" {
			t.Error("with all permissions nothing was restored")
		}
	}
}

// TestRestoreWhenBusy: a restore needs an idle session, and a record that there is.
func TestRestoreWhenBusy(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("", hanging))
	s := b.session(t, nil)
	for _, before := range []uint64{0, s.State().Head + 2} {
		for _, apply := range []bool{false, true} {
			if _, err := s.one().Restore(t.Context(), before, apply); !errors.Is(err, ErrNoRecord) {
				t.Errorf("before %d: %v", before, err)
			}
		}
	}
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	for _, apply := range []bool{false, true} {
		if _, err := s.one().Restore(t.Context(), 1, apply); !errors.Is(err, ErrTurnActive) {
			t.Errorf("while a turn runs: %v", err)
		}
	}
	s.Interrupt()
	untilEnd(t, records, nil)
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.one().Restore(t.Context(), 1, true); err != nil || len(got.Files) > 0 || s.State().Busy {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}

// TestForkRestores: a fork has the contents that it needs, also without its source.
func TestForkRestores(t *testing.T) {
	c := newChanger(t, map[string]string{"a": "1\n"})
	before := c.edit("a", "1", "one")
	c.edit("a", "one", "uno")
	h := c.b.host()
	fork := forkOf(t, c.b, h, c.s, 0)
	if err := c.s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Remove(t.Context(), c.s.ID()); err != nil {
		t.Fatal(err)
	}
	done, err := fork.one().Restore(t.Context(), before, true)
	if err != nil || !slices.Equal(filesOf(done), []string{"updated a"}) || c.read("a") != "1\n" {
		t.Errorf("%+v, %v; a is %q", done, err, c.read("a"))
	}
	again := forkOf(t, c.b, h, fork, 0)
	if _, err := again.one().Restore(t.Context(), fork.State().Head, true); err != nil || c.read("a") != "uno\n" {
		t.Errorf("%v; a is %q", err, c.read("a"))
	}
}

// TestRestoreIsAllOrNothing: if a file cannot be written, those before it are put back.
func TestRestoreIsAllOrNothing(t *testing.T) {
	c := newChanger(t, map[string]string{"a": "1\n", "locked": "2\n"})
	before := c.edit("a", "1", "one")
	c.edit("locked", "2", "two")
	if err := os.Chmod(filepath.Join(c.dir, "locked"), 0o444); err != nil {
		t.Fatal(err)
	}
	is, head := c.tree(), c.s.State().Head
	if _, err := c.s.one().Restore(t.Context(), before, true); err == nil || !strings.Contains(err.Error(), "cannot restore locked: it is read-only; no file was changed") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(is, c.tree()); diff != "" || c.s.State().Head != head || c.s.State().Busy {
		t.Errorf("something was done:\n%s", diff)
	}
}
