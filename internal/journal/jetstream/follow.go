package jetstream

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"sync"
	"time"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// followPoll is the interval at which a follower checks for frames of which it was not notified.
const followPoll = 5 * time.Second

// A topic is a session that is being followed.
type topic struct {
	followers   int
	unsubscribe func() // nil: nothing is subscribed to

	mu      sync.Mutex    // guards the rest
	changed chan struct{} // closed, and replaced, when a frame was published
	head    uint64        // the last record that a published frame has
	removed bool          // a frame says that the session is removed
}

// received notes a frame that was published. It may not be stored yet, and may be refused.
func (t *topic) received(m *stream.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if head, err := strconv.ParseUint(m.Header["Parley-Head"], 10, 63); err == nil {
		t.head = max(t.head, head)
	}
	t.removed = t.removed || m.Header["Parley-Kind"] == kindRemove
	t.wake()
}

func (t *topic) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// state returns a channel that is closed at the next notification, and whether a frame after head was
// published.
func (t *topic) state(head uint64) (changed <-chan struct{}, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed, t.head > head || t.removed
}

// notify notifies the followers of a session.
func (s *Store) notify(id event.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.topics[id]; t != nil {
		t.mu.Lock()
		t.wake()
		t.mu.Unlock()
	}
}

// subscribe adds a follower of a session.
func (s *Store) subscribe(l *cluster.Link, id event.SessionID) (*topic, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.topics[id]
	if t == nil {
		t = &topic{changed: make(chan struct{})}
		unsubscribe, err := l.Subscribe(l.Namespace.Journal(id), t.received)
		if err != nil {
			return nil, err
		}
		t.unsubscribe = unsubscribe
		s.topics[id] = t
	}
	t.followers++
	return t, nil
}

func (s *Store) unsubscribe(id event.SessionID, t *topic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.followers--; t.followers == 0 {
		delete(s.topics, id)
		t.unsubscribe()
	}
}

// Follow is Read that waits for further records. It ends with ErrNotFound when the session is removed.
func (s *Store) Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		if err := s.follow(ctx, id, from, yield); err != errStopped {
			yield(event.Record{}, err)
		}
	}
}

// follow yields records until an error, which it returns.
func (s *Store) follow(ctx context.Context, id event.SessionID, from uint64, yield func(event.Record, error) bool) error {
	link, r, _, err := s.reader(ctx, id)
	if err != nil {
		return err
	}
	if own := s.ownLease(id); own != nil {
		r.at = own.startFor(from)
	}
	t, err := s.subscribe(link, id)
	if err != nil {
		return s.asClosed(err)
	}
	defer s.unsubscribe(id, t)
	delay := time.Millisecond
	for {
		changed, _ := t.state(0) // first, or a frame could slip through
		if err := s.checkUsable(ctx); err != nil {
			return err
		}
		last, to, err := s.lastFrame(ctx, link, id)
		if err == nil && to == r.at.frame && (last.head != r.at.Seq || last.hash != r.at.Sum) {
			err = r.damage(r.at.Position, "the store has lost frames, and others have their sequences")
		}
		if err != nil {
			return s.followError(ctx, err)
		}
		before := r.at.frame
		if err := r.yield(ctx, from, to, yield); err != nil {
			return s.followError(ctx, r.asRemoved(ctx, err))
		}
		if r.at.frame != before {
			delay = time.Millisecond
		}
		poll := followPoll
		if _, more := t.state(r.at.Seq); more {
			poll = delay // a published frame is about to be stored, or was refused
			delay = min(2*delay, followPoll)
		}
		select {
		case <-changed:
		case <-time.After(poll):
		case <-ctx.Done():
			return ctx.Err()
		case <-s.life.Done():
			return journal.ErrClosed
		}
	}
}

// followError returns the error of ctx if that is the cause of err, and ErrClosed after Close.
func (s *Store) followError(ctx context.Context, err error) error {
	if s.life.Err() == nil && ctx.Err() != nil && err != errStopped {
		return ctx.Err()
	}
	if err == errStopped {
		return err
	}
	return s.asClosed(err)
}

// asRemoved returns ErrNotFound instead of damage if the session that r reads was removed, and another one
// has its id: then all frames are later ones.
func (r *reader) asRemoved(ctx context.Context, err error) error {
	if _, damaged := errors.AsType[*journal.DamageError](err); !damaged || r.at.frame == 0 {
		return err
	}
	readErr := r.link.Read(ctx, r.link.Namespace.Journal(r.id), 1, r.at.frame, func(*stream.Message) error { return errStopped })
	if readErr == nil {
		return notFound(r.id)
	}
	return err
}
