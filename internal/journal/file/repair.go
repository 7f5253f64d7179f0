package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// Repair cuts a damaged journal at its first bad record, so that it can be opened again,
// and says how many records are kept. All of it stays beside the journal as
// journal.jsonl.damaged-1, -2 …. If not even the first record is good nothing is kept, and
// the session does not exist any more. A journal that is good stays as it is.
// *journal.LockedError, ErrNotFound.
func (s *Store) Repair(ctx context.Context, id event.SessionID) (kept uint64, err error) {
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	folder, err := s.find(id)
	if err != nil {
		return 0, err
	}
	held, err := hold(folder, id)
	if err != nil {
		return 0, missing(id, err)
	}
	end, err := s.repair(ctx, id, folder)
	if err == nil && end.seq == 0 {
		err = s.noteRemoved(id)
	}
	if err := errors.Join(err, held.release()); err != nil {
		return 0, fmt.Errorf("repair session %s: %w", id, err)
	}
	return end.seq, nil
}

func (s *Store) repair(ctx context.Context, id event.SessionID, folder string) (position, error) {
	end, err := s.readAll(ctx, id)
	if _, ok := errors.AsType[*journal.DamageError](err); !ok {
		return end, err
	}
	path := filepath.Join(folder, journalName)
	aside, err := freeName(path + ".damaged")
	if err != nil {
		return end, err
	}
	if end.seq == 0 {
		return end, errors.Join(os.Rename(path, aside), syncFolder(folder))
	}
	if err := copyFile(path, aside); err != nil {
		return end, err
	}
	if err := syncFolder(folder); err != nil {
		return end, err
	}
	return end, s.cut(path, end.offset)
}

// readAll reads every record of a session and says how far that went.
func (s *Store) readAll(ctx context.Context, id event.SessionID) (position, error) {
	r, err := s.reader(ctx, id, 0)
	if err != nil {
		return position{}, err
	}
	defer r.close()
	err = r.each(ctx, func(event.Record, error) bool { return true })
	return r.scan.at, err
}

// copyFile copies a file; the copy is whole when it appears.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := renameio.NewPendingFile(to, renameio.WithTempDir(filepath.Dir(to)), renameio.WithPermissions(fileMode))
	if err != nil {
		return err
	}
	defer func() { _ = out.Cleanup() }() // does nothing after the replacing
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.CloseAtomicallyReplace()
}

func (s *Store) cut(path string, size int64) error {
	f, err := s.opts.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}
