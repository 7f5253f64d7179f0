package file

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// keptBuffer is how much memory for encoding a lease keeps while it is idle, in bytes.
const keptBuffer = 16 << 10

// A lease is a journal that this process alone may write.
type lease struct {
	store   *Store
	id      event.SessionID
	folder  string
	lock    *lock
	file    File
	written atomic.Int64 // end.offset, for readers

	syncing sync.Mutex // held through fsync and Close; taken before mu
	synced  int64      // bytes known to be on disk; under syncing

	mu      sync.Mutex // guards the rest
	end     position
	marks   marks
	torn    bool  // bytes behind end are left from a write that failed
	broken  error // set when the disk lost what was written; nothing helps then
	closed  bool
	chain   chain
	buf     []byte
	summary journal.Summary
	noted   bool // the index knows summary
}

// Lease opens a journal for writing.
func (s *Store) Lease(ctx context.Context, id event.SessionID) (journal.Journal, error) {
	return s.Resume(ctx, id, nil)
}

// Resume is Lease that shows every record.
func (s *Store) Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	folder, err := s.find(id)
	if err != nil {
		return nil, err
	}
	held, err := hold(folder, id)
	if err != nil {
		return nil, missing(id, err)
	}
	l := &lease{store: s, id: id, folder: folder, lock: held}
	if err := l.load(ctx, each); err != nil {
		return nil, errors.Join(missing(id, err), held.release())
	}
	s.register(l)
	return l, nil
}

// load opens the journal, checks all of it, shows what it has, and cuts off a torn last line.
func (l *lease) load(ctx context.Context, each func(event.Record) error) error {
	f, err := l.store.opts.OpenFile(l.path(), os.O_RDWR|noFollow, 0)
	if err != nil {
		return err
	}
	scan := newScanner(f, l.path(), position{})
	err = summarize(ctx, scan, &l.summary, l.marks.add, each)
	if err == errTorn {
		err = errors.Join(f.Truncate(scan.at.offset), f.Sync())
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.end = f, scan.at
	l.summary.ID = l.id // a folder may have been copied
	l.written.Store(l.end.offset)
	return nil
}

func (l *lease) path() string { return filepath.Join(l.folder, journalName) }

// ID is the session's.
func (l *lease) ID() event.SessionID { return l.id }

// Head is the number of the last record.
func (l *lease) Head() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end.seq
}

// Append writes records in one write. After an error the journal is as it was.
func (l *lease) Append(expected uint64, records []event.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return journal.ErrClosed
	case l.broken != nil:
		return l.broken
	case expected != l.end.seq:
		return fmt.Errorf("append to session %s behind record %d, its head is %d: %w", l.id, expected, l.end.seq, journal.ErrStale)
	case len(records) == 0:
		return nil
	}
	lines, end, err := l.encode(records)
	if err == nil {
		err = l.write(lines)
	}
	if err != nil {
		return fmt.Errorf("append to session %s: %w", l.id, err)
	}
	l.advance(end, records)
	l.store.wakes.wake(l.id)
	if noteworthy(records) {
		l.note()
	}
	return nil
}

// noteworthy says whether a list should soon show what records did.
func noteworthy(records []event.Record) bool {
	return slices.ContainsFunc(records, func(rec event.Record) bool {
		kind := rec.Event.Kind()
		return kind == event.KindTurnEnded || kind == event.KindSessionChanged
	})
}

// encode gives the lines of records behind the end, valid until the next call.
func (l *lease) encode(records []event.Record) ([]byte, position, error) {
	lines, end := l.buf[:0], l.end
	var err error
	for _, rec := range records {
		if lines, end, err = l.chain.appendLine(lines, rec, end); err != nil {
			return nil, end, err
		}
	}
	if l.buf = lines[:0]; cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	return lines, end, nil
}

// write puts lines at the end, or leaves nothing there.
func (l *lease) write(lines []byte) error {
	if l.torn {
		if err := l.file.Truncate(l.end.offset); err != nil {
			return err
		}
		l.torn = false
	}
	_, err := l.file.WriteAt(lines, l.end.offset)
	if err != nil {
		l.torn = l.file.Truncate(l.end.offset) != nil
	}
	return err
}

// advance folds records, which end now stands behind.
func (l *lease) advance(end position, records []event.Record) {
	l.end, l.noted = end, false
	l.marks.add(end)
	l.written.Store(end.offset)
	for _, rec := range records {
		l.summary.Apply(rec)
	}
}

// Sync waits for the disk. If the disk fails, what was not yet on it may be lost, even if a
// later attempt succeeds; so the lease is of no more use then. It also fails when the
// journal was deleted behind our back.
func (l *lease) Sync() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.isClosed() {
		return journal.ErrClosed
	}
	return l.flush()
}

// flush is Sync, under l.syncing.
func (l *lease) flush() error {
	l.mu.Lock()
	end, broken := l.end.offset, l.broken
	l.mu.Unlock()
	if broken != nil || end == l.synced {
		return broken
	}
	err := l.file.Sync()
	if err == nil && !sameFile(l.file, l.path()) {
		err = notFound(l.id)
	}
	if err != nil {
		err = fmt.Errorf("sync session %s: %w", l.id, err)
		l.mu.Lock()
		l.broken = err
		l.mu.Unlock()
		return err
	}
	l.synced = end
	return nil
}

// Close syncs and gives the lease back; a second time it does nothing.
func (l *lease) Close() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	was := l.closed
	l.closed = true
	l.mu.Unlock()
	if was {
		return nil
	}
	err := l.flush()
	l.mu.Lock()
	if !l.noted {
		l.note()
	}
	l.mu.Unlock()
	l.store.unregister(l)
	return errors.Join(err, l.file.Close(), l.lock.release())
}

func (l *lease) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Read is Store.Read.
func (l *lease) Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	return l.store.Read(ctx, l.id, from)
}

// before is a place to start reading from when records from number from on are wanted.
func (l *lease) before(from uint64) position {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from > l.end.seq {
		return l.end
	}
	return l.marks.before(from)
}
