package stores

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/transfer"
	"parley.dev/parley/internal/stream/natstest"
)

// TestCopy copies a session from files to a namespace, to another one, and back to files: all journals are the same.
func TestCopy(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	folders := []string{t.TempDir(), t.TempDir()}
	chain := []journal.Store{open(t, folders[0]), open(t, namespace(t, url)), open(t, namespace(t, url)), open(t, folders[1])}
	const id = "s ü.1"
	write(t, chain[0], id)
	want := lines(t, chain[0], id)
	for i := range len(chain) - 1 {
		c := transfer.Copier{From: chain[i], To: chain[i+1]}
		for _, status := range []transfer.Status{transfer.Copied, transfer.Same} {
			if r := c.Copy(t.Context(), id); r.Status != status || r.Records != 4 || status == transfer.Copied && r.Blobs != 2 {
				t.Fatalf("copy %d: %+v; want %s, 4 records, 2 blobs", i, r, status)
			}
		}
		if got := lines(t, chain[i+1], id); got != want {
			t.Fatalf("copy %d is different", i)
		}
		page, err := chain[i+1].List(t.Context(), journal.Query{})
		if err != nil || len(page.Sessions) != 1 || page.Sessions[0].Workspace != "/home/ada/engine" {
			t.Errorf("copy %d is listed as %+v, %v", i, page.Sessions, err)
		}
	}
	var files []string
	for _, folder := range folders {
		var all strings.Builder
		err := filepath.WalkDir(filepath.Join(folder, "sessions"), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Base(path) == "lock" {
				return err
			}
			data, err := os.ReadFile(path)
			name, _ := filepath.Rel(folder, path)
			all.WriteString(name + "\n" + string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, all.String())
	}
	if files[0] != files[1] {
		t.Error("the files of the session are not the same after the round trip")
	}
}

// TestCopyStates copies to targets that have something already.
func TestCopyStates(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	appendTo := func(t *testing.T, store journal.Store, id event.SessionID, texts ...string) {
		j, err := store.Lease(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if err := j.Append(j.Head(), []event.Record{note(text)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		change func(t *testing.T, from, to journal.Store) // after the first copy
		want   transfer.Status
	}{
		{"same", func(*testing.T, journal.Store, journal.Store) {}, transfer.Same},
		{"extended", func(t *testing.T, from, _ journal.Store) { appendTo(t, from, "s", "more", "and more") }, transfer.Extended},
		{"target ahead", func(t *testing.T, _, to journal.Store) { appendTo(t, to, "s", "more") }, transfer.Diverged},
		{"diverged", func(t *testing.T, from, to journal.Store) {
			appendTo(t, from, "s", "one")
			appendTo(t, to, "s", "other")
		}, transfer.Diverged},
		{"busy source", func(t *testing.T, from, _ journal.Store) { hold(t, from) }, transfer.Busy},
		{"busy target", func(t *testing.T, _, to journal.Store) { hold(t, to) }, transfer.Busy},
	} {
		for _, direction := range []string{"to nats", "from nats"} {
			t.Run(test.name+" "+direction, func(t *testing.T) {
				from, to := open(t, t.TempDir()), open(t, namespace(t, url))
				if direction == "from nats" {
					from, to = to, from
				}
				write(t, from, "s")
				c := transfer.Copier{From: from, To: to}
				if r := c.Copy(t.Context(), "s"); r.Status != transfer.Copied {
					t.Fatalf("%+v", r)
				}
				test.change(t, from, to)
				before := lines(t, to, "s")
				r := c.Copy(t.Context(), "s")
				if r.Status != test.want || r.OK() != (r.Error == "") {
					t.Errorf("%+v; want %s", r, test.want)
				}
				want := before
				if test.want == transfer.Extended {
					want = lines(t, from, "s")
				}
				if got := lines(t, to, "s"); got != want {
					t.Error("the target is not as it should be")
				}
			})
		}
	}
}

// hold leases a session until the test ends, and needs it.
func hold(t *testing.T, store journal.Store) {
	j, err := store.Lease(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	j.SetBusy(true)
	t.Cleanup(func() { _ = j.Close() })
}

func TestCopyRequestsIdleLease(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	where := namespace(t, url)
	holder, from := open(t, where), open(t, where)
	write(t, holder, "s")
	j, err := holder.Lease(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if holder.(journal.LeaseRequester).AwaitRequest(t.Context(), "s") == nil {
			_ = j.Release()
		}
	}()
	c := transfer.Copier{From: from, To: open(t, t.TempDir())}
	if r := c.Copy(t.Context(), "s"); r.Status != transfer.Copied {
		t.Errorf("%+v; want a copy after the holder has released the lease", r)
	}
}

// TestCopyDamage copies journals whose bytes have changed: nothing wrong is copied, and nothing is removed.
func TestCopyDamage(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	for _, test := range []struct {
		name, glob string
		damage     func([]byte) []byte
	}{
		{"record", "journal.jsonl", func(b []byte) []byte { return bytes.Replace(b, []byte("blobs "), []byte("bl0bs "), 1) }},
		{"end", "journal.jsonl", func(b []byte) []byte { return append(b, "not a record\n"...) }},
		{"blob", "blobs/*", func(b []byte) []byte { return append([]byte("x"), b[1:]...) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			from, to := open(t, folder), open(t, namespace(t, url))
			write(t, from, "s")
			found, err := filepath.Glob(filepath.Join(folder, "sessions", "s", test.glob))
			if err != nil || len(found) == 0 {
				t.Fatalf("no file %s: %v", test.glob, err)
			}
			for _, path := range found {
				data, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(path, test.damage(data), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			c := transfer.Copier{From: from, To: to, Remove: true}
			r := c.Copy(t.Context(), "s")
			if r.Status != transfer.Failed || r.Error == "" || r.Removed {
				t.Errorf("%+v; want it failed", r)
			}
			if _, err := os.Stat(found[0]); err != nil {
				t.Errorf("the source was changed: %v", err)
			}
		})
	}
}

// TestAppendBeforeRemoval has another process want the session in the moment in which the copy gives the lease of the source back:
// there is nothing to append to then. Before that it is refused.
func TestAppendBeforeRemoval(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]func(t *testing.T) string{
		"files": func(t *testing.T) string { return t.TempDir() },
		"nats":  func(t *testing.T) string { return namespace(t, natstest.Start(t).URL) },
	} {
		t.Run(name, func(t *testing.T) {
			from := location(t)
			source, other, target := open(t, from), open(t, from), open(t, t.TempDir())
			write(t, source, "s")
			want := lines(t, source, "s")
			closed := 0
			c := transfer.Copier{From: &closingStore{source, func() {
				closed++
				if j, err := other.Lease(t.Context(), "s"); !errors.Is(err, journal.ErrNotFound) {
					t.Errorf("another process leases the source: %v, %v", j, err)
				}
			}}, To: target, Remove: true}
			if r := c.Copy(t.Context(), "s"); r.Status != transfer.Copied || !r.Removed {
				t.Fatalf("%+v", r)
			}
			if closed != 1 {
				t.Errorf("the lease was closed %d times", closed)
			}
			if lines(t, target, "s") != want {
				t.Error("the copy is different")
			}
			for _, s := range []journal.Store{source, other} {
				if page, err := s.List(t.Context(), journal.Query{All: true}); err != nil || len(page.Sessions) != 0 {
					t.Errorf("the source still has %+v, %v", page.Sessions, err)
				}
			}
		})
	}
}

// A closingStore calls closed after a lease is closed.
type closingStore struct {
	journal.Store
	closed func()
}

func (s *closingStore) ReadLines(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return s.Store.(journal.LineReader).ReadLines(ctx, id, from)
}

func (s *closingStore) Lease(ctx context.Context, id event.SessionID) (journal.Journal, error) {
	j, err := s.Store.Lease(ctx, id)
	if err != nil {
		return nil, err
	}
	return &closingLease{j.(journal.Remover), s.closed}, nil
}

type closingLease struct {
	journal.Remover
	closed func()
}

func (l *closingLease) Close() error {
	err := l.Remover.Close()
	l.closed()
	return err
}

func TestCopyAndRemove(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	from, to := open(t, namespace(t, url)), open(t, t.TempDir())
	write(t, from, "s")
	want := lines(t, from, "s")
	c := transfer.Copier{From: from, To: to, Remove: true}
	if r := c.Copy(t.Context(), "s"); r.Status != transfer.Copied || !r.Removed {
		t.Fatalf("%+v", r)
	}
	if lines(t, to, "s") != want {
		t.Error("the copy is different")
	}
	if page, err := from.List(t.Context(), journal.Query{All: true}); err != nil || len(page.Sessions) != 0 {
		t.Errorf("the source still has %+v, %v", page.Sessions, err)
	}
	if r := c.Copy(t.Context(), "s"); r.Status != transfer.Failed || !strings.Contains(r.Error, "no such session") {
		t.Errorf("%+v", r)
	}
}
