package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
	"parley.dev/parley/internal/stream"
)

// releaseTimeout is how long a release may take. Without it the next claim costs one request more.
const releaseTimeout = 5 * time.Second

// A lease is a journal that is open for writing. While held is set, its frames name this store as the owner.
type lease struct {
	store *Store
	id    event.SessionID
	busy  atomic.Bool
	lost  chan struct{} // closed when fenced is set

	switching sync.Mutex // held during Acquire, Release and Close; locked before mu

	mu        sync.Mutex // guards the rest
	progress  *sync.Cond // of stored, failure and fenced
	held      bool
	closed    bool
	fenced    bool
	epoch     uint64
	end       chain.Position // of the records that were appended
	stored    place          // of the records that are stored
	seen      uint64         // interruptions of the connection before stored was reached
	marks     checkpoints
	summary   journal.Summary
	indexed   bool // the index has summary
	indexSoon bool // it should have it soon
	indexing  bool // it is being published
	tail      tail
	note      string // about records that the servers have lost, for errors

	// The rest is the queue of records that are not stored yet.
	queue   []byte // lines
	sending *frame // the frame in flight, or that failed; it is sent again as it is
	sendEnd chain.Position
	pumping bool  // the pump runs
	failure error // of the last attempt; a later Append or Sync tries again
	hasher  chain.Hasher
}

func (s *Store) newLease(id event.SessionID) *lease {
	l := &lease{store: s, id: id, lost: make(chan struct{})}
	l.progress = sync.NewCond(&l.mu)
	return l
}

// Create creates a journal and acquires its lease.
func (s *Store) Create(ctx context.Context, id event.SessionID, records []event.Record) (journal.Journal, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	l := s.newLease(id)
	if err := l.create(ctx, records); err != nil {
		return nil, fmt.Errorf("create session %q: %w", id, s.asClosed(err))
	}
	return l, nil
}

func (l *lease) create(ctx context.Context, records []event.Record) error {
	lines, end, err := l.firstLines(records)
	if err != nil {
		return err
	}
	first, rest := records, []event.Record(nil)
	if len(lines) > maxBody { // before it exists, a session cannot have a blob: it could be that of a removed one
		first, rest = records[:1], records[1:]
		if lines, end, err = l.encode(nil, first); err != nil {
			return err
		}
	}
	link, err := l.store.join(ctx)
	if err != nil {
		return err
	}
	if err := l.store.register(l); err != nil {
		if _, locked := errors.AsType[*journal.LockedError](err); locked {
			return journal.ErrExists
		}
		return err
	}
	seen := link.Interruptions()
	seq, err := l.publishFirst(ctx, link, lines, end)
	if err != nil {
		l.store.unregister(l)
		return err
	}
	l.mu.Lock()
	l.held, l.epoch, l.end, l.stored, l.seen = true, 1, end, place{end, seq}, seen
	l.retain(1, lines)
	for _, rec := range first {
		l.summary.Apply(rec)
	}
	l.mu.Unlock()
	if len(rest) > 0 {
		if err := errors.Join(l.Append(end.Seq, rest), l.Sync()); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	l.updateIndex(ctx, link)
	return nil
}

func (l *lease) firstLines(records []event.Record) ([]byte, chain.Position, error) {
	var end chain.Position
	if !journal.ValidID(l.id) {
		return nil, end, fmt.Errorf("the id must be 1 to %d bytes without separators and control characters, and not only dots", journal.MaxID)
	}
	if len(records) == 0 {
		return nil, end, errors.New("a journal begins with a record")
	}
	if first, ok := records[0].Event.(event.SessionCreated); ok && first.ID != l.id {
		return nil, end, fmt.Errorf("its first record is of session %q", first.ID)
	}
	return l.encode(nil, records)
}

// publishFirst publishes the frame that creates a session.
func (l *lease) publishFirst(ctx context.Context, link *cluster.Link, lines []byte, end chain.Position) (uint64, error) {
	f := l.store.newFrame(kindCreate, 1)
	f.first, f.head, f.hash, f.lines = 1, end.Seq, end.Sum, lines
	subject := link.Namespace.Journal(l.id)
	for range claimAttempts {
		seq, err := l.store.submitFrame(ctx, link, subject, f, stream.Predecessor{})
		if !errors.Is(err, stream.ErrTaken) {
			return seq, err
		}
		if _, _, err := l.store.lastFrame(ctx, link, l.id); !errors.Is(err, journal.ErrNotFound) {
			return 0, errors.Join(journal.ErrExists, err)
		}
		if err := l.store.finishRemoval(ctx, link, l.id); err != nil { // otherwise the id is not free
			return 0, err
		}
	}
	return 0, journal.ErrExists
}

// Lease opens a journal for writing.
func (s *Store) Lease(ctx context.Context, id event.SessionID) (journal.Journal, error) {
	return s.Resume(ctx, id, nil)
}

// Resume is Lease that also calls each with every record.
func (s *Store) Resume(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	return s.resume(ctx, id, each, false)
}

func (s *Store) resume(ctx context.Context, id event.SessionID, each func(event.Record) error, force bool) (journal.Journal, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	if !journal.ValidID(id) {
		return nil, notFound(id)
	}
	l := s.newLease(id)
	if err := l.acquire(ctx, each, force); err != nil {
		return nil, err
	}
	return l, nil
}

// Open opens a journal without its lease.
func (s *Store) Open(ctx context.Context, id event.SessionID, each func(event.Record) error) (journal.Journal, error) {
	link, r, to, err := s.reader(ctx, id)
	if err != nil {
		return nil, err
	}
	l := s.newLease(id)
	if err := l.load(ctx, link, r, to, each); err != nil {
		return nil, err
	}
	return l, nil
}

// Acquire acquires the lease, and calls each with the records that were appended since Release.
func (l *lease) Acquire(ctx context.Context, each func(event.Record) error) error {
	return l.acquire(ctx, each, false)
}

// acquire is Acquire. With force it does not matter whether the owner lives.
func (l *lease) acquire(ctx context.Context, each func(event.Record) error, force bool) error {
	l.switching.Lock()
	defer l.switching.Unlock()
	if err := l.checkUsable(); !errors.Is(err, journal.ErrReleased) {
		return err
	}
	link, err := l.store.join(ctx)
	if err != nil {
		return err
	}
	if err := l.store.register(l); err != nil {
		return err
	}
	claim, own, before, err := l.store.claim(ctx, link, l.id, force)
	if err != nil {
		l.store.unregister(l)
		return l.store.asClosed(err)
	}
	l.store.setRequested(l.id, false)
	l.mu.Lock()
	r := &reader{store: l.store, link: link, id: l.id, at: l.stored}
	l.mu.Unlock()
	if err := l.load(ctx, link, r, own.Seq, each); err != nil {
		l.giveUp(link, claim, own)
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.epoch, l.seen = true, claim.epoch, own.Interruptions
	l.indexed = l.indexed && before.owner == noOwner
	return nil
}

// load reads the frames up to a sequence, passes their records to each, and sets the state of the journal.
func (l *lease) load(ctx context.Context, link *cluster.Link, r *reader, to uint64, each func(event.Record) error) error {
	l.mu.Lock()
	summary, marks := l.summary, l.marks
	l.mu.Unlock()
	known := r.at
	err := r.summarize(ctx, to, &summary, marks.add, each)
	if err != nil {
		return err
	}
	summary.ID = l.id
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end, l.stored, l.summary, l.marks = r.at.Position, r.at, summary, marks
	l.indexed = l.indexed && known.Seq == r.at.Seq
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
	case l.fenced:
		return l.fencedError()
	case !l.held:
		return journal.ErrReleased
	}
	return nil
}

// ID returns the session's id.
func (l *lease) ID() event.SessionID { return l.id }

// Head returns the number of the last record that was appended.
func (l *lease) Head() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end.Seq
}

