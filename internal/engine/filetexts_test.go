package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// TestFileTexts: the texts of a change are those before and after it, whether it is done or only proposed.
func TestFileTexts(t *testing.T) {
	s := newBench(t, nil).session(t, nil)
	turnOf(t, s, "go", nil) // the journal is there
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "-- c\n", "ä"}), 0, 30),
		func(lines []string) string { return strings.Join(lines, "") })
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		before := tool.FileContent{Exists: rapid.Bool().Draw(rt, "existed"), Data: []byte(text.Draw(rt, "before"))}
		after := tool.FileContent{Exists: rapid.Bool().Draw(rt, "exists"), Data: []byte(text.Draw(rt, "after"))}
		if !before.Exists {
			before.Data, after.Exists = nil, true
		}
		if !after.Exists {
			after.Data = nil
		}
		if before.Exists && after.Exists && string(before.Data) == string(after.Data) {
			return
		}
		c := ChangeOf{FileChange: tool.NetChange("a.txt", before, after), Session: s.ID(), Dir: dir}
		check := func(how string) {
			was, is, ok := s.host.FileTexts(t.Context(), c, 1000)
			if !ok || was != string(before.Data) || is != string(after.Data) {
				rt.Fatalf("%s: %q and %q, %t", how, was, is, ok)
			}
		}
		if before.Exists {
			writeFile(t, filepath.Join(dir, "a.txt"), string(before.Data))
		}
		check("proposed")
		writeFile(t, filepath.Join(dir, "a.txt"), "something else\n")
		if _, _, ok := s.host.FileTexts(t.Context(), c, 1000); ok == before.Exists {
			rt.Fatalf("of a file that something else has changed: %t", ok)
		}
		if before.Exists {
			address, err := s.Log().PutBlob(t.Context(), before.Data)
			if err != nil {
				t.Fatal(err)
			}
			c.Before = address
		}
		check("done")
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNoFileTexts: there are no texts of large files and binary ones, of a diff that is cut, and of a file that is a link.
func TestNoFileTexts(t *testing.T) {
	s := newBench(t, nil).session(t, nil)
	dir := t.TempDir()
	content := func(text string) tool.FileContent { return tool.FileContent{Exists: true, Data: []byte(text)} }
	cut := tool.NetChange("a.txt", content("a\n"), content("b\n"))
	cut.Cut = 1
	deleted := tool.NetChange("a.txt", content("a\n"), tool.FileContent{})
	deleted.Cut = 1
	for name, test := range map[string]struct {
		file   string
		change event.FileChange
	}{
		"large":       {strings.Repeat("a\n", 60), tool.NetChange("a.txt", content(strings.Repeat("a\n", 60)), content("b\n"))},
		"large after": {"b\n", tool.NetChange("a.txt", content("b\n"), content(strings.Repeat("a\n", 60)))},
		"binary":      {"\x00", tool.NetChange("a.txt", content("\x00"), content("b\n"))},
		"cut":         {"a\n", cut},
		"cut deleted": {"a\n", deleted},
		"gone":        {"", tool.NetChange("gone.txt", content("a\n"), content("b\n"))},
	} {
		writeFile(t, filepath.Join(dir, "a.txt"), test.file)
		if before, after, ok := s.host.FileTexts(t.Context(), ChangeOf{FileChange: test.change, Session: s.ID(), Dir: dir}, 100); ok {
			t.Errorf("%s: %q and %q", name, before, after)
		}
	}
	writeFile(t, filepath.Join(dir, "a.txt"), "a\n")
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	link := ChangeOf{FileChange: tool.NetChange("link", content("a\n"), content("b\n")), Session: s.ID(), Dir: dir}
	if _, _, ok := s.host.FileTexts(t.Context(), link, 100); ok {
		t.Error("a link is followed")
	}
}
