package file

import (
	"cmp"
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
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/regular"
)

// maxIdleBuffer is the maximum size of the encoding buffer that a lease retains between calls, in bytes.
const maxIdleBuffer = 16 << 10

// A lease is a journal that is open for writing. While held is set, only this process may write to
// the journal.
type lease struct {
	store   *Store
	id      event.SessionID
	folder  string
	written atomic.Int64 // end.Offset, for readers

	syncing sync.Mutex // held during fsync, Acquire, Release and Close; locked before mu
	synced  int64      // bytes known to be on disk; under syncing

	mu          sync.Mutex // guards the rest
	held        bool
	lock        *lock // nil unless held, as is file
	file        File
	end         chain.Position
	checkpoints checkpoints
	tail        unsyncedTail
	torn        bool  // there are bytes after end, of a write that failed
	syncErr     error // set when the journal is gone, or cannot be written again; the lease cannot be used any more
	closed      bool
	chain       chain.Hasher
	buf         []byte
	summary     journal.Summary
	indexed     bool // summary was written to recent.jsonl
}

// Lease opens a journal for writing.
func (s *Store) Lease(ctx context.Context, id event.SessionID) (journal.Journal, error) {
	return s.Resume(ctx, id, nil)
}

// Resume is Lease that also calls each with every record.
func (s *Store) Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	folder, err := s.existingFolder(id)
	if err != nil {
		return nil, err
	}
	l := &lease{store: s, id: id, folder: folder}
	if err := l.Acquire(ctx, each); err != nil {
		return nil, err
	}
	return l, nil
}

// Open opens a journal without its lease.
func (s *Store) Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	r, err := s.reader(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	defer r.close()
	r.scan.at, r.scan.limit = chain.Position{}, s.readLimit(id)
	if s.ownLease(id) == nil {
		if err := r.cover(); err != nil {
			return nil, err
		}
		r.scan.limit = r.covered
	}
	l := &lease{store: s, id: id, folder: s.folder(id)}
	err = summarize(ctx, r.scan, &l.summary, l.checkpoints.add, each)
	if err != nil && err != errTorn {
		return nil, err
	}
	l.end = r.scan.at
	l.summary.ID = id
	l.written.Store(l.end.Offset)
	return l, nil
}

// Acquire acquires the lease, and calls each with the records that were appended since Release.
func (l *lease) Acquire(ctx context.Context, each func(event.Record) error) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if err := l.checkUsable(); err != journal.ErrReleased {
		return err
	}
	held, err := l.store.acquireLock(l.folder, l.id)
	if err != nil {
		return asNotFound(l.id, err)
	}
	if err := l.load(ctx, held, each); err != nil {
		return errors.Join(asNotFound(l.id, err), held.release())
	}
	endRequest(l.folder)
	l.store.register(l)
	return nil
}

// load opens the journal, verifies the records after the known end, passes them to each, and
// removes an incomplete last line.
func (l *lease) load(ctx context.Context, held *lock, each func(event.Record) error) error {
	l.mu.Lock()
	end, summary, marks := l.end, l.summary, l.checkpoints
	l.mu.Unlock()
	f, err := l.store.opts.OpenFile(l.path(), os.O_RDWR|noFollow, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(cmp.Or(err, regular.ErrNotRegular), f.Close())
	}
	scan := newScanner(f, l.path(), end)
	appended := end.Seq == 0 || info.Size() > end.Offset
	if err = scan.verifyEnd(end); err == nil && appended {
		err = summarize(ctx, scan, &summary, marks.add, each)
	}
	if err == errTorn {
		err = errors.Join(f.Truncate(scan.at.Offset), f.Sync())
	} else if err == nil && held.died {
		err = f.Sync() // before a client is shown what that process had not synced
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	summary.ID = l.id // a folder may have been copied
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.lock, l.file, l.end, l.summary, l.checkpoints = true, held, f, scan.at, summary, marks
	l.indexed = l.indexed && scan.at == end
	l.synced = end.Offset // records of others may not be on disk yet
	l.written.Store(l.end.Offset)
	return nil
}

// checkUsable returns an error if the journal cannot be written now. The caller must not hold l.mu.
func (l *lease) checkUsable() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.checkWritable()
}

// checkWritable is checkUsable for a caller that holds l.mu.
func (l *lease) checkWritable() error {
	switch {
	case l.closed:
		return journal.ErrClosed
	case !l.held:
		return journal.ErrReleased
	}
	return nil
}

// SetBusy sets whether the lease is needed for a long time.
func (l *lease) SetBusy(busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held && l.lock.busy != busy {
		l.lock.writeHolder(busy)
	}
}

func (l *lease) path() string { return filepath.Join(l.folder, journalName) }

// Lost returns nil: the system never gives the lock of a live process away.
func (l *lease) Lost() <-chan struct{} { return nil }

// ID returns the session's id.
func (l *lease) ID() event.SessionID { return l.id }

