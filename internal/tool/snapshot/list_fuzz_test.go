package snapshot

import (
	"strings"
	"testing"
)

// FuzzParseList: whatever names a project has for its files, git's list of changes is read or refused, with a bounded number of
// regular files.
func FuzzParseList(f *testing.F) {
	f.Add(":100644 100755 a b M\x00a file\x00")
	f.Add(":000000 120000 0 b A\x00link\x00")
	f.Add(":100644 000000 a 0 D\x00:x\x00:\x00")
	f.Fuzz(func(t *testing.T, list string) {
		entries, whole, err := parseList(list)
		if err != nil {
			return
		}
		if len(entries) > maxChanges || len(entries) > strings.Count(list, "\x00")+1 {
			t.Errorf("%d entries", len(entries))
		}
		for _, e := range entries {
			if !e.before.plain() || !e.after.plain() {
				t.Errorf("%+v is no regular file (whole: %t)", e, whole)
			}
			if !strings.Contains(list, e.path) {
				t.Errorf("the path %q is not in %q", e.path, list)
			}
			_, _ = e.before.file(nil), e.after.file(nil)
		}
	})
}
