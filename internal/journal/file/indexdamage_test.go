package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/racetest"
)

// changedIndex returns a store with three sessions whose index has lines that were appended, the list, and the index.
func changedIndex(t *testing.T) (root string, want []journal.Summary, index []byte) {
	t.Helper()
	root, _ = indexed(t)
	s := openStore(t, root)
	for i, id := range []event.SessionID{"a", "c"} {
		j, err := s.Lease(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.Append(j.Head(), changed(20+i, "new name of "+string(id))), j.Close()); err != nil {
			t.Fatal(err)
		}
		listAll(t, s)
	}
	if err := s.Remove(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	want = listAll(t, s)
	index, err := os.ReadFile(indexOf(root))
	if err != nil || len(want) != 2 || want[0].Name != "new name of c" || bytes.Count(index, []byte("+")) < 5 {
		t.Fatalf("List = %+v, %v; the index is\n%s", want, err, index)
	}
	return root, want, index
}

// TestIndexCut cuts the index at each byte, as a process does that is killed while it appends.
func TestIndexCut(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	root, want, index := changedIndex(t)
	warm := openStore(t, root)
	listAll(t, warm)
	for size := range index {
		if err := os.WriteFile(indexOf(root), index[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*file.Store{"new": openStore(t, root), "warm": warm} {
			if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
				t.Fatalf("cut after %d bytes, %s: List (-want +got):\n%s", size, name, diff)
			}
		}
	}
}

// TestIndexDamage changes random parts of the index, while one store has read it.
func TestIndexDamage(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	root, want, index := changedIndex(t)
	warm := openStore(t, root)
	listAll(t, warm)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 150 {
		spoiled := bytes.Clone(index)
		at := random.IntN(len(spoiled))
		end := at + random.IntN(min(100, len(spoiled)-at)) + 1
		switch part := spoiled[at:end]; n % 5 {
		case 0:
			part[0] ^= 1 << random.IntN(8)
		case 1:
			clear(part)
		case 2:
			for i := range part {
				part[i] = byte(random.Uint32())
			}
		case 3:
			spoiled = append(spoiled[:at], spoiled[end:]...)
		case 4:
			spoiled = append(spoiled[:end:end], index[at:]...)
		}
		if err := os.WriteFile(indexOf(root), spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*file.Store{"new": openStore(t, root), "warm": warm} {
			if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
				t.Fatalf("damage %d, bytes %d to %d, %s: List (-want +got):\n%s", n, at, end, name, diff)
			}
		}
	}
}

// TestIndexShared lets eight stores list while sessions change and the index is rewritten and deleted: none lists too few sessions,
// and in the end all list the same.
func TestIndexShared(t *testing.T) {
	root := t.TempDir()
	writer := openStore(t, root)
	const sessions = 10
	journals := make([]journal.Journal, sessions)
	for i := range journals {
		journals[i] = createIn(t, writer, event.SessionID(fmt.Sprintf("s%d", i)))
	}
	stores := make([]*file.Store, 8)
	var group sync.WaitGroup
	for i := range stores {
		stores[i] = openStore(t, root)
		group.Go(func() {
			for n := range racetest.Size(60, 15) {
				var err error
				switch {
				case i == 0 && n%10 == 5:
					err = stores[i].Rebuild(t.Context())
				case i == 1 && n%10 == 5:
					err = os.Remove(indexOf(root))
					if errors.Is(err, os.ErrNotExist) {
						err = nil
					}
				}
				page, listErr := stores[i].List(t.Context(), journal.Query{Count: true})
				if err := errors.Join(err, listErr); err != nil || len(page.Sessions) != sessions || page.Total != sessions {
					t.Errorf("List = %d sessions of %d, %v", len(page.Sessions), page.Total, err)
				}
			}
		})
	}
	rounds := racetest.Size(300, 60)
	for n := range rounds {
		j := journals[n%sessions]
		if err := j.Append(j.Head(), changed(n, fmt.Sprintf("name %d", n))); err != nil {
			t.Error(err)
		}
	}
	group.Wait()
	want := listAll(t, stores[0])
	if got, last := want[0].Name, fmt.Sprintf("name %d", rounds-1); got != last {
		t.Errorf("the first session has the name %q, want %q", got, last)
	}
	for _, s := range stores[1:] {
		if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
	}
}
