package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
)

// tempName is the name of a journal while its first records are written. It is renamed when
// they are on disk, so that no journal lacks them.
const tempName = journalName + ".new"

// Create creates a journal and acquires its lease.
func (s *Store) Create(ctx context.Context, id event.SessionID, records []event.Record) (journal.Journal, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	l, err := s.create(id, records)
	if err != nil {
		return nil, fmt.Errorf("create session %q: %w", id, err)
	}
	s.register(l)
	l.recordChange()
	return l, nil
}

func (s *Store) create(id event.SessionID, records []event.Record) (*lease, error) {
	l := &lease{store: s, id: id, folder: s.folder(id)}
	lines, end, err := l.firstLines(records)
	if err != nil {
		return nil, err
	}
	for {
		if err := makeFolder(l.folder); err != nil {
			return nil, err
		}
		l.lock, err = l.store.acquireLock(l.folder, id)
		if !errors.Is(err, fs.ErrNotExist) { // otherwise Remove has just deleted the folder
			break
		}
	}
	if _, locked := errors.AsType[*journal.LockedError](err); locked {
		return nil, journal.ErrExists
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(l.path()); err == nil {
		return nil, errors.Join(journal.ErrExists, l.lock.release())
	}
	if err := l.createFile(lines); err != nil {
		return nil, errors.Join(err, l.lock.release())
	}
	l.advance(end, records)
	l.synced = end.Offset
	l.held = true
	return l, nil
}

func (l *lease) firstLines(records []event.Record) ([]byte, chain.Position, error) {
	if !journal.ValidID(l.id) {
		return nil, chain.Position{}, fmt.Errorf("the id must be 1 to %d bytes without separators and control characters, and not only dots", journal.MaxID)
	}
	if len(records) == 0 {
		return nil, chain.Position{}, errors.New("a journal begins with a record")
	}
	if first, ok := records[0].Event.(event.SessionCreated); ok && first.ID != l.id {
		return nil, chain.Position{}, fmt.Errorf("its first record is of session %q", first.ID)
	}
	return l.encode(records)
}

// createFile writes the journal with its first lines to disk and opens it.
func (l *lease) createFile(lines []byte) error {
	unborn := filepath.Join(l.folder, tempName)
	f, err := l.store.opts.OpenFile(unborn, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(lines, 0)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		f, err = l.nameOpen(f, unborn)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(unborn))
	}
	if err := errors.Join(syncFolder(l.folder), syncFolder(l.store.sessions())); err != nil {
		return errors.Join(err, f.Close(), os.Remove(l.path()))
	}
	l.file = f
	return nil
}
