package file

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley.dev/parley/internal/event"
)

// TestHolder: the process that has the lease is known, and one that was killed is not taken for it.
func TestHolder(t *testing.T) {
	root := t.TempDir()
	var stores [2]*Store
	for i := range stores {
		s, err := Open(root, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		stores[i] = s
	}
	const id = "s-1"
	j, err := stores[0].Create(t.Context(), id, []event.Record{{Seq: 1, Time: time.Now(), Event: event.SessionCreated{Version: event.Version, ID: id, Workspace: root}}})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if pid := stores[1].Holder(id); pid != os.Getpid() {
		t.Errorf("while it is leased: %d", pid)
	}
	if err := j.Release(); err != nil {
		t.Fatal(err)
	}
	if pid := stores[1].Holder(id); pid != 0 {
		t.Errorf("after it was released: %d", pid)
	}
	if err := os.WriteFile(filepath.Join(stores[0].folder(id), lockName), []byte("1 busy\n"), fileMode); err != nil {
		t.Fatal(err)
	}
	if pid := stores[1].Holder(id); pid != 0 {
		t.Errorf("after its holder was killed: %d", pid)
	}
	if stores[1].Holder("../x") != 0 || stores[1].Holder("nothing") != 0 {
		t.Error("there is no such session")
	}
}
