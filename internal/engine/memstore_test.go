package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"slices"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// A memStore keeps journals in memory, in their JSON form, and fails on demand.
type memStore struct {
	mu       sync.Mutex
	journals map[event.SessionID]*memJournal
	unborn   error // of the writes after the first to the next journal; nil: they work

	requests map[event.SessionID]bool
	came     chan struct{} // closed, and replaced, with each request
}

type memJournal struct {
	store  *memStore
	id     event.SessionID
	lines  [][]byte
	synced int // lines on disk
	blobs  map[string][]byte
	leased bool
	busy   bool
	broken error  // of the next writes; nil: they work
	onSync func() // the disk takes as long as it does; nil: no time
	failed error  // of the next syncs; nil: they work
}

func newMemStore() *memStore {
	return &memStore{journals: map[event.SessionID]*memJournal{}, requests: map[event.SessionID]bool{}, came: make(chan struct{})}
}

var _ journal.LeaseRequester = (*memStore)(nil)

func (s *memStore) RequestLease(id event.SessionID) (withdraw func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.requests[id] {
		s.requests[id] = true
		close(s.came)
		s.came = make(chan struct{})
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.requests, id)
	}, nil
}

func (s *memStore) LeaseRequested(id event.SessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[id]
}

func (s *memStore) AwaitRequest(ctx context.Context, id event.SessionID) error {
	for {
		s.mu.Lock()
		requested, came := s.requests[id], s.came
		s.mu.Unlock()
		if requested {
			return nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *memStore) only() *memJournal {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.journals {
		return j
	}
	return nil
}

func (s *memStore) setBroken(err error) {
	j := s.only()
	s.mu.Lock()
	defer s.mu.Unlock()
	j.broken = err
}

// setSync has each Sync wait for f.
func (s *memStore) setSync(f func()) {
	j := s.only()
	s.mu.Lock()
	defer s.mu.Unlock()
	j.onSync = f
}

// setFailing has each Sync fail; nil: they work.
func (s *memStore) setFailing(err error) {
	j := s.only()
	s.mu.Lock()
	defer s.mu.Unlock()
	j.failed = err
}

// breakNext lets the next journal be made and fail from then on.
func (s *memStore) breakNext(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unborn = err
}

func (s *memStore) Deferred() bool { return false }

func (s *memStore) Create(_ context.Context, id event.SessionID, records []event.Record) (journal.Journal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journals[id] != nil {
		return nil, journal.ErrExists
	}
	j := &memJournal{store: s, id: id, blobs: map[string][]byte{}, leased: true}
	if err := j.add(records); err != nil {
		return nil, err
	}
	j.synced = len(j.lines)
	j.broken, s.unborn = s.unborn, nil
	s.journals[id] = j
	return &memLease{memJournal: j, held: true}, nil
}

func (s *memStore) Lease(_ context.Context, id event.SessionID) (journal.Journal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.journals[id]
	switch {
	case j == nil:
		return nil, journal.ErrNotFound
	case j.leased:
		return nil, &journal.LockedError{ID: id, Busy: j.busy}
	}
	j.leased = true
	delete(s.requests, id)
	return &memLease{memJournal: j, held: true, known: len(j.lines)}, nil
}

func (s *memStore) Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	l := &memLease{}
	for rec, err := range s.Read(ctx, id, 0) {
		if err == nil {
			err = each(rec)
		}
		if err != nil {
			return nil, err
		}
		l.known++
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l.memJournal = s.journals[id]
	return l, nil
}

func (s *memStore) Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	log, err := s.Lease(ctx, id)
	if err != nil {
		return nil, err
	}
	for rec, err := range s.Read(ctx, id, 0) {
		if err == nil {
			err = each(rec)
		}
		if err != nil {
			return nil, errors.Join(err, log.Close())
		}
	}
	return log, nil
}

func (s *memStore) Read(_ context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	s.mu.Lock()
	j := s.journals[id]
	var lines [][]byte
	if j != nil {
		lines = slices.Clone(j.lines)
	}
	s.mu.Unlock()
	return func(yield func(event.Record, error) bool) {
		if j == nil {
			yield(event.Record{}, journal.ErrNotFound)
			return
		}
		for _, line := range lines {
			var rec event.Record
			err := rec.UnmarshalJSON(line)
			if (err != nil || rec.Seq >= from) && !yield(rec, err) {
				return
			}
		}
	}
}

func (s *memStore) Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return s.Read(ctx, id, from)
}

