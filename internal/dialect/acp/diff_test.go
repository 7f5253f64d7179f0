package acp

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// fileText draws a text of lines that diffs could misread.
var fileText = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "-- x\n", "++ y\n", "@@ z\n", "\\ w\n", "c", "d\r\n"}), 0, 40),
	func(lines []string) string { return strings.Join(lines, "") })

// changeOf returns the change of a file from one text to another.
func changeOf(before, after string, existed bool) event.FileChange {
	return tool.NetChange("a.txt", tool.FileContent{Exists: existed, Data: []byte(before)}, tool.FileContent{Exists: true, Data: []byte(after)})
}

// TestHunks: each hunk is a part of the text before, and what it makes of it is that part of the text after: all of them
// together lead from one to the other.
func TestHunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := fileText.Draw(t, "before"), fileText.Draw(t, "after")
		if before == after {
			return
		}
		rest, got := before, ""
		for _, h := range hunksOf(changeOf(before, after, true).Diff) {
			for strings.Count(got, "\n") < h.start-1 {
				n := strings.IndexByte(rest, '\n') + 1
				got, rest = got+rest[:n], rest[n:]
			}
			if !strings.HasPrefix(rest, h.before) {
				t.Fatalf("%q does not begin with %q", rest, h.before)
			}
			same := 0
			for same < min(len(h.before), len(h.after)) && h.before[same] == h.after[same] {
				same++
			}
			if first := h.start + strings.Count(h.after[:same], "\n"); h.line > first {
				t.Fatalf("line %d of %q and %q differs, not line %d", first, h.before, h.after, h.line)
			}
			got, rest = got+h.after, rest[len(h.before):]
		}
		if got+rest != after {
			t.Fatalf("got %q, want %q", got+rest, after)
		}
	})
}

// TestDiff: a change has its whole texts where they are known, else the places that change; a file without a diff has a
// note.
func TestDiff(t *testing.T) {
	long := strings.Repeat("line\n", 20)
	changed := "first\n" + long + "last\n"
	diffOf := func(before *string, after string) DiffOfTool {
		return DiffOfTool{Type: "diff", Path: "/w/a.txt", OldText: before, NewText: after}
	}
	text := func(s string) *string { return &s }
	cut := changeOf("a\n", "b\n", true)
	cut.Cut = 3
	for name, test := range map[string]struct {
		change event.FileChange
		known  bool
		want   []ToolContent
	}{
		"whole":   {changeOf(long, changed, true), true, []ToolContent{diffOf(text("before"), "after")}},
		"new":     {changeOf("", "a\n", false), true, []ToolContent{diffOf(nil, "after")}},
		"hunks":   {changeOf(long, changed, true), false, []ToolContent{diffOf(text("line\nline\nline\n"), "first\nline\nline\nline\n"), diffOf(text("line\nline\nline\n"), "line\nline\nline\nlast\n")}},
		"created": {changeOf("", "a", false), false, []ToolContent{diffOf(nil, "a")}},
		"cut":     {cut, false, []ToolContent{diffOf(text("a\n"), "b\n"), textOfTool("a.txt: 3 more lines of the diff are not shown")}},
		"binary":  {event.FileChange{Path: "a.txt", Op: event.Updated, Existed: true}, false, []ToolContent{textOfTool("a.txt: updated; it is binary or large, and has no diff")}},
	} {
		v := testView()
		v.texts = func(engine.ChangeOf) (before, after string, ok bool) { return "before", "after", test.known }
		got := v.diff(&call{}, test.change)
		if string(marshal(got)) != string(marshal(test.want)) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, marshal(got), marshal(test.want))
		}
	}
}

// TestChangedLines: the location of a change is the first line that changes.
func TestChangedLines(t *testing.T) {
	v := testView()
	got := v.changed(&call{}, []event.FileChange{
		changeOf("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\nseven\n", true), changeOf("", "a\n", false), {Path: "b", Op: event.Deleted, Existed: true},
	})
	if want := []Location{{"/w/a.txt", 7}, {Path: "/w/a.txt"}, {Path: "/w/b"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
