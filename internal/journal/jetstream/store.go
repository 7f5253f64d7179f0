package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// A Store is a journal.Store in a namespace of JetStream.
type Store struct {
	member *cluster.Member
	frames atomic.Uint64
	index  index
	// lostFolder is where records are saved that the servers have lost; "": nowhere.
	lostFolder string

	observer Observer

	life       context.Context // until Close
	end        context.CancelFunc
	goroutines sync.WaitGroup // pumps

	checking sync.Mutex // held by AwaitRenewal; guards checked
	checked  uint64     // after how many gaps of the host's key the leases were checked

	mu       sync.Mutex // guards the rest
	leases   map[event.SessionID]*lease
	topics   map[event.SessionID]*topic
	requests map[event.SessionID]*request
	closed   bool
}

var (
	_ journal.Store          = (*Store)(nil)
	_ journal.LeaseRequester = (*Store)(nil)
	_ journal.OwnerStore     = (*Store)(nil)
	_ journal.Renewer        = (*Store)(nil)
	_ journal.LineReader     = (*Store)(nil)
)

// New returns the store of a namespace, of which m must be a member that is not used yet. The store closes m.
func New(m *cluster.Member) *Store {
	s := &Store{
		member: m, leases: map[event.SessionID]*lease{}, topics: map[event.SessionID]*topic{}, requests: map[event.SessionID]*request{},
		observer: noObserver{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.serveRequests()
	m.OnReplaced(s.loseAll)
	return s
}

// connect returns the connection, which is made when the store is used first. It is enough to read.
func (s *Store) connect(ctx context.Context) (*cluster.Link, error) {
	if err := s.checkUsable(ctx); err != nil {
		return nil, err
	}
	l, err := s.member.Connect(ctx)
	if errors.Is(err, cluster.ErrClosed) {
		err = journal.ErrClosed
	}
	return l, err
}

// join is connect for what makes this process the owner of a session: it becomes a member.
func (s *Store) join(ctx context.Context) (*cluster.Link, error) {
	if _, err := s.connect(ctx); err != nil {
		return nil, err
	}
	l, err := s.member.Join(ctx)
	if errors.Is(err, cluster.ErrClosed) {
		err = journal.ErrClosed
	}
	return l, err
}

// checkUsable returns ErrClosed after Close, and else the error of ctx.
func (s *Store) checkUsable(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return journal.ErrClosed
	}
	return ctx.Err()
}

// Deferred implements journal.Store: the servers have a record when they have acknowledged it.
func (s *Store) Deferred() bool { return true }

// Location returns "": a session is in no place that a user could open.
func (s *Store) Location(event.SessionID) string { return "" }

// Close ends all calls of Follow and AwaitRequest with ErrClosed, and the connection. Leases are closed by
// their holders.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.goroutines.Wait()
	s.member.Close()
	return nil
}

// spawn runs work in a goroutine that Close waits for. It returns false after Close.
func (s *Store) spawn(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.goroutines.Go(work)
	return true
}

// register adds a lease before it is claimed: from then on the store answers other hosts that it has the
// session. It returns a LockedError if the store has it already.
func (s *Store) register(l *lease) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return journal.ErrClosed
	}
	if other := s.leases[l.id]; other != nil {
		return &journal.LockedError{ID: l.id, PID: os.Getpid(), Busy: other.busy.Load()}
	}
	s.leases[l.id] = l
	return nil
}

// unregister removes a lease, and notifies the session's followers: others may write now.
func (s *Store) unregister(l *lease) {
	s.mu.Lock()
	if s.leases[l.id] == l {
		delete(s.leases, l.id)
	}
	s.mu.Unlock()
	s.notify(l.id)
}

// ownLease returns this store's own lease of a session; nil if it has none.
func (s *Store) ownLease(id event.SessionID) *lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[id]
}

// loseAll fences all leases: another process uses the id of this host.
func (s *Store) loseAll() {
	for _, l := range s.allLeases() {
		l.lose()
	}
}