// Head returns the number of the last record.
func (l *lease) Head() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end.Seq
}

// Append writes records in one write. After an error the journal is unchanged.
func (l *lease) Append(expected uint64, records []event.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkWritable(); err != nil {
		return err
	}
	switch {
	case l.syncErr != nil:
		return l.syncErr
	case expected != l.end.Seq:
		return fmt.Errorf("append to session %s after record %d, its head is %d: %w", l.id, expected, l.end.Seq, journal.ErrStale)
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
	l.store.notifier.notify(l.id)
	if changesListing(records) {
		l.recordChange()
	}
	return nil
}

// changesListing reports whether records change the session's entry in lists so that the index
// should be updated soon.
func changesListing(records []event.Record) bool {
	return slices.ContainsFunc(records, func(rec event.Record) bool {
		kind := rec.Event.Kind()
		return kind == event.KindTurnEnded || kind == event.KindSessionChanged
	})
}

// encode returns the lines for records that follow l.end, and the position after them. The lines
// are valid until the next call.
func (l *lease) encode(records []event.Record) ([]byte, chain.Position, error) {
	lines, end := l.buf[:0], l.end
	var err error
	for _, rec := range records {
		if lines, end, err = l.chain.Append(lines, rec, end); err != nil {
			return nil, end, err
		}
	}
	if l.buf = lines[:0]; cap(l.buf) > maxIdleBuffer {
		l.buf = nil
	}
	return lines, end, nil
}

// write appends lines, or leaves the journal unchanged.
func (l *lease) write(lines []byte) error {
	if l.torn {
		if err := l.file.Truncate(l.end.Offset); err != nil {
			return err
		}
		l.torn = false
	}
	_, err := l.file.WriteAt(lines, l.end.Offset)
	if err != nil {
		l.torn = l.file.Truncate(l.end.Offset) != nil
		return err
	}
	l.tail.add(lines, l.end.Offset)
	return nil
}

// advance sets the end of the journal after records were written, and folds them into the summary.
func (l *lease) advance(end chain.Position, records []event.Record) {
	l.end, l.indexed = end, false
	l.checkpoints.add(end)
	l.written.Store(end.Offset)
	for _, rec := range records {
		l.summary.Apply(rec)
	}
}

// Sync waits for the disk. If fsync fails, the records that are not on disk are written again. If that fails too, a later Sync
// tries it again: until one succeeds, those records may be lost. Sync also fails if another program has deleted the journal.
func (l *lease) Sync() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if err := l.checkUsable(); err != nil {
		return err
	}
	return l.syncLocked()
}

// syncLocked is Sync for a caller that holds l.syncing.
func (l *lease) syncLocked() error {
	l.mu.Lock()
	end, syncErr := l.end.Offset, l.syncErr
	l.mu.Unlock()
	if syncErr != nil || end == l.synced {
		return syncErr
	}
	end, err := l.syncTail()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && !sameFile(l.file, l.path()) {
		err = notFound(l.id)
	}
	if err != nil {
		err = fmt.Errorf("sync session %s: %w", l.id, err)
		if l.tail.cut || errors.Is(err, journal.ErrNotFound) {
			l.syncErr = err
		}
		return err
	}
	l.synced = end
	l.tail.synced(end, l.end.Offset)
	return nil
}

// Release syncs and releases the lease.
func (l *lease) Release() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	switch err := l.checkUsable(); err {
	case nil:
	case journal.ErrReleased:
		return nil
	default:
		return err
	}
	if err := l.syncLocked(); err != nil {
		return err
	}
	return l.giveUpLock()
}

// giveUpLock releases the lease. The caller holds l.syncing.
func (l *lease) giveUpLock() error {
	l.mu.Lock()
	if !l.indexed {
		l.recordChange()
	}
	file, lock := l.file, l.lock
	torn := l.torn
	l.held, l.file, l.lock, l.torn, l.tail = false, nil, nil, false, unsyncedTail{}
	l.mu.Unlock()
	l.store.unregister(l)
	if torn { // complete lines of a failed write would be records for the next holder
		_ = file.Truncate(l.written.Load())
	}
	return errors.Join(file.Close(), lock.release())
}

// Close releases the lease permanently, even if the disk fails; a second call does nothing.
func (l *lease) Close() error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	closed, held := l.closed, l.held
	l.closed = true
	l.mu.Unlock()
	if closed || !held {
		return nil
	}
	err := l.syncLocked()
	if err != nil {
		l.lock.unsynced = true // the next holder syncs before it shows anything
	}
	return errors.Join(err, l.giveUpLock())
}

// Read is Store.Read. It starts at a known position close to from instead of the beginning.
func (l *lease) Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	return l.store.read(ctx, l.id, from, false, func() chain.Position { return l.startFor(from) })
}

// startFor returns a position from which to read records from number from on.
func (l *lease) startFor(from uint64) chain.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from > l.end.Seq {
		return l.end
	}
	return l.checkpoints.lastBefore(from)
}