// SetBusy sets whether the lease is needed for a long time.
func (l *lease) SetBusy(busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held {
		l.busy.Store(busy)
	}
}

// Lost returns a channel that is closed when another process has taken the session over.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// lose closes the journal for good, since another process owns the session.
func (l *lease) lose() {
	l.mu.Lock()
	if !l.fenced {
		l.fenced = true
		l.queue, l.sending = nil, nil
		close(l.lost)
		l.store.observer.SessionLost()
		l.progress.Broadcast()
	}
	l.mu.Unlock()
	l.store.unregister(l)
}

// Release stores what was appended and releases the lease.
func (l *lease) Release() error {
	l.switching.Lock()
	defer l.switching.Unlock()
	switch err := l.checkUsable(); {
	case err == nil:
	case errors.Is(err, journal.ErrReleased):
		return nil
	default:
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	l.release()
	return nil
}

// release publishes the release of a lease whose records are stored. If that fails, the store answers other
// hosts that it does not have the lease, so they can claim it all the same.
func (l *lease) release() {
	link := l.store.member.Current()
	if link != nil {
		ctx, cancel := context.WithTimeout(l.store.life, releaseTimeout)
		l.updateIndex(ctx, link)
		cancel()
	}
	l.mu.Lock()
	last := &frame{epoch: l.epoch, head: l.stored.Seq, hash: l.stored.Sum}
	own := l.store.ownFrame(l.epoch, l.stored.frame, l.seen)
	l.held, l.tail = false, tail{}
	l.busy.Store(false)
	l.mu.Unlock()
	if link == nil {
		l.store.unregister(l)
		return
	}
	if seq := l.giveUp(link, last, own); seq > 0 {
		l.mu.Lock()
		l.stored.frame = seq
		l.mu.Unlock()
	}
}

// giveUp publishes a release after the frame last, and returns its sequence; 0: it may not be stored.
func (l *lease) giveUp(link *cluster.Link, last *frame, after stream.Predecessor) (seq uint64) {
	defer l.store.unregister(l)
	ctx, cancel := context.WithTimeout(l.store.life, releaseTimeout)
	defer cancel()
	f := l.store.newFrame(kindRelease, last.epoch)
	f.owner, f.first, f.head, f.hash = noOwner, last.head+1, last.head, last.hash
	seq, err := l.store.submitFrame(ctx, link, link.Namespace.Journal(l.id), f, after)
	if err != nil {
		return 0
	}
	return seq
}

// Close releases the lease permanently, even if the store cannot be reached; a second call does nothing.
func (l *lease) Close() error {
	l.switching.Lock()
	defer l.switching.Unlock()
	l.mu.Lock()
	closed, held, fenced := l.closed, l.held, l.fenced
	l.mu.Unlock()
	var err error
	if !closed && held && !fenced {
		err = l.syncFor(closeTimeout)
		l.release()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if errors.Is(err, journal.ErrFenced) && len(l.queue) == 0 && l.end.Seq == l.stored.Seq {
		return nil
	}
	return err
}
