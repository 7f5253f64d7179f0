package skill

import (
	"os"
	"path/filepath"
	"testing"
)

// TestChoice wants further folders to count, and a skill that is switched off to be found and not used.
func TestChoice(t *testing.T) {
	project, more := t.TempDir(), t.TempDir()
	write := func(root, name string) {
		t.Helper()
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		text := "---\nname: " + name + "\ndescription: it is " + name + "\n---\n"
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(project, ".agents/skills"), "one")
	write(more, "two")
	places := Places{Dir: project}
	var c Choice
	want := func(what string, names ...string) {
		t.Helper()
		used := c.Used(places)
		if len(used) != len(names) {
			t.Fatalf("%s: %v, want %v", what, used, names)
		}
		for i, s := range used {
			if s.Name != names[i] {
				t.Errorf("%s: %v, want %v", what, used, names)
			}
		}
	}
	want("at first", "one")
	c.SetRoots([]string{more})
	want("with a further folder", "one", "two")
	c.Switch("one", false)
	c.Switch(filepath.Join(more, "two", FileName), false)
	want("switched off")
	if all, _ := c.All(places); len(all) != 2 {
		t.Errorf("switched off, they are not found: %v", all)
	}
	c.Switch("one", true)
	want("switched on", "one")
	c.SetRoots(nil)
	want("without the folder", "one")
}