// notFound returns ErrNotFound for a session.
func notFound(id event.SessionID) error { return fmt.Errorf("session %q: %w", id, journal.ErrNotFound) }

// newFrame returns a frame of this store.
func (s *Store) newFrame(kind string, epoch uint64) *frame {
	return &frame{
		kind: kind, epoch: epoch, owner: s.member.Owner(), pid: os.Getpid(), host: s.member.HostName(),
		id: fmt.Sprintf("%d.%d", epoch, s.frames.Add(1)),
	}
}

// lastFrame returns the last frame of a session and its sequence, from the leader; ErrNotFound if there is
// none. It finishes the removal of a session.
func (s *Store) lastFrame(ctx context.Context, l *cluster.Link, id event.SessionID) (*frame, uint64, error) {
	m, err := stream.LastOnce(ctx, l, l.Namespace.Journal(id))
	if err == nil && m.Seq == 0 {
		m, err = s.indexedFrame(ctx, l, id)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("session %q: %w", id, err)
	}
	if m.Seq == 0 {
		return nil, 0, notFound(id)
	}
	f, err := decodeFrame(m)
	if err != nil {
		return nil, 0, err
	}
	if f.kind == kindRemove {
		return nil, 0, notFound(id)
	}
	return f, m.Seq, nil
}

// indexedFrame returns the last frame of a session of which the leader has none; one with sequence 0 if there is
// none. While the index has the session the answer may be from the past, so it reads again for some time: the
// index is another stream, with another leader. After that it is damage: a removal begins with the index.
func (s *Store) indexedFrame(ctx context.Context, l *cluster.Link, id event.SessionID) (m *stream.Message, err error) {
	var pause stream.Backoff
	for end := time.Now().Add(stream.StalePatience); ; {
		entry, err := stream.LastOnce(ctx, l, l.Namespace.Index(id))
		if err != nil {
			return nil, err
		}
		m, err := stream.LastOnce(ctx, l, l.Namespace.Journal(id))
		indexed := entry.Seq > 0 && entry.Header[stream.HeaderOperation] == ""
		if err != nil || m.Seq > 0 || !indexed {
			return m, err
		}
		if time.Now().After(end) {
			return nil, &journal.DamageError{
				Path: l.Namespace.Journal(id), Seq: 1,
				Reason: "the servers do not have its last record, or none, but an entry in the index, which `parley store reindex` renews",
			}
		}
		if err := pause.Wait(ctx, stream.MaxPause); err != nil {
			return nil, err
		}
	}
}

// submitFrame publishes a frame after another one; see stream.Submit.
func (s *Store) submitFrame(ctx context.Context, srv stream.Server, subject string, f *frame, after stream.Predecessor) (uint64, error) {
	sent := time.Now()
	seq, outcome, err := stream.Submit(ctx, srv, f.message(subject), after, isFrame(f.sameAs))
	s.observer.FrameSubmitted(f.kind == kindCreate || f.kind == kindAppend, outcome, time.Since(sent))
	return seq, err
}

// isFrame returns a function that reports whether a message is a frame for which is returns true.
func isFrame(is func(*frame) bool) func(*stream.Message) bool {
	return func(m *stream.Message) bool {
		f, err := decodeFrame(m)
		return err == nil && is(f)
	}
}

// ownFrame returns a frame of an epoch that this store has begun, as the predecessor of the next one.
func (s *Store) ownFrame(epoch, seq, interruptions uint64) stream.Predecessor {
	return stream.Predecessor{Seq: seq, Interruptions: interruptions, Same: isFrame(func(f *frame) bool {
		return f.owner == s.member.Owner() && f.epoch == epoch
	})}
}

// asClosed returns ErrClosed instead of the error of a store that was closed.
func (s *Store) asClosed(err error) error {
	if err != nil && s.life.Err() != nil {
		return journal.ErrClosed
	}
	return err
}
