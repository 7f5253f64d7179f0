package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
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

// TestLockedNamesSocket: a process that is refused a session of a host is informed of the host's socket, also if the host before
// was killed and had a longer one.
func TestLockedNamesSocket(t *testing.T) {
	root := t.TempDir()
	other, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i, socket := range []string{"", "/run/user/1000/parley.sock", "/" + strings.Repeat("x", 102), "/s"} {
		s, err := Open(root, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.SetSocket(socket)
		id := event.SessionID(fmt.Sprint("s-", i))
		j, err := s.Create(t.Context(), id, []event.Record{{Seq: 1, Time: time.Now(), Event: event.SessionCreated{Version: event.Version, ID: id, Workspace: root}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, busy := range []bool{true, false} {
			j.SetBusy(busy)
			_, err := other.Lease(t.Context(), id)
			locked, _ := errors.AsType[*journal.LockedError](err)
			if locked == nil || locked.PID != os.Getpid() || locked.Busy != busy || locked.Socket != socket {
				t.Errorf("%q: %+v", socket, locked)
			}
		}
		if err := j.Release(); err != nil {
			t.Fatal(err)
		}
		lock := filepath.Join(s.folder(id), lockName)
		if err := os.WriteFile(lock, []byte("1 busy\n/"+strings.Repeat("y", 102)+"\n"), fileMode); err != nil {
			t.Fatal(err)
		}
		if err := j.Acquire(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := readHolder(lock); got != (holder{os.Getpid(), false, socket}) {
			t.Errorf("after a host that was killed: %+v", got)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
