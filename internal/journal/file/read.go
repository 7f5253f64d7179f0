package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"parley.dev/parley/internal/event"
)

// Read yields the records of a session from number from on.
func (s *Store) Read(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		r, err := s.reader(ctx, id, from)
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		defer r.close()
		if err := r.each(ctx, yield); err != nil && err != errEnough {
			yield(event.Record{}, err)
		}
	}
}

// errEnough says that the receiver of records wants no more.
var errEnough = errors.New("enough")

// A reader reads a journal without a lease.
type reader struct {
	store *Store
	id    event.SessionID
	file  *os.File
	scan  *scanner
	from  uint64
}

func (s *Store) reader(ctx context.Context, id event.SessionID, from uint64) (*reader, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	if !valid(id) {
		return nil, notFound(id)
	}
	path := filepath.Join(s.folder(id), journalName)
	f, err := os.Open(path)
	if err != nil {
		return nil, missing(id, err)
	}
	var start position
	if l := s.leased(id); l != nil && sameFile(f, path) {
		start = l.before(from)
	}
	return &reader{store: s, id: id, file: f, scan: newScanner(f, path, start), from: from}, nil
}

func (r *reader) close() { _ = r.file.Close() }

// each yields the records that are there now. It can be called again for those that were
// added. It returns errEnough when yield wants no more.
func (r *reader) each(ctx context.Context, yield func(event.Record, error) bool) error {
	r.scan.limit = r.store.written(r.id)
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
		if r.scan.at.seq < r.from {
			continue
		}
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil {
			r.scan.at = before
			return r.scan.damage(err.Error())
		}
		if !yield(rec, nil) {
			return errEnough
		}
	}
}

// moved says what became of the journal while r waited: it was removed, or records that
// were there are gone.
func (r *reader) moved() error {
	opened, err := r.file.Stat()
	if err != nil {
		return err
	}
	found, err := os.Stat(r.scan.path)
	if err == nil && !os.SameFile(opened, found) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return missing(r.id, err)
	}
	if opened.Size() < r.scan.at.offset {
		return r.scan.damage("records that stood here are gone")
	}
	return nil
}
