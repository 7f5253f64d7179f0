package file

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/regular"
)

// Read yields the records of a session from number from on.
func (s *Store) Read(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return s.read(ctx, id, from, false, nil)
}

// ReadLines is Read with the lines of the records.
func (s *Store) ReadLines(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return s.read(ctx, id, from, true, nil)
}

// read is Read from a position that is known to be good. If start is nil it uses one that the
// store knows.
func (s *Store) read(ctx context.Context, id event.SessionID, from uint64, lines bool, start func() chain.Position) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		r, err := s.reader(ctx, id, from)
		if err == nil && start != nil && r.scan.at.Seq == 0 {
			r.scan.at = start()
		}
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		defer r.close()
		r.lines = lines
		if err := r.each(ctx, yield); err != nil && err != errStopped {
			yield(event.Record{}, err)
		}
	}
}

// errStopped reports that the loop over the records was left.
var errStopped = errors.New("enough")

// A reader reads a journal without a lease.
type reader struct {
	store   *Store
	id      event.SessionID
	file    *os.File
	scan    *scanner
	from    uint64
	lines   bool  // records have their lines
	covered int64 // bytes known to be on disk
}

func (s *Store) reader(ctx context.Context, id event.SessionID, from uint64) (*reader, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	if !journal.ValidID(id) {
		return nil, notFound(id)
	}
	path := filepath.Join(s.folder(id), journalName)
	f, err := regular.Open(path)
	if err != nil {
		return nil, asNotFound(id, err)
	}
	var start chain.Position
	if l := s.ownLease(id); l != nil && sameFile(f, path) {
		start = l.startFor(from)
	}
	return &reader{store: s, id: id, file: f, scan: newScanner(f, path, start), from: from}, nil
}

func (r *reader) close() { _ = r.file.Close() }

// each yields the records that exist now, after they are on disk. A later call yields those that were added. It returns
// errStopped when yield returns false. The first record is on disk since the journal has its name (tempName).
func (r *reader) each(ctx context.Context, yield func(event.Record, error) bool) error {
	r.scan.limit = r.store.readLimit(r.id)
	owned := r.store.ownLease(r.id) != nil
	for {
		before := r.scan.at
		line, err := r.scan.next()
		if err == io.EOF || err == errTorn {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if r.scan.at.Seq < r.from {
			continue
		}
		if !owned && r.scan.at.Seq > 1 && r.scan.at.Offset > r.covered {
			if err := r.cover(); err != nil {
				r.scan.rewind(before)
				return err
			}
			r.scan.rewind(before) // the writer may have removed what was read before the sync
			continue
		}
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil {
			r.scan.at = before
			return r.scan.damage(err.Error())
		}
		if r.lines {
			rec.Event = event.Stored{Event: rec.Event, Line: bytes.Clone(line)}
		}
		if !yield(rec, nil) {
			return errStopped
		}
	}
}

// checkReplaced returns an error if the journal was removed, or became shorter than r has read,
// while r waited.
func (r *reader) checkReplaced() error {
	opened, err := r.file.Stat()
	if err != nil {
		return err
	}
	found, err := os.Stat(r.scan.path)
	if err == nil && !os.SameFile(opened, found) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return asNotFound(r.id, err)
	}
	if opened.Size() < r.scan.at.Offset {
		return r.scan.damage("records that stood here are gone")
	}
	return nil
}
