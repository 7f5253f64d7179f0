package jetstream

import (
	"context"
	"errors"
	"maps"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// AwaitRenewal waits until the key of this host was renewed recently. If it may have been gone before that, the
// leases that others have claimed meanwhile are lost when it returns. A session that cannot be read is waited for; its error is not the
// caller's, who asks for another one.
func (s *Store) AwaitRenewal(ctx context.Context) error {
	gaps, err := s.member.AwaitRenewal(ctx)
	if errors.Is(err, cluster.ErrClosed) {
		return journal.ErrClosed
	}
	if err != nil {
		return err
	}
	var pause stream.Backoff
	for {
		err := s.checkAfter(ctx, gaps)
		switch {
		case err == nil:
			return nil
		case s.life.Err() != nil:
			return journal.ErrClosed
		case pause.Wait(ctx, stream.MaxPause) != nil:
			return context.Cause(ctx)
		}
	}
}

// checkAfter checks the leases, unless that was done after as many gaps.
func (s *Store) checkAfter(ctx context.Context, gaps uint64) error {
	s.checking.Lock()
	defer s.checking.Unlock()
	if gaps == s.checked {
		return nil
	}
	if err := s.checkLeases(ctx); err != nil {
		return err
	}
	s.checked = gaps
	return nil
}

// checkLeases reads the last frame of each session that this store has leased. A lease whose session has another
// owner is lost. The error is that of sessions that cannot be read now; the damage of one is reported by what uses it.
func (s *Store) checkLeases(ctx context.Context) error {
	link, err := s.connect(ctx)
	if err != nil {
		return err
	}
	var failures error
	for id, l := range s.allLeases() {
		last, _, err := s.lastFrame(ctx, link, id)
		if _, damaged := errors.AsType[*journal.DamageError](err); damaged {
			continue
		}
		switch {
		case err != nil && !errors.Is(err, journal.ErrNotFound):
			failures = errors.Join(failures, err)
		case err != nil || l.replacedBy(last):
			l.saveTail(link)
			l.lose()
		}
	}
	return failures
}

// allLeases returns the leases that the store has.
func (s *Store) allLeases() map[event.SessionID]*lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.leases)
}

// replacedBy reports whether the last frame of the session is of a later owner.
func (l *lease) replacedBy(last *frame) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held && last.epoch > l.epoch
}
