package file_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"syscall"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

// A coveringStore is the store of a process that reads what another process writes.
type coveringStore struct {
	*file.Store
	syncs   int
	covered uint64 // number of the last record that a sync covers
	failure error  // of each sync
}

// openCovering returns a store that reads a session of another process, which has appended seven records and has synced only the
// first.
func openCovering(t *testing.T) (journal.Journal, *coveringStore) {
	t.Helper()
	root := t.TempDir()
	owner, s := openStore(t, root), new(coveringStore)
	j := createIn(t, owner, "a")
	if err := j.Append(1, toolRound(1)); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.Store, err = file.Open(root, file.Options{SyncFile: s.sync}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return j, s
}

func (s *coveringStore) sync(f *os.File) error {
	s.syncs++
	if s.failure != nil {
		return s.failure
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<30))
	s.covered = uint64(bytes.Count(data, []byte("\n")))
	return err
}

// check returns the number of the last record, and the error.
func (s *coveringStore) check(t *testing.T, records iter.Seq2[event.Record, error]) (last uint64, failure error) {
	t.Helper()
	for rec, err := range records {
		if failure = err; err != nil {
			continue
		}
		if last = rec.Seq; last > max(s.covered, 1) {
			t.Errorf("record %d is read, the sync covers %d", last, s.covered)
		}
	}
	return last, failure
}

// open yields what Open passes on.
func (s *coveringStore) open(ctx context.Context, id event.SessionID, _ uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		_, err := s.Open(ctx, id, func(rec event.Record) error {
			yield(rec, nil)
			return nil
		})
		if err != nil {
			yield(event.Record{}, err)
		}
	}
}

// TestReadersSync: a process reads records of another one after a sync, and only the first, which is on disk since the journal has
// its name, if that fails.
func TestReadersSync(t *testing.T) {
	_, s := openCovering(t)
	for _, test := range []struct {
		name  string
		read  func(context.Context, event.SessionID, uint64) iter.Seq2[event.Record, error]
		first uint64 // the last record that is passed on if the sync fails
	}{
		{"Read", s.Read, 1},
		{"ReadLines", s.ReadLines, 1},
		{"Open", s.open, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := test.read
			s.syncs, s.covered, s.failure = 0, 0, syscall.EIO
			if last, err := s.check(t, read(t.Context(), "a", 0)); last != test.first || !errors.Is(err, syscall.EIO) {
				t.Errorf("read up to %d, %v, want %d and EIO", last, err, test.first)
			}
			s.failure = nil
			if last, err := s.check(t, read(t.Context(), "a", 0)); last != 7 || err != nil || s.syncs != 2 {
				t.Errorf("read up to %d, %v after %d syncs, want 7 and a sync for each of two reads", last, err, s.syncs)
			}
			s.failure = syscall.EROFS
			if last, err := s.check(t, read(t.Context(), "a", 0)); last != 7 || err != nil {
				t.Errorf("read up to %d, %v of a file system that is read-only, want 7", last, err)
			}
		})
	}
	s.syncs = 0
	if last, err := s.check(t, s.Read(t.Context(), "a", 8)); last != 0 || err != nil || s.syncs != 0 {
		t.Errorf("read up to %d, %v after %d syncs, want none for nothing", last, err, s.syncs)
	}
}

// TestFirstRecordNeedsNoSync: lists read the first record of each session of a page.
func TestFirstRecordNeedsNoSync(t *testing.T) {
	_, s := openCovering(t)
	for rec, err := range s.Read(t.Context(), "a", 0) {
		if rec.Seq != 1 || err != nil || s.syncs != 0 {
			t.Errorf("record %d, %v is read after %d syncs, want the first and none", rec.Seq, err, s.syncs)
		}
		break
	}
	if s.syncs != 0 {
		t.Errorf("%d syncs for the first record, want none", s.syncs)
	}
}

// TestFollowersSync: a follower of another process's session syncs once for the records that it finds, and ends with the error of a
// sync without those that the sync should have covered.
func TestFollowersSync(t *testing.T) {
	j, s := openCovering(t)
	last, err := s.check(t, func(yield func(event.Record, error) bool) {
		for rec, err := range s.Follow(t.Context(), "a", 0) {
			if err == nil && rec.Seq == 7 {
				if s.syncs != 1 {
					t.Errorf("%d syncs for seven records, want 1", s.syncs)
				}
				if err := j.Append(7, toolRound(2)); err != nil {
					t.Fatal(err)
				}
			}
			if err == nil && rec.Seq == 13 {
				if s.syncs != 2 {
					t.Errorf("%d syncs for two batches, want 2", s.syncs)
				}
				s.failure = syscall.ENOSPC
				if err := j.Append(13, toolRound(3)); err != nil {
					t.Fatal(err)
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	})
	if last != 13 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Follow ends after record %d with %v, want 13 and ENOSPC", last, err)
	}
}

// TestOwnersDoNotSync: readers of the process that has the lease leave the syncs to its holder.
func TestOwnersDoNotSync(t *testing.T) {
	j, s := openCovering(t)
	if err := j.Release(); err != nil {
		t.Fatal(err)
	}
	own, err := s.Lease(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	s.covered = 7
	if last, err := s.check(t, s.Read(t.Context(), "a", 0)); last != 7 || err != nil || s.syncs != 0 {
		t.Errorf("read up to %d, %v after %d syncs, want 7 and none", last, err, s.syncs)
	}
	if err := own.Close(); err != nil {
		t.Error(err)
	}
}
