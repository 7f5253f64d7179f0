package client

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"parley.dev/parley/record"
)

// FollowOptions say which records to follow.
type FollowOptions struct {
	From      uint64   // the first number; 0 and 1: all
	Transient []string // kinds of transient records, such as record.KindTextDelta
	// Pace, if not 0, merges the deltas that come within such a time into one.
	Pace time.Duration
}

// Follow yields the records of a session: first those that there are, then each that comes, until ctx ends, the client is
// closed, or the session is ended or removed for all, which is no error. Each durable record comes exactly once, in order:
// a connection that is lost is made again, and goes on after the last record. Transient records may be missed then.
//
// A client follows a session once at a time; a second Follow yields ErrFollowed.
func (s *Session) Follow(ctx context.Context, o FollowOptions) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		if !s.c.beginFollow(s.id) {
			yield(record.Record{}, ErrFollowed)
			return
		}
		defer s.c.endFollow(s.id)
		next := max(o.From, 1)
		for {
			reason, err := s.follow(ctx, &next, o, yield)
			switch {
			case errors.Is(err, errStopped):
				return
			case err != nil:
				yield(record.Record{}, err)
				return
			case reason == "ended" || reason == "removed":
				return
			}
		}
	}
}

// errStopped is a loop that wants no more.
var errStopped = errors.New("stopped")

// follow yields records from next on until the connection is lost or the session is closed, which reason says. It counts
// next up.
func (s *Session) follow(ctx context.Context, next *uint64, o FollowOptions, yield func(record.Record, error) bool) (reason string, err error) {
	conn, err := s.c.current(ctx)
	if err != nil {
		return "", err
	}
	f := newFollower()
	defer conn.forget(s.id, f)
	params := map[string]any{"session": s.id, "from": *next}
	if o.Pace > 0 {
		params["pace_ms"] = max(o.Pace.Milliseconds(), 1)
	}
	if len(o.Transient) > 0 {
		params["transient"] = o.Transient
	}
	_, err = conn.request(ctx, "session/follow", params, func() { conn.followed[s.id] = f })
	if IsKind(err, "closing") { // the connection ends soon
		select {
		case <-conn.lost:
			return "", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	if errors.Is(err, errConnection) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for {
		records, more := f.take(ctx)
		for _, rec := range records {
			if rec.Seq != 0 && rec.Seq < *next {
				continue
			}
			if rec.Seq != 0 {
				*next = rec.Seq + 1
			}
			if !yield(rec, nil) {
				s.unfollow(conn)
				return "", errStopped
			}
		}
		switch {
		case ctx.Err() != nil:
			s.unfollow(conn)
			return "", context.Cause(ctx)
		case !more:
			return f.reason, nil
		}
	}
}

// unfollow ends the sending of records, without waiting for the answer.
func (s *Session) unfollow(conn *conn) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = conn.request(ctx, "session/unfollow", map[string]any{"session": s.id}, nil) // a lost connection sends none
}

func (c *Client) beginFollow(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followers[session] {
		return false
	}
	c.followers[session] = true
	return true
}

func (c *Client) endFollow(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.followers, session)
}

// maxWaiting is how many bytes of records wait for a loop that is slow. More are not kept: the session is followed anew
// when the loop has had those.
const maxWaiting = 16 << 20

// A follower is records that wait for a loop.
type follower struct {
	mu      sync.Mutex
	waiting []record.Record
	size    int
	ended   bool // nothing comes any more
	reason  string
	comes   chan struct{} // holds a value when something was added
}

func newFollower() *follower { return &follower{comes: make(chan struct{}, 1)} }

func (f *follower) add(r record.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	if f.size += len(r.Data); f.size > maxWaiting {
		f.ended = true
	} else {
		f.waiting = append(f.waiting, r)
	}
	f.wake()
}

// end signals that nothing follows.
func (f *follower) end(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended, f.reason = true, reason
	f.wake()
}

func (f *follower) wake() {
	select {
	case f.comes <- struct{}{}:
	default:
	}
}

// take waits for records and returns them, and whether more may come.
func (f *follower) take(ctx context.Context) (records []record.Record, more bool) {
	for {
		f.mu.Lock()
		records, ended := f.waiting, f.ended
		f.waiting, f.size = nil, 0
		f.mu.Unlock()
		if len(records) > 0 || ended {
			return records, !ended
		}
		select {
		case <-f.comes:
		case <-ctx.Done():
			return nil, false
		}
	}
}
