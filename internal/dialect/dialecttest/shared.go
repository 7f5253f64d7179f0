package dialecttest

import (
	"context"
	"iter"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A SharedStore is a deferred store that several hosts share: it acknowledges what another store has stored, and another host
// can take its sessions over.
type SharedStore struct {
	journal.Store

	mu     sync.Mutex
	ack    chan struct{} // closed: records are acknowledged
	lost   chan struct{} // closed: another host has the sessions
	unread error         // of journals that are read; nil: they can be
}

// The other host.
const (
	OtherOwner = "h-2.1"
	OtherHost  = "two"
)

// NewSharedStore returns a store that acknowledges what store has stored.
func NewSharedStore(store journal.Store) *SharedStore {
	s := &SharedStore{Store: store, ack: make(chan struct{}), lost: make(chan struct{})}
	close(s.ack)
	return s
}

// Hold ends that records are acknowledged, until ack is called.
func (s *SharedStore) Hold() (ack func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.ack = held
	return sync.OnceFunc(func() { close(held) })
}

// FailReads has journals fail with err when they are read; nil: no more.
func (s *SharedStore) FailReads(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread = err
}

func (s *SharedStore) readError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unread
}

// Lose has another host take the sessions over. It needs them as long as the store is open.
func (s *SharedStore) Lose() { close(s.lost) }

// await waits until records are acknowledged. ErrFenced.
func (s *SharedStore) await(ctx context.Context) error {
	s.mu.Lock()
	ack := s.ack
	s.mu.Unlock()
	select {
	case <-s.lost:
		return journal.ErrFenced
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-ack:
	}
	return s.fenced()
}

func (s *SharedStore) fenced() error {
	select {
	case <-s.lost:
		return journal.ErrFenced
	default:
		return nil
	}
}

// Deferred reports that it is.
func (s *SharedStore) Deferred() bool { return true }

// Owner returns the other host.
func (s *SharedStore) Owner(context.Context, event.SessionID) (owner, host string, err error) {
	if s.fenced() == nil {
		return "", "", nil
	}
	return OtherOwner, OtherHost, nil
}

// Create waits for the acknowledgement, too.
func (s *SharedStore) Create(ctx context.Context, id event.SessionID, records []event.Record) (journal.Journal, error) {
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	return s.shared(s.Store.Create(ctx, id, records))
}

// Lease returns a LockedError once the other host has the sessions.
func (s *SharedStore) Lease(ctx context.Context, id event.SessionID) (journal.Journal, error) {
	if s.fenced() != nil {
		return nil, lockedBy(id)
	}
	return s.shared(s.Store.Lease(ctx, id))
}

// Resume is Lease.
func (s *SharedStore) Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	if s.fenced() != nil {
		return nil, lockedBy(id)
	}
	return s.shared(s.Store.Resume(ctx, id, each))
}

// Open opens a session without the lease.
func (s *SharedStore) Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	return s.shared(s.Store.Open(ctx, id, each))
}

// Remove returns a LockedError once the other host has the sessions.
func (s *SharedStore) Remove(ctx context.Context, id event.SessionID) error {
	if s.fenced() != nil {
		return lockedBy(id)
	}
	return s.Store.Remove(ctx, id)
}

func (s *SharedStore) shared(j journal.Journal, err error) (journal.Journal, error) {
	if err != nil {
		return nil, err
	}
	return &sharedJournal{Journal: j, store: s}, nil
}

func lockedBy(id event.SessionID) error {
	return &journal.LockedError{ID: id, Busy: true, Owner: OtherOwner, Host: OtherHost}
}

// A sharedJournal is a journal of a SharedStore.
type sharedJournal struct {
	journal.Journal
	store *SharedStore
}

func (j *sharedJournal) Lost() <-chan struct{} { return j.store.lost }

func (j *sharedJournal) Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	if err := j.store.readError(); err != nil {
		return func(yield func(event.Record, error) bool) { yield(event.Record{}, err) }
	}
	return j.Journal.Read(ctx, from)
}

func (j *sharedJournal) Append(expected uint64, records []event.Record) error {
	if err := j.store.fenced(); err != nil {
		return err
	}
	return j.Journal.Append(expected, records)
}

func (j *sharedJournal) Sync() error {
	if err := j.store.await(context.Background()); err != nil {
		return err
	}
	return j.Journal.Sync()
}

func (j *sharedJournal) PutBlob(data []byte) (string, error) {
	if err := j.store.await(context.Background()); err != nil {
		return "", err
	}
	return j.Journal.PutBlob(data)
}

func (j *sharedJournal) Release() error {
	if err := j.store.await(context.Background()); err != nil {
		return err
	}
	return j.Journal.Release()
}

func (j *sharedJournal) Acquire(ctx context.Context, each func(event.Record) error) error {
	if j.store.fenced() != nil {
		return lockedBy(j.ID())
	}
	return j.Journal.Acquire(ctx, each)
}
