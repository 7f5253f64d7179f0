package jetstream

import (
	"context"
	"errors"
	"maps"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// AwaitRenewal waits until the key of this host was renewed recently. If it may have been gone before that, the
// leases that others have claimed meanwhile are lost when it returns.
func (s *Store) AwaitRenewal(ctx context.Context) error {
	gaps, err := s.member.AwaitRenewal(ctx)
	if errors.Is(err, cluster.ErrClosed) {
		return journal.ErrClosed
	}
	if err != nil {
		return err
	}
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
// owner is lost.
func (s *Store) checkLeases(ctx context.Context) error {
	link, err := s.connect(ctx)
	if err != nil {
		return err
	}
	for id, l := range s.allLeases() {
		last, _, err := s.lastFrame(ctx, link, id)
		if err != nil && !errors.Is(err, journal.ErrNotFound) {
			return err
		}
		if err != nil || l.replacedBy(last) {
			l.saveTail(link)
			l.lose()
		}
	}
	return nil
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
