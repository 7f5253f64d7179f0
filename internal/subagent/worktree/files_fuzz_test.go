package worktree

import (
	"strings"
	"testing"
)

// FuzzParseFiles: whatever names a project has for its files, git's list of them is read or refused, and has no more files than entries.
func FuzzParseFiles(f *testing.F) {
	f.Add(":100644 100644 1 2 M\x00a.txt\x003\t1\ta.txt\x00")
	f.Add(":100644 100644 1 2 R100\x00a\x00b\x00-\t-\t\x00a\x00b\x00")
	f.Add(":000000 100644 0 2 A\x00:x\x00")
	f.Add(": : : : :\x00")
	f.Fuzz(func(t *testing.T, list string) {
		files, err := parseFiles(list)
		if err != nil {
			return
		}
		if len(files) > strings.Count(list, ":") {
			t.Errorf("%d files of %q", len(files), list)
		}
		for _, file := range files {
			if file.Op == "" || file.Added < -1 && strings.Count(list, "-") == 0 {
				t.Errorf("%+v of %q", file, list)
			}
		}
	})
}
