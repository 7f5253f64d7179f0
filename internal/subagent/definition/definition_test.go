package definition

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBundled(t *testing.T) {
	agents, errs := Find(Places{})
	if len(errs) > 0 {
		t.Errorf("errors: %q", errs)
	}
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
		if a.Description == "" || a.Prompt == "" || a.Source != Bundled || a.Path != "" {
			t.Errorf("%s is %+v", a.Name, a)
		}
	}
	want := []string{"designer", "explore", "librarian", "oracle", "plan", "quick_task", "reviewer", "task"}
	if !slices.Equal(names, want) {
		t.Errorf("bundled are %q, want %q", names, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, p Places, name string) Definition {
	t.Helper()
	agents, _ := Find(p)
	i := slices.IndexFunc(agents, func(a Definition) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return agents[i]
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	p := Places{Project: []string{filepath.Join(dir, "p1"), filepath.Join(dir, "p2")}, User: []string{filepath.Join(dir, "u"), filepath.Join(dir, "none")}}
	write(t, dir+"/p1/explore.md", "---\nname: explore\ndescription: >\n  Ours,\n  in two lines\ntools: [read, ' grep ']\nspawns: '*'\nbackend: acp:claude\nmodel: a/b, c\nthinkingLevel: high\noutput:\n  properties:\n    ok: {type: boolean}\n---\n\nLook.\n")
	write(t, dir+"/p2/explore.md", "Weaker")
	write(t, dir+"/u/explore.md", "Weaker")
	write(t, dir+"/u/plain.md", "\uFEFFNo head at all.\n---\nx\n")
	write(t, dir+"/u/crlf.md", "---\r\nname: windows\r\nspawns: true\r\n---\r\nDo.\r\n")
	write(t, dir+"/u/.hidden.md", "x")
	write(t, dir+"/u/notes.txt", "x")
	for _, test := range []struct {
		name string
		want Definition
	}{
		{"explore", Definition{
			Name: "explore", Description: "Ours, in two lines", Source: Project, Path: dir + "/p1/explore.md", Tools: []string{"read", "grep"},
			Spawns: []string{"*"}, Backend: "acp:claude", Models: []string{"a/b", "c"}, Thinking: "high", Output: []byte(`{"properties":{"ok":{"type":"boolean"}}}`), Prompt: "Look.",
		}},
		{"plain", Definition{Name: "plain", Source: User, Path: dir + "/u/plain.md", Prompt: "No head at all.\n---\nx"}},
		{"windows", Definition{Name: "windows", Source: User, Path: dir + "/u/crlf.md", Spawns: []string{"*"}, Prompt: "Do."}},
	} {
		if diff := cmp.Diff(test.want, find(t, p, test.name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if agents, errs := Find(p); len(agents) != 10 || len(errs) != 0 {
		t.Errorf("%d agents, errors %q", len(agents), errs)
	}
	if a := find(t, p, "explore"); !slices.Equal(a.Spawns, []string{"*"}) || find(t, p, "plain").Spawns != nil || !slices.Contains(find(t, p, "plan").Spawns, "explore") {
		t.Error("the agents that may be spawned are wrong")
	}
}

// TestBadFiles: files that are no agents are reported, and the others are found.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a/bad.md", "---\nname: [\n---\nx\n")
	write(t, dir+"/a/empty.md", "---\nname: x\n---\n")
	write(t, dir+"/a/nothing.md", "")
	write(t, dir+"/a/long.md", strings.Repeat("x", maxFile+1))
	write(t, dir+"/a/good.md", "Do.")
	write(t, dir+"/secret", "password")
	if err := os.Symlink(dir+"/secret", dir+"/a/link.md"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/a/folder.md", 0o755); err != nil {
		t.Fatal(err)
	}
	agents, errs := Find(Places{Project: []string{dir + "/a"}})
	if len(errs) != 6 {
		t.Errorf("errors: %q", errs)
	}
	for _, a := range agents {
		if a.Source == Project && a.Name != "good" {
			t.Errorf("found %+v", a)
		}
	}
	find(t, Places{Project: []string{dir + "/a"}}, "good")
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ntools: [1, {a: b}]\noutput: {1: 2}\n---\nx")
	f.Add("---\n? [a]\n: b\n---\nx")
	f.Add("---\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parse(text, "file.md")
		if err == nil && (a.Prompt == "" || strings.Contains(a.Name, "\n") || a.Output != nil && !a.Output.IsValid()) {
			t.Errorf("%q is %+v", text, a)
		}
	})
}
