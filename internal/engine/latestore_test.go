package engine

import (
	"context"
	"iter"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A lateStore is a memStore that is deferred: its records are in the journal once they are acknowledged.
// Each request is acknowledged at once, unless the test has set await.
type lateStore struct {
	*memStore

	gate    sync.Mutex // guards the rest
	await   func(ctx context.Context, what string) error
	refused error // of appends; nil: they are stored
	renewed chan struct{}
	opened  *lateLease
	owner   string // of the process that has taken a session over
	reading func() // called when a read of a journal begins; nil: nothing
}

var (
	_ journal.Renewer    = (*lateStore)(nil)
	_ journal.OwnerStore = (*lateStore)(nil)
)

func newLateStore(mem *memStore) *lateStore { return &lateStore{memStore: mem} }

func (s *lateStore) Deferred() bool { return true }

// setAwait has each request wait for f. It is given what is requested: create, acquire, release, sync, blob.
func (s *lateStore) setAwait(f func(ctx context.Context, what string) error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.await = f
}

// setRefused has the store refuse appends, as a full one does; nil: it takes them again.
func (s *lateStore) setRefused(err error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.refused = err
}

func (s *lateStore) wait(ctx context.Context, what string) error {
	s.gate.Lock()
	await := s.await
	s.gate.Unlock()
	if await == nil {
		return nil
	}
	return await(ctx, what)
}

// setRenewed has AwaitRenewal wait until the test closes the channel; nil: the leases are fresh.
func (s *lateStore) setRenewed(renewed chan struct{}) {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.renewed = renewed
}

func (s *lateStore) AwaitRenewal(ctx context.Context) error {
	s.gate.Lock()
	renewed := s.renewed
	s.gate.Unlock()
	if renewed == nil {
		return nil
	}
	select {
	case <-renewed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *lateStore) Owner(context.Context, event.SessionID) (owner, host string, err error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	return s.owner, "host of " + s.owner, nil
}

func (s *lateStore) Create(ctx context.Context, id event.SessionID, records []event.Record) (journal.Journal, error) {
	if err := s.wait(ctx, "create"); err != nil {
		return nil, err
	}
	j, err := s.memStore.Create(ctx, id, records)
	return s.late(j), err
}

func (s *lateStore) Lease(ctx context.Context, id event.SessionID) (journal.Journal, error) {
	if err := s.wait(ctx, "acquire"); err != nil {
		return nil, err
	}
	j, err := s.memStore.Lease(ctx, id)
	return s.late(j), err
}

func (s *lateStore) Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	if err := s.wait(ctx, "acquire"); err != nil {
		return nil, err
	}
	j, err := s.memStore.Resume(ctx, id, each)
	return s.late(j), err
}

func (s *lateStore) Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	j, err := s.memStore.Open(ctx, id, each)
	return s.late(j), err
}

// late returns the deferred journal of j.
func (s *lateStore) late(j journal.Journal) journal.Journal {
	if l, ok := j.(*memLease); ok && l != nil {
		opened := &lateLease{memLease: l, late: s, lost: make(chan struct{}), acked: sync.NewCond(&sync.Mutex{})}
		s.gate.Lock()
		defer s.gate.Unlock()
		s.opened = opened
		return opened
	}
	return nil
}

// A lateLease is a journal of a lateStore.
type lateLease struct {
	*memLease
	late *lateStore
	lost chan struct{}

	acked   *sync.Cond // its lock guards the rest
	fenced  bool
	closed  bool
	pending []event.Record // appended, and not acknowledged
}

func (l *lateLease) Lost() <-chan struct{} { return l.lost }

func (l *lateLease) check() error {
	switch {
	case l.fenced:
		return journal.ErrFenced
	case l.closed:
		return journal.ErrClosed
	}
	return nil
}

// lose takes the lease away: what is not acknowledged is not stored.
func (l *lateLease) lose(owner string) {
	l.late.gate.Lock()
	l.late.owner = owner
	l.late.gate.Unlock()
	l.acked.L.Lock()
	defer l.acked.L.Unlock()
	l.fenced, l.pending = true, nil
	l.store.mu.Lock()
	l.held, l.leased, l.busy = false, false, false
	l.store.mu.Unlock()
	close(l.lost)
	l.acked.Broadcast()
}

func (l *lateLease) Head() uint64 {
	l.acked.L.Lock()
	defer l.acked.L.Unlock()
	return l.memLease.Head() + uint64(len(l.pending))
}

func (l *lateLease) Append(expected uint64, records []event.Record) error {
	l.acked.L.Lock()
	defer l.acked.L.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	l.store.mu.Lock()
	held := l.held
	l.store.mu.Unlock()
	if !held {
		return journal.ErrReleased
	}
	if expected != l.memLease.Head()+uint64(len(l.pending)) {
		return journal.ErrStale
	}
	l.pending = append(l.pending, records...)
	return nil
}

func (l *lateLease) Sync() error {
	if err := l.late.wait(context.Background(), "sync"); err != nil {
		return err
	}
	l.acked.L.Lock()
	defer l.acked.L.Unlock()
	if err := l.check(); err != nil {
		return err
	}
	l.late.gate.Lock()
	refused := l.late.refused
	l.late.gate.Unlock()
	if refused != nil {
		return refused
	}
	if err := l.memLease.Append(l.memLease.Head(), l.pending); err != nil {
		return err
	}
	l.pending = nil
	return l.memLease.Sync()
}

func (l *lateLease) PutBlob(data []byte) (string, error) {
	if err := l.late.wait(context.Background(), "blob"); err != nil {
		return "", err
	}
	return l.memLease.PutBlob(data)
}

func (l *lateLease) Release() error {
	if err := l.late.wait(context.Background(), "release"); err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	return l.memLease.Release()
}

func (l *lateLease) Acquire(ctx context.Context, each func(event.Record) error) error {
	if err := l.late.wait(ctx, "acquire"); err != nil {
		return err
	}
	l.acked.L.Lock()
	err := l.check()
	l.acked.L.Unlock()
	if err != nil {
		return err
	}
	var fresh []event.Record // each must not be called with the lock of the store
	err = l.memLease.Acquire(ctx, func(rec event.Record) error { fresh = append(fresh, rec); return nil })
	for _, rec := range fresh {
		if err == nil {
			err = each(rec)
		}
	}
	return err
}

func (l *lateLease) Close() error {
	l.acked.L.Lock()
	fenced, unacked := l.fenced, len(l.pending) > 0
	l.closed = true
	l.acked.L.Unlock()
	if fenced {
		return nil
	}
	if err := l.memLease.Close(); err != nil {
		return err
	}
	if unacked {
		return journal.ErrClosed
	}
	return nil
}

func (l *lateLease) Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	l.late.gate.Lock()
	reading := l.late.reading
	l.late.gate.Unlock()
	if reading != nil {
		reading()
	}
	return l.store.Read(ctx, l.id, from)
}

// last returns the journal that was opened last.
func (s *lateStore) last() *lateLease {
	s.gate.Lock()
	defer s.gate.Unlock()
	return s.opened
}

// stored returns how many records of the only session are acknowledged.
func (s *lateStore) stored() uint64 {
	j := s.only()
	if j == nil {
		return 0
	}
	return j.Head()
}
