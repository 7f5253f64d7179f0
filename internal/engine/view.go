package engine

import (
	"context"
	"errors"

	"parley.dev/parley/internal/event"
)

// View returns a session to be read. One that is open here is returned as it is, with one more holder; another one is
// read from the store, and nothing is written: what a dead process left open stays open, and this process does not
// acquire the lease until Open is called. Records that other processes write are followed. ErrNoSession, *DamageError, ErrUnavailable.
//
// Config.Sharing must be set.
func (h *Host) View(ctx context.Context, id event.SessionID, o Options) (*Session, error) {
	if err := h.visible(ctx, id); err != nil {
		return nil, err
	}
	defer h.opening.lock(id)()
	if s, err := h.shared(ctx, id); s != nil || err != nil {
		return s, err
	}
	return h.load(ctx, id, o, viewed)
}

// Viewed reports whether the session is only read: View has opened it, and Open has not since.
func (s *Session) Viewed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lease.viewed
}

// beginView follows what other processes write, until the session is claimed or closed.
func (s *Session) beginView() {
	ctx, cancel := context.WithCancel(context.Background())
	o := &other{cancel}
	s.lease.other, s.lease.viewed = o, true
	s.lease.following.Go(func() { s.takeAll(ctx, o) })
}

// claim makes a session that is open here, perhaps only to be viewed or for no client, one that is open as Open opens it. Whether the
// turn of another process is followed is the caller's option, not that of the client which opened the session before: follow.
func (s *Session) claim(follow bool) error {
	s.mu.Lock()
	viewed := s.lease.viewed
	if viewed {
		s.endOther()
		s.lease.viewed = false
	}
	s.mu.Unlock()
	err := s.refresh(follow)
	if errors.Is(err, ErrClosed) {
		return nil // its users have their own end
	}
	if !viewed {
		return err
	}
	s.mu.Lock()
	defer s.unlock()
	if err != nil {
		s.beginView()
		return openError(s.id, err)
	}
	s.countInherited()
	return nil
}
