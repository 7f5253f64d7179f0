package file

import (
	"context"
	"iter"
	"time"

	"parley.dev/parley/internal/event"
)

// pollInterval is the interval at which a follower checks for records of another process, in case
// the system does not report changes.
const pollInterval = 250 * time.Millisecond

// Follow is Read that waits for further records. It ends with ErrNotFound when the session is removed.
func (s *Store) Follow(ctx context.Context, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		r, err := s.reader(ctx, id, from)
		if err == nil {
			defer r.close()
			err = r.follow(ctx, yield)
		}
		if err != errStopped {
			yield(event.Record{}, err)
		}
	}
}

// follow yields records until an error, which it returns.
func (r *reader) follow(ctx context.Context, yield func(event.Record, error) bool) error {
	topic := r.store.notifier.subscribe(r.id, r.scan.path)
	defer r.store.notifier.unsubscribe(topic)
	for {
		woken := r.store.notifier.changed(topic) // first, or a record could slip through
		var poll <-chan time.Time
		if r.store.ownLease(r.id) == nil {
			r.store.notifier.watch(topic)
			poll = time.After(pollInterval)
		}
		if err := r.checkReplaced(); err != nil {
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
		if err := r.store.checkUsable(ctx); err != nil {
			return err
		}
	}
}
