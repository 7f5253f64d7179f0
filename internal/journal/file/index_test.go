package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/racetest"
)

// changed returns a record that changes the list immediately.
func changed(seconds int, name string) []event.Record {
	at := time.Date(2026, 11, 21, 7, 0, seconds, 0, time.UTC)
	return []event.Record{{Time: at, Event: event.SessionChanged{Settings: event.Settings{Name: name}}}}
}

// listAll returns all sessions, and checks that the count of the index is their number.
func listAll(t *testing.T, s *file.Store) []journal.Summary {
	t.Helper()
	page, err := s.List(t.Context(), journal.Query{Limit: 10_000, Count: true})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	if page.Total != len(page.Sessions) {
		t.Errorf("List counts %d sessions of %d", page.Total, len(page.Sessions))
	}
	return page.Sessions
}

// indexed returns the root of a store with three sessions, and their list.
func indexed(t *testing.T) (root string, want []journal.Summary) {
	t.Helper()
	root = t.TempDir()
	s := openStore(t, root)
	for i, id := range []event.SessionID{"a", "b", "c"} {
		j := createIn(t, s, id)
		if err := errors.Join(j.Append(1, changed(i, "name of "+string(id))), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	want = listAll(t, s)
	if len(want) != 3 || want[0].Name != "name of c" {
		t.Fatalf("List = %+v", want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return root, want
}

// TestIndexIsRebuilt damages the index in many ways; the list is always the same.
func TestIndexIsRebuilt(t *testing.T) {
	edit := func(f func(lines [][]byte) [][]byte) func(path string) error {
		return func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Join(f(bytes.SplitAfter(data, []byte("\n"))), nil), 0o600)
		}
	}
	for name, test := range map[string]struct {
		spoil   func(path string) error
		damaged bool // CheckIndex returns an error
	}{
		"missing":            {os.Remove, false},
		"empty":              {func(path string) error { return os.Truncate(path, 0) }, true},
		"no index":           {func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 20_000), 0o600) }, true},
		"lines of no index":  {func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("xyz\n"), 5_000), 0o600) }, true},
		"cut":                {func(path string) error { return os.Truncate(path, 300) }, true},
		"zeroes at its end":  {func(path string) error { return appendText(path, strings.Repeat("\x00", 5000)) }, false},
		"a line at its end":  {func(path string) error { return appendText(path, "00000000 =0\tfalse\n") }, true},
		"a line changed":     {edit(func(l [][]byte) [][]byte { l[1] = bytes.Replace(l[1], []byte("name"), []byte("Name"), 1); return l }), true},
		"a line missing":     {edit(func(l [][]byte) [][]byte { return slices.Delete(l, 1, 2) }), true},
		"a line twice":       {edit(func(l [][]byte) [][]byte { return slices.Insert(l, 1, l[1]) }), true},
		"lines exchanged":    {edit(func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }), true},
		"of another version": {func(path string) error { return os.WriteFile(path, file.IndexOfVersion("99"), 0o600) }, false},
		"of an earlier program": {func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(filepath.Join(filepath.Dir(path), "index.db"), []byte("SQLite"), 0o600))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			root, want := indexed(t)
			if err := test.spoil(indexOf(root)); err != nil {
				t.Fatal(err)
			}
			if err := file.CheckIndex(t.Context(), root); (err != nil) != test.damaged {
				t.Errorf("CheckIndex = %v", err)
			}
			s := openStore(t, root)
			for range 2 {
				if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
					t.Errorf("List (-want +got):\n%s", diff)
				}
			}
			if err := file.CheckIndex(t.Context(), root); err != nil {
				t.Errorf("CheckIndex = %v after a list", err)
			}
		})
	}
}

func indexOf(root string) string { return filepath.Join(root, "sessions.index") }

