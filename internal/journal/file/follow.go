package file

import (
	"context"
	"iter"
	"time"

	"parley.dev/parley/internal/event"
)

// pollEvery is how often a follower looks for records that another process wrote, in case
// the system does not tell.
const pollEvery = 250 * time.Millisecond

// Follow is Read that waits for more. It also ends when the session is removed, with
// ErrNotFound.
func (s *Store) Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		r, err := s.reader(ctx, id, from)
		if err == nil {
			defer r.close()
			err = r.follow(ctx, yield)
		}
		if err != errEnough {
			yield(event.Record{}, err)
		}
	}
}

// follow always ends with an error.
func (r *reader) follow(ctx context.Context, yield func(event.Record, error) bool) error {
	topic := r.store.wakes.join(r.id, r.scan.path)
	defer r.store.wakes.leave(topic)
	for {
		woken := r.store.wakes.next(topic) // first, or a record could slip through
		var poll <-chan time.Time
		if r.store.leased(r.id) == nil {
			r.store.wakes.watch(topic)
			poll = time.After(pollEvery)
		}
		if err := r.moved(); err != nil {
			return err
		}
		if err := r.each(ctx, yield); err != nil {
			return err
		}
		select {
		case <-woken:
		case <-poll:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := r.store.usable(ctx); err != nil {
			return err
		}
	}
}
