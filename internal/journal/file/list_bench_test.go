package file_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

const manySessions = 100_000

// BenchmarkList lists the first page of 100,000 sessions. For a first list of a fresh process
// run only its part "cold", once, with PARLEY_BENCH_STORE naming a folder that the first run creates
// and that is reused.
func BenchmarkList(b *testing.B) {
	root := os.Getenv("PARLEY_BENCH_STORE")
	if root == "" {
		root = b.TempDir()
	}
	if _, err := os.Stat(filepath.Join(root, "sessions.index")); err != nil {
		writeMany(b, root)
		if err := openStore(b, root).Rebuild(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			s := openStore(b, root)
			listFirst(b, s, journal.Query{})
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		s := openStore(b, root)
		listFirst(b, s, journal.Query{})
		b.ReportAllocs()
		for b.Loop() {
			listFirst(b, s, journal.Query{})
		}
	})
	b.Run("counted", func(b *testing.B) {
		s := openStore(b, root)
		listFirst(b, s, journal.Query{})
		b.ReportAllocs()
		for b.Loop() {
			listFirst(b, s, journal.Query{Count: true})
		}
	})
	b.Run("turns", func(b *testing.B) { // none has one
		s := openStore(b, root)
		listFirst(b, s, journal.Query{})
		for b.Loop() {
			if page, err := s.List(b.Context(), journal.Query{WithTurns: true}); err != nil || len(page.Sessions) != 0 {
				b.Fatalf("List = %d sessions, %v", len(page.Sessions), err)
			}
		}
	})
	b.Run("workspace", func(b *testing.B) {
		s := openStore(b, root)
		for b.Loop() {
			listFirst(b, s, journal.Query{Workspace: "/home/ada/w7"})
		}
	})
	b.Run("search", func(b *testing.B) {
		s := openStore(b, root)
		for b.Loop() {
			listFirst(b, s, journal.Query{Search: "session 9999"})
		}
	})
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			if err := openStore(b, root).Rebuild(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func listFirst(b *testing.B, s *file.Store, q journal.Query) {
	b.Helper()
	page, err := s.List(b.Context(), q)
	if err != nil || len(page.Sessions) == 0 {
		b.Fatalf("List = %d sessions, %v", len(page.Sessions), err)
	}
}

// writeMany writes journals of one record without waiting for the disk.
func writeMany(b *testing.B, root string) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range manySessions {
		id := event.SessionID(fmt.Sprintf("session-%06d", n))
		line, err := file.FirstLine(event.Record{Time: start.Add(time.Duration(n) * time.Minute), Event: event.SessionCreated{
			Version: event.Version, ID: id, Workspace: fmt.Sprintf("/home/ada/w%d", n%20), Settings: event.Settings{Name: fmt.Sprintf("Session %d", n)},
		}})
		if err != nil {
			b.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(journalOf(root, id)), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(journalOf(root, id), line, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}