// TestOldIndexIsDeleted: the database of earlier versions goes, and with it what a program of such a version may have kept from the
// index: it replaces recent.jsonl.
func TestOldIndexIsDeleted(t *testing.T) {
	root, want := indexed(t)
	s := openStore(t, root)
	j, err := s.Lease(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Append(j.Head(), changed(0, "A")), j.Close(), os.Remove(filepath.Join(root, "recent.jsonl"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.db", "index.db-wal", "index.db-shm"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("SQLite format 3"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want[2].Name = "A"
	if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	if left, err := filepath.Glob(filepath.Join(root, "index.db*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// TestRecentIsLost: without the part of recent.jsonl that was ingested, as after a power failure, the index is built from the journals.
func TestRecentIsLost(t *testing.T) {
	for name, spoil := range map[string]func(recent string) error{
		"deleted":        os.Remove,
		"cut":            func(recent string) error { return os.Truncate(recent, 300) },
		"cut and longer": func(recent string) error { return os.WriteFile(recent, bytes.Repeat([]byte("\n"), 10_000), 0o600) },
		"zeroes in it":   func(recent string) error { return os.WriteFile(recent, make([]byte, 5000), 0o600) },
		"another, longer": func(recent string) error {
			return os.WriteFile(recent, bytes.Repeat([]byte(`{"id":"x"}`+"\n"), 500), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, want := indexed(t)
			s := openStore(t, root)
			j, err := s.Lease(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(j.Append(j.Head(), changed(0, "A")), j.Close(), spoil(filepath.Join(root, "recent.jsonl"))); err != nil {
				t.Fatal(err)
			}
			want[2].Name = "A"
			for range 2 {
				if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
					t.Errorf("List (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// Another process may delete the index at any time.
func TestIndexDeletedWhileOpen(t *testing.T) {
	root, want := indexed(t)
	s := openStore(t, root)
	for range 3 {
		if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
		if err := os.Remove(indexOf(root)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRebuild(t *testing.T) {
	root, want := indexed(t)
	s := openStore(t, root)
	data, err := os.ReadFile(journalOf(root, "b"))
	if err != nil {
		t.Fatal(err)
	}
	// The index entry of b is out of date, a was removed, and d has damage after its first record.
	first, err := file.FirstLine(event.Record{Time: want[1].Updated, Event: event.SessionCreated{Version: event.Version, ID: "d"}})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		os.WriteFile(journalOf(root, "b"), data[:bytes.IndexByte(data, '\n')+1], 0o600),
		os.RemoveAll(s.Location("a")),
		os.Mkdir(s.Location("d"), 0o700),
		os.WriteFile(journalOf(root, "d"), append(first, "damage\n"...), 0o600),
		os.Mkdir(s.Location("e"), 0o700),
		os.WriteFile(filepath.Join(root, "sessions", "stray"), nil, 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rebuild(t.Context()); err != nil {
		t.Fatalf("Rebuild: %v", err)
	}
	want[1].Name, want[1].Updated = "", want[1].Created
	d := journal.Summary{ID: "d", Created: time.Date(2026, 11, 21, 7, 0, 1, 0, time.UTC), Updated: time.Date(2026, 11, 21, 7, 0, 1, 0, time.UTC)}
	if diff := cmp.Diff([]journal.Summary{want[0], d, want[1]}, listAll(t, s)); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

func TestRebuildIsCancelled(t *testing.T) {
	root, want := indexed(t)
	s := openStore(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Rebuild(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Rebuild: %v, want Canceled", err)
	}
	if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

// TestListNeverBlocksWriters locks the index, as a stopped process might.
func TestListNeverBlocksWriters(t *testing.T) {
	root, _ := indexed(t)
	held := flock.New(filepath.Join(root, "sessions.index.lock"))
	if ok, err := held.TryLock(); !ok {
		t.Fatal(err)
	}
	s := openStore(t, root)
	j := createIn(t, s, "d")
	if err := errors.Join(j.Append(1, changed(9, "nine")), j.Sync(), j.Close(), s.Remove(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.List(ctx, journal.Query{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("List = %v while the index is locked", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, sum := range listAll(t, s) {
		names = append(names, sum.Name)
	}
	if want := []string{"nine", "name of c", "name of b"}; !slices.Equal(names, want) {
		t.Errorf("List = %q, want %q", names, want)
	}
}

// TestFirstLists: processes that list sessions for the first time, all at once, create one index.
func TestFirstLists(t *testing.T) {
	for range racetest.Size(20, 4) {
		root := t.TempDir()
		createIn(t, openStore(t, root), "s1")
		var group sync.WaitGroup
		start := make(chan struct{})
		for range 16 {
			s := openStore(t, root)
			group.Go(func() {
				<-start
				if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) != 1 {
					t.Errorf("List = %d sessions, %v", len(page.Sessions), err)
				}
			})
		}
		close(start)
		group.Wait()
	}
}

// TestRecentIsRetired lets writers append while lists of two stores replace the file several times:
// no change is lost.
func TestRecentIsRetired(t *testing.T) {
	root := t.TempDir()
	writers, rounds := 4, racetest.Size(4000, 2100)
	stores := []*file.Store{openStore(t, root), openStore(t, root)}
	var group, listing sync.WaitGroup
	writing := make(chan struct{})
	for i := range writers {
		j := createIn(t, stores[i%2], event.SessionID(fmt.Sprintf("s%d", i)))
		group.Go(func() {
			for n := range rounds {
				if err := j.Append(j.Head(), changed(n, fmt.Sprintf("name %d", n))); err != nil {
					t.Errorf("Append: %v", err)
				}
			}
		})
	}
	for _, s := range stores {
		listing.Go(func() {
			for {
				select {
				case <-writing:
					return
				default:
				}
				if page, err := s.List(t.Context(), journal.Query{}); err != nil || len(page.Sessions) != writers {
					t.Errorf("List = %d sessions, %v", len(page.Sessions), err)
				}
			}
		})
	}
	group.Wait()
	close(writing)
	listing.Wait()
	for _, sum := range listAll(t, stores[0]) {
		if want := fmt.Sprintf("name %d", rounds-1); sum.Name != want {
			t.Errorf("%s has the name %s, want %s", sum.ID, sum.Name, want)
		}
	}
	for range 2 { // the first may still be busy with a file retired before
		listAll(t, stores[1])
	}
	var size int64
	for _, name := range []string{"recent.jsonl", "recent.retired.jsonl"} {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil {
			size += info.Size()
		}
	}
	if atLeast := int64(writers * rounds * 130); size >= 1<<20 || atLeast < 1<<20 {
		t.Errorf("%d bytes of recent changes are kept of more than %d", size, atLeast)
	}
}

// TestRecentAfterCrash leaves the files as a crash may: an incomplete line, and a retired file that
// was not ingested.
func TestRecentAfterCrash(t *testing.T) {
	root, want := indexed(t)
	recent := filepath.Join(root, "recent.jsonl")
	s := openStore(t, root)
	rename := func(id event.SessionID, name string) {
		t.Helper()
		j, err := s.Lease(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.Append(j.Head(), changed(int(id[0]-'a'), name)), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	rename("a", "A")
	if err := os.Rename(recent, filepath.Join(root, "recent.retired.jsonl")); err != nil {
		t.Fatal(err)
	}
	// The new file becomes longer than the part that was ingested of the previous one.
	appendTo(t, recent, "\n"+`{"id":"b","name":"to`)
	rename("b", "B")
	appendTo(t, recent, strings.Repeat("\n", 10_000))
	want[2].Name, want[1].Name = "A", "B"
	for range 3 { // what is spent goes, and nothing comes back with it
		if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "recent.retired.jsonl")); err == nil {
		t.Errorf("the retired file stays")
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	if err := appendText(path, text); err != nil {
		t.Fatal(err)
	}
}

func appendText(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