func (s *memStore) Blob(_ context.Context, id event.SessionID, address string) ([]byte, error) {
	return s.journals[id].Blob(address)
}

func (s *memStore) List(context.Context, journal.Query) (journal.Page, error) {
	return journal.Page{}, nil
}
func (s *memStore) Location(event.SessionID) string { return "" }
func (s *memStore) Close() error                    { return nil }

func (s *memStore) Remove(_ context.Context, id event.SessionID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.journals[id]; j != nil && j.leased {
		return &journal.LockedError{ID: id, Busy: j.busy}
	}
	delete(s.journals, id)
	return nil
}

// A memLease is a memJournal that is open for writing.
type memLease struct {
	*memJournal
	held  bool
	known int // lines when the lease was given back
}

func (l *memLease) Release() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	err := cmp.Or(l.failed, l.broken)
	if l.held && err == nil {
		l.synced, l.known = len(l.lines), len(l.lines)
		l.held, l.leased, l.busy = false, false, false
	}
	return err
}

func (l *memLease) Acquire(_ context.Context, each func(event.Record) error) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	switch {
	case l.held:
		return nil
	case l.store.journals[l.id] != l.memJournal:
		return journal.ErrNotFound
	case l.leased:
		return &journal.LockedError{ID: l.id, Busy: l.busy}
	}
	if l.known > len(l.lines) {
		return &journal.DamageError{Reason: "records are gone"}
	}
	for _, line := range l.lines[l.known:] {
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil {
			return err
		}
		if err := each(rec); err != nil {
			return err
		}
	}
	l.held, l.leased = true, true
	delete(l.store.requests, l.id)
	return nil
}

func (l *memLease) Lost() <-chan struct{} { return nil }

func (l *memLease) SetBusy(busy bool) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.held {
		l.busy = busy
	}
}

func (l *memLease) Append(expected uint64, records []event.Record) error {
	l.store.mu.Lock()
	held := l.held
	l.store.mu.Unlock()
	if !held {
		return journal.ErrReleased
	}
	return l.memJournal.Append(expected, records)
}

func (l *memLease) Close() error {
	err := l.Release()
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.held, l.leased, l.busy = false, false, false
	return err
}

func (j *memJournal) ID() event.SessionID { return j.id }

func (j *memJournal) Head() uint64 {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	return uint64(len(j.lines))
}

func (j *memJournal) Append(expected uint64, records []event.Record) error {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	if expected != uint64(len(j.lines)) {
		return journal.ErrStale
	}
	return j.add(records)
}

func (j *memJournal) add(records []event.Record) error {
	if j.broken != nil {
		return j.broken
	}
	for _, rec := range records {
		line, err := rec.AppendJSON(nil)
		if err != nil {
			return err
		}
		j.lines = append(j.lines, line)
	}
	return nil
}

func (j *memJournal) Sync() error {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	if wait := j.onSync; wait != nil {
		j.store.mu.Unlock()
		wait()
		j.store.mu.Lock()
	}
	if err := cmp.Or(j.failed, j.broken); err != nil {
		return err
	}
	j.synced = len(j.lines)
	return nil
}

func (j *memJournal) Read(ctx context.Context, from uint64) iter.Seq2[event.Record, error] {
	return j.store.Read(ctx, j.id, from)
}

func (j *memJournal) PutBlob(data []byte) (string, error) {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	sum := sha256.Sum256(data)
	address := hex.EncodeToString(sum[:])
	j.blobs[address] = slices.Clone(data)
	return address, nil
}

func (j *memJournal) Blob(address string) ([]byte, error) {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	data, ok := j.blobs[address]
	if !ok {
		return nil, journal.ErrNotFound
	}
	return data, nil
}

// records returns what is in the journal, all of it or only what is on disk.
func (j *memJournal) records(synced bool) (records []event.Record) {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	n := len(j.lines)
	if synced {
		n = j.synced
	}
	for _, line := range j.lines[:n] {
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil {
			panic(err)
		}
		records = append(records, rec)
	}
	return records
}
