package sessionlog

import (
	"context"
	"errors"
	"sync/atomic"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/lock"
)

// A syncer calls Sync of a journal that is not deferred, for what waits until records are on disk: followers, and callers of
// CommitAhead. One goroutine at a time does that; what is appended meanwhile the next Sync covers. It is safe for concurrent use.
type syncer struct {
	acks      *acks
	committed atomic.Uint64 // number of the last record of CommitAhead

	mu      lock.Mutex // guards the rest
	journal journal.Journal
	written uint64 // number of the last record in the journal
	wanted  uint64 // number of the last record that something waits for
	running bool   // the goroutine runs
	failed  bool   // the last Sync failed: the goroutine is not started until one has succeeded
}

// wrote notes that the journal has the records up to seq.
func (s *syncer) wrote(j journal.Journal, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal, s.written = j, seq
}

// synced notes that a Sync which covers the records up to seq has succeeded.
func (s *syncer) synced(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = false
	s.acks.set(seq)
}

// fail notes that a Sync has failed.
func (s *syncer) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
}

// failTo notes that a Sync of the records up to seq has failed, and reports whether that says anything. It does not if another sync
// has succeeded meanwhile: the lease may have been given back, which syncs the records, and the journal is closed then.
func (s *syncer) failTo(seq uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq <= s.acks.last.Load() {
		return false
	}
	s.failed = true
	return true
}

// state returns the number of the last record in the journal, and whether the last Sync failed.
func (s *syncer) state() (written uint64, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written, s.failed
}

// active reports whether the goroutine runs.
func (s *syncer) active() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// want notes that something waits until record seq is on disk, and reports whether the caller is to start the goroutine.
func (s *syncer) want(seq uint64) (start bool) {
	if seq <= s.acks.last.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = max(s.wanted, seq)
	if s.running || !s.needsSync() {
		return false
	}
	s.running = true
	return true
}

// needsSync reports whether the journal has records that something waits for.
func (s *syncer) needsSync() bool {
	return !s.failed && min(s.wanted, s.written) > s.acks.last.Load()
}

// next returns what to sync; the journal is nil, and the goroutine ends, if there is nothing.
func (s *syncer) next() (j journal.Journal, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.needsSync() {
		s.running = false
		return nil, 0
	}
	return s.journal, s.written
}

// startSync has the records up to seq on disk soon. It may be called without the lock.
func (l *Log) startSync(seq uint64) {
	if l.writer == nil && l.syncer.want(seq) {
		go l.syncAll()
	}
}

// syncAll calls Sync until everything is on disk that something waits for.
func (l *Log) syncAll() {
	var failure error
	for {
		j, seq := l.syncer.next()
		if j == nil {
			break
		}
		switch err := j.Sync(); {
		case err == nil:
			failure = nil
			l.syncer.synced(seq) // what waits for the disk need not wait for the lock
		case l.syncer.failTo(seq):
			failure = err
		}
	}
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	if _, failed := l.syncer.state(); failed && failure != nil && !l.closing && l.leased {
		l.Report(failure) // else another sync has succeeded since, or Close returns the error
	}
	l.cfg.Synced()
}

// syncNow waits for the disk. The error wraps ErrUnsaved, and is recorded.
func (l *Log) syncNow() error {
	seq, _ := l.syncer.state()
	if err := l.journal.Sync(); err != nil {
		l.syncer.fail()
		l.Report(err)
		return unsaved(err)
	}
	l.allSynced(seq)
	return nil
}

// allSynced notes that the records up to seq are on disk: unless others wait to be written, nothing fails any more.
func (l *Log) allSynced(seq uint64) {
	l.syncer.synced(seq)
	if len(l.backlog) == 0 {
		l.recover()
	}
	l.startSync(l.syncer.requested())
}

// requested returns the number of the last record that something waits for.
func (s *syncer) requested() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted
}

// recover notes that the journal can be written.
func (l *Log) recover() {
	if !l.failing {
		return
	}
	l.failing = false
	l.acks.recovered()
}

// awaitSynced waits until record seq is on disk. Errors: the cause of ctx, ErrUnsaved.
func (l *Log) awaitSynced(ctx context.Context, seq uint64) error {
	l.startSync(seq)
	err := l.acks.wait(ctx, seq, l.acks.failure())
	if errors.Is(err, errNoAck) || errors.Is(err, errWaitStopped) {
		return unsaved(err)
	}
	return err
}
