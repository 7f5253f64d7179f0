package engine

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

// onDisk returns a host whose sessions lie in a folder.
func (b *bench) onDisk(t testing.TB, root string) *Host {
	t.Helper()
	store, err := file.Open(root, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	h := b.host()
	h.cfg.Store = store
	return h
}

// readFrom returns what a program that opens the store now finds of a session.
func readFrom(t *testing.T, root string, id event.SessionID) (records []event.Record) {
	t.Helper()
	store, err := file.Open(root, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for rec, err := range store.Read(t.Context(), id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// TestForkOnDisk: a fork that was made is in the store, whatever becomes of the process, also
// when the source belongs to another one; and it opens again as it was.
func TestForkOnDisk(t *testing.T) {
	root := t.TempDir()
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{}`)), say("one"), say("two"), say("three"))
	h := b.onDisk(t, root)
	s, err := h.Create(t.Context(), NewSession{Workspace: t.TempDir(), Settings: event.Settings{Model: "test", Mode: "full_access"}}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	ended(t, turnOf(t, s, "first", nil))
	second := turnOf(t, s, "second", nil)

	other := b.onDisk(t, root)
	fork, err := other.Fork(t.Context(), s.ID(), last[event.UserMessage](second), NewSession{ID: "fork"}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	source, got := readFrom(t, root, s.ID()), readFrom(t, root, "fork")
	if diff := cmp.Diff(source[1:len(got)], got[1:]); diff != "" {
		t.Errorf("the fork differs:\n%s", diff)
	}
	before := fork.State()
	if err := fork.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := b.onDisk(t, root).Open(t.Context(), "fork", b.options())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, again.State()); diff != "" {
		t.Errorf("state after opening:\n%s", diff)
	}
	ended(t, turnOf(t, again, "third", nil))
	if err := again.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := h.List(t.Context(), Query{})
	if err != nil || len(page.Sessions) != 2 || page.Sessions[0].Parent != s.ID() && page.Sessions[1].Parent != s.ID() {
		t.Errorf("List = %+v, %v", page.Sessions, err)
	}
}

// TestImportLeavesNothing: an import that fails late leaves no folder after, and its id is free.
func TestImportLeavesNothing(t *testing.T) {
	root := t.TempDir()
	b := newBench(t, nil)
	h := b.onDisk(t, root)
	broken := errors.New("the file cannot be read")
	records := func(failing error) iter.Seq2[event.Record, error] {
		return func(yield func(event.Record, error) bool) {
			for range 3 * intakeBatch {
				if !yield(event.Record{Event: person("x")}, nil) {
					return
				}
			}
			if failing != nil {
				yield(event.Record{}, failing)
			}
		}
	}
	n := NewSession{ID: "s", Workspace: t.TempDir()}
	if _, err := h.Import(t.Context(), n, records(broken), nil, b.options()); !errors.Is(err, broken) {
		t.Fatalf("Import = %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(root, "sessions")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	s, err := h.Import(t.Context(), n, records(nil), nil, b.options())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(readFrom(t, root, "s")); got != 3*intakeBatch+1 {
		t.Errorf("%d records on disk", got)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Import(t.Context(), n, records(nil), nil, b.options()); !errors.Is(err, journal.ErrExists) {
		t.Errorf("a second import: %v", err)
	}
}
