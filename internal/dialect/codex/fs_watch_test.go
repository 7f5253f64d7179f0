package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChangesOfWatches: changes that come together are one notification for each watch that they are of.
func TestChangesOfWatches(t *testing.T) {
	folder, file := &fileWatch{id: "w1", path: "/a", folder: "/a"}, &fileWatch{id: "w2", path: "/a/x", folder: "/a"}
	w := fileWatches{byID: map[string]*fileWatch{"w1": folder, "w2": file, "w3": {id: "w3", path: "/b", folder: "/b"}}}
	changed := changeSet{}
	for _, path := range []string{"/a/y", "/a", "/a/y", "/a/x", "/c/x"} {
		w.note(changed, path)
	}
	want := []FsChangedNotification{
		{ChangedPaths: []string{"/a", "/a/x", "/a/y"}, WatchID: "w1"},
		{ChangedPaths: []string{"/a/x"}, WatchID: "w2"},
	}
	if diff := cmp.Diff(want, w.notices(changed)); diff != "" {
		t.Errorf("notifications (-want +got):\n%s", diff)
	}
	delete(w.byID, "w1")
	if diff := cmp.Diff(want[1:], w.notices(changed)); diff != "" {
		t.Errorf("after the end of a watch (-want +got):\n%s", diff)
	}
}
