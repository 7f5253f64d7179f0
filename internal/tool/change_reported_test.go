package tool

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// TestReported: changes of other programs have the form of our own, and nothing that would allow to undo them.
func TestReported(t *testing.T) {
	w, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	before := "one\ntwo\n"
	for name, test := range map[string]struct{ got, want event.FileChange }{
		"texts": {ReportedChange(w, "a", &before, "one\n2\n"), event.FileChange{
			Path: "a", Op: event.Updated, Existed: true, Added: 1, Removed: 1, Diff: "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
		}},
		"new file": {ReportedChange(w, w.Dir()+"/b/a", nil, "x\n"), event.FileChange{
			Path: "b/a", Op: event.Created, Added: 1, Diff: "--- /dev/null\n+++ b/b/a\n@@ -0,0 +1,1 @@\n+x\n",
		}},
		"deletion": {ReportedDeletion(w, "a", &before), event.FileChange{
			Path: "a", Op: event.Deleted, Existed: true, Removed: 2, Diff: "--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n",
		}},
		"deletion of what is not known": {ReportedDeletion(w, "/x/a", nil), event.FileChange{Path: "/x/a", Op: event.Deleted, Existed: true}},
		"hunks": {ReportedDiff(w, "a", "@@ -4,3 +4,3 @@\n l\n-m\n+n\n+o\n p"), event.FileChange{
			Path: "a", Op: event.Updated, Existed: true, Added: 2, Removed: 1, Diff: "--- a/a\n+++ b/a\n@@ -4,3 +4,3 @@\n l\n-m\n+n\n+o\n p\n",
		}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
