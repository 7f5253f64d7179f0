package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/regular"
)

// Repair truncates a damaged journal at its first bad record, so that it can be opened again, and
// returns the number of records that are kept. A copy of the damaged journal is stored next to it
// as journal.jsonl.damaged-1, -2 …. If not even the first record is good, no record is kept and the
// session does not exist any more. A good journal is not changed. Errors: *journal.LockedError,
// ErrNotFound.
func (s *Store) Repair(ctx context.Context, id event.SessionID) (kept uint64, err error) {
	if err := s.checkUsable(ctx); err != nil {
		return 0, err
	}
	folder, err := s.existingFolder(id)
	if err != nil {
		return 0, err
	}
	held, err := s.acquireLock(folder, id)
	if err != nil {
		return 0, asNotFound(id, err)
	}
	end, err := s.repair(ctx, id, folder)
	if err == nil && end.Seq == 0 {
		err = s.recordRemoval(id)
	}
	if err := errors.Join(err, held.release()); err != nil {
		return 0, fmt.Errorf("repair session %s: %w", id, err)
	}
	return end.Seq, nil
}

func (s *Store) repair(ctx context.Context, id event.SessionID, folder string) (chain.Position, error) {
	end, err := s.readAll(ctx, id)
	if _, ok := errors.AsType[*journal.DamageError](err); !ok {
		return end, err
	}
	path := filepath.Join(folder, journalName)
	backup, err := unusedName(path + ".damaged")
	if err != nil {
		return end, err
	}
	if end.Seq == 0 {
		return end, errors.Join(os.Rename(path, backup), syncFolder(folder))
	}
	if err := copyFile(path, backup); err != nil {
		return end, err
	}
	if err := syncFolder(folder); err != nil {
		return end, err
	}
	return end, s.truncate(path, end.Offset)
}

// readAll reads the records of a session and returns the position after the last good one.
func (s *Store) readAll(ctx context.Context, id event.SessionID) (chain.Position, error) {
	r, err := s.reader(ctx, id, 0)
	if err != nil {
		return chain.Position{}, err
	}
	defer r.close()
	err = r.each(ctx, func(event.Record, error) bool { return true })
	return r.scan.at, err
}

// copyFile copies a file; the copy is complete when it appears.
func copyFile(from, to string) error {
	in, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := atomicfile.Create(to, fileMode)
	if err != nil {
		return err
	}
	defer func() { _ = out.Cleanup() }() // does nothing after the file was put in its place
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.CloseAtomicallyReplace()
}

func (s *Store) truncate(path string, size int64) error {
	f, err := s.opts.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}
