package jetstream

import (
	"context"

	"parley.dev/parley/internal/cluster"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream"
)

// This file contains the requests between the stores of a namespace. The argument is the id of a session.
const (
	verbHolder   = "holder"   // does the process have the lease?
	verbWant     = "want"     // the same, and the lease is requested
	verbWithdraw = "withdraw" // it is not requested any more
)

// The answers:
const (
	answerIdle    = "idle"    // the process has the lease, and does not need it for long
	answerBusy    = "busy"    // it needs it
	answerUnknown = "unknown" // it does not have it
)

// serveRequests makes the store answer requests.
func (s *Store) serveRequests() {
	s.member.Handle(verbHolder, s.holder)
	s.member.Handle(verbWant, func(id string) string {
		s.setRequested(event.SessionID(id), true)
		return s.holder(id)
	})
	s.member.Handle(verbWithdraw, func(id string) string {
		s.setRequested(event.SessionID(id), false)
		return s.holder(id)
	})
}

func (s *Store) holder(id string) string {
	l := s.ownLease(event.SessionID(id))
	switch {
	case l == nil:
		return answerUnknown
	case l.busy.Load():
		return answerBusy
	}
	return answerIdle
}

// A request is a request for a lease that this store has.
type request struct {
	requested bool
	changed   chan struct{} // closed, and replaced, when requested changes
}

// requestOf returns the request for a session. The caller holds s.mu.
func (s *Store) requestOf(id event.SessionID) *request {
	r := s.requests[id]
	if r == nil {
		r = &request{changed: make(chan struct{})}
		s.requests[id] = r
	}
	return r
}

func (s *Store) setRequested(id event.SessionID, requested bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !requested && s.requests[id] == nil {
		return
	}
	r := s.requestOf(id)
	r.requested = requested
	close(r.changed)
	r.changed = make(chan struct{})
}

// RequestLease requests the lease of a session from its owner. If there is none there is nothing to request.
func (s *Store) RequestLease(id event.SessionID) (withdraw func(), err error) {
	ctx, cancel := context.WithTimeout(s.life, stream.AnswerTimeout)
	defer cancel()
	_, last, err := s.ownerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if last.owner == noOwner {
		return func() {}, nil
	}
	if _, err := s.member.Call(ctx, last.owner, verbWant, string(id)); err != nil {
		return func() {}, nil // it does not answer, so it cannot release the lease either
	}
	return func() {
		ctx, cancel := context.WithTimeout(s.life, stream.AnswerTimeout)
		defer cancel()
		_, _ = s.member.Call(ctx, last.owner, verbWithdraw, string(id)) // one that stays costs its holder the lease once
	}, nil
}

// ownerOf returns the last frame of a session.
func (s *Store) ownerOf(ctx context.Context, id event.SessionID) (*cluster.Link, *frame, error) {
	if !journal.ValidID(id) {
		return nil, nil, notFound(id)
	}
	l, err := s.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	last, _, err := s.lastFrame(ctx, l, id)
	return l, last, err
}

// Owner returns the process that owns a session, and the name of its machine; "": none does.
func (s *Store) Owner(ctx context.Context, id event.SessionID) (owner, host string, err error) {
	_, last, err := s.ownerOf(ctx, id)
	if err != nil || last.owner == noOwner {
		return "", "", err
	}
	return last.owner, last.host, nil
}

// LeaseRequested reports whether the lease of a session is requested.
func (s *Store) LeaseRequested(id event.SessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[id]
	return r != nil && r.requested
}

// AwaitRequest waits until the lease of a session is requested.
func (s *Store) AwaitRequest(ctx context.Context, id event.SessionID) error {
	if _, _, err := s.ownerOf(ctx, id); err != nil {
		if s.life.Err() != nil && ctx.Err() == nil {
			return journal.ErrClosed // the error is that of its connection
		}
		return err
	}
	for {
		s.mu.Lock()
		r := s.requestOf(id)
		requested, changed := r.requested, r.changed
		s.mu.Unlock()
		if requested {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.life.Done():
			return journal.ErrClosed
		}
	}
}
