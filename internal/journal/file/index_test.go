package file_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
	for name, test := range map[string]struct {
		spoil func(path string) error
		aside bool // what was there is kept
	}{
		"missing":     {os.Remove, false},
		"empty":       {func(path string) error { return os.Truncate(path, 0) }, false},
		"no database": {func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 20_000), 0o600) }, true},
		"cut":         {func(path string) error { return os.Truncate(path, 5000) }, true},
		"pages of zeroes": {func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(make([]byte, 20_000), 4096)
			return errors.Join(err, f.Close())
		}, true},
		"a summary that is no JSON": {func(path string) error { return change(path, "UPDATE sessions SET summary = 'x' || summary") }, true},
		"a summary of another form": {func(path string) error { return change(path, `UPDATE sessions SET summary = '{"turns":"x"}'`) }, true},
		"a table that is missing":   {func(path string) error { return change(path, "DROP TABLE sessions") }, true},
		"a row that is missing":     {func(path string) error { return change(path, "DELETE FROM recent") }, true},
		"of another version":        {func(path string) error { return change(path, "PRAGMA user_version = 99; DROP TABLE sessions") }, false},
		"of version 1":              {func(path string) error { return change(path, "PRAGMA user_version = 1; DROP TABLE counts") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			root, want := indexed(t)
			if err := test.spoil(filepath.Join(root, "index.db")); err != nil {
				t.Fatal(err)
			}
			if err := file.CheckIndex(t.Context(), root); (err != nil) != (test.aside && name != "a row that is missing") {
				t.Errorf("CheckIndex = %v", err)
			}
			s := openStore(t, root)
			for range 2 {
				if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
					t.Errorf("List (-want +got):\n%s", diff)
				}
			}
			aside, err := filepath.Glob(filepath.Join(root, "index.db.damaged-1"))
			if err != nil || (len(aside) > 0) != test.aside {
				t.Errorf("set aside: %v, %v", aside, err)
			}
		})
	}
}

// change changes a database.
func change(path, statements string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(statements)
	return errors.Join(err, db.Close())
}

// Another process may delete the index at any time.
func TestIndexDeletedWhileOpen(t *testing.T) {
	root, want := indexed(t)
	s := openStore(t, root)
	for range 3 {
		if diff := cmp.Diff(want, listAll(t, s)); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(filepath.Join(root, "index.db"+suffix)); err != nil {
				t.Fatal(err)
			}
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
	db, err := sql.Open("sqlite", filepath.Join(root, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, root)
	j := createIn(t, s, "d")
	if err := errors.Join(j.Append(1, changed(9, "nine")), j.Sync(), j.Close(), s.Remove(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
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
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
