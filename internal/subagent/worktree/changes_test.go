package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChanges lists what differs from the last commit, below the folder alone.
func TestChanges(t *testing.T) {
	m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n", "sub/b.txt": "b\n", "sub/c d.txt": "c\n", "sub/gone": "g\n"})
	if got, err := m.Changes(t.Context(), dir); err != nil || len(got) != 0 {
		t.Errorf("unchanged: %q, %v", got, err)
	}
	files{"a.txt": "changed\n", "sub/c d.txt": "changed\n", "sub/new é": "n\n", "sub/folder/x": "x\n"}.write(t, dir)
	if err := os.Remove(filepath.Join(dir, "sub/gone")); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "add", "sub/c d.txt")
	for folder, want := range map[string][]string{
		"":           {" M a.txt", "M  sub/c d.txt", " D sub/gone", "?? sub/folder/", "?? sub/new é"},
		"sub":        {"M  c d.txt", " D gone", "?? folder/", "?? new é"},
		"sub/folder": {"?? ./"},
	} {
		if got, err := m.Changes(t.Context(), filepath.Join(dir, folder)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", folder, got, err, want)
		}
	}
	if got, err := m.Changes(t.Context(), realTemp(t)); err != nil || got != nil {
		t.Errorf("outside of a repository: %q, %v", got, err)
	}
}

// TestChangesRunsNothing: programs that a repository names do not run.
func TestChangesRunsNothing(t *testing.T) {
	for setting, value := range map[string]string{
		"filter.evil.clean": "touch %s; cat", "filter.evil.process": "touch %s", "core.fsmonitor": "touch %s; false", "core.hooksPath": "",
	} {
		m, dir := newManager(t), repositoryWith(t, files{"a.txt": "a\n"})
		mark := filepath.Join(t.TempDir(), "ran")
		if value != "" {
			value = fmt.Sprintf(value, mark)
		} else {
			value = filepath.Join(dir, "hooks")
			files{"hooks/post-index-change": "+x #!/bin/sh\ntouch " + mark + "\n"}.write(t, dir)
		}
		gitIn(t, dir, "config", setting, value)
		files{".gitattributes": "* filter=evil\n", "a.txt": "b\n"}.write(t, dir)
		got, err := m.Changes(t.Context(), dir)
		if refused := strings.HasPrefix(setting, "filter"); refused != (err != nil) || !refused && len(got) == 0 {
			t.Errorf("%s: %q, %v", setting, got, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("%s ran", setting)
		}
	}
}
