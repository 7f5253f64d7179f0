package engine

import (
	"context"
	"errors"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
)

// This file contains how the lease of a session goes from one process to another. A process that wants
// it requests it and waits. The holder gives the lease up, unless it needs it: then it has set that
// it is busy, and the other process is refused at once.

const (
	// leaseWait is how long a holder is waited for that does not need the lease.
	leaseWait = 2 * time.Second
	// leasePoll is how often the lease is tried meanwhile.
	leasePoll = 10 * time.Millisecond
)

// awaitLease calls try, and again while that returns a *LockedError of a holder that does not need the
// lease, which is requested from it. The error is that of try, or the cause of ctx.
func (h *Host) awaitLease(ctx context.Context, id event.SessionID, try func() error) error {
	err := try()
	withdraw := func() {}
	for end := time.Now().Add(leaseWait); givesUp(err) && time.Now().Before(end) && ctx.Err() == nil; err = try() {
		withdraw = h.requestLease(id)
		select {
		case <-ctx.Done():
		case <-time.After(leasePoll):
		}
	}
	if err == nil {
		return nil
	}
	withdraw()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// givesUp reports whether err is a *LockedError whose holder does not need the lease.
func givesUp(err error) bool {
	locked, ok := errors.AsType[*LockedError](err)
	return ok && !locked.Busy
}

// requestLease requests the lease of a session from its holder. Where that is impossible the holder is
// waited for all the same.
func (h *Host) requestLease(id event.SessionID) (withdraw func()) {
	if requester, ok := h.cfg.Store.(journal.LeaseRequester); ok {
		if withdraw, err := requester.RequestLease(id); err == nil {
			return withdraw
		}
	}
	return func() {}
}

// leaseRequested reports whether a process requests the lease of a session.
func (h *Host) leaseRequested(id event.SessionID) bool {
	requester, ok := h.cfg.Store.(journal.LeaseRequester)
	return ok && requester.LeaseRequested(id)
}

// needsLease reports whether the session needs the lease for as long as it takes.
func (s *Session) needsLease() bool { return s.slot != nil || s.needsLeaseIdle() }

// setBusy lets other processes know whether the session needs the lease.
func (s *Session) setBusy() { s.log.SetBusy(s.needsLease()) }

// needsLeaseIdle is needsLease for a session without a turn and a compaction: a command of the user
// runs, something waits for a client or in the queue, or, on a host, a client has the session open.
// What waits in the queue is not left to another process, which would run it after a turn of its own.
func (s *Session) needsLeaseIdle() bool {
	st := &s.fold.State
	return s.shell.running != nil || len(s.clients.approvals)+len(s.clients.questions) > 0 ||
		len(st.Steering)+len(st.FollowUps) > 0 || s.host.attends(s)
}

// giveBackLease gives the lease back, unless the session needs it. A lease that it does not need is
// kept if records could not be written, or a client wants that, until a process requests it.
func (s *Session) giveBackLease() {
	switch {
	case s.needsLeaseIdle():
		s.log.SetBusy(true)
	case s.log.Syncing(): // it is called again after that
		s.log.SetBusy(false)
	case s.log.Pending() > 0 && !s.host.leaseRequested(s.id), s.clients.keepLease > 0 && !s.host.leaseRequested(s.id):
		s.log.SetBusy(false)
		s.awaitRequest()
	case s.log.Pending() > 0 && s.log.Flush() != nil:
		s.log.SetBusy(true)
	default:
		s.release()
	}
}

// release gives the lease back. If the journal cannot be synced it is kept, and the requesting process is refused.
func (s *Session) release() {
	requested := s.host.leaseRequested(s.id)
	s.log.Release()
	if s.log.Leased() {
		s.log.SetBusy(true)
		return
	}
	s.stopAwaiting()
	if requested {
		s.dropAgent()
	}
	if s.clients.keepLease > 0 {
		s.lease.handed = time.Now()
		s.log.Show("", event.HandedOver{Head: s.fold.State.Head})
	}
}

// handingOver reports whether the lease was handed over, and the process that requested it may not have it
// yet. A request that is there for long is of a process that has died.
func (s *Session) handingOver() bool {
	return time.Since(s.lease.handed) < leaseWait && s.host.leaseRequested(s.id)
}

// An awaitedRequest is the wait for a process that requests the lease. A goroutine waits until cancel is
// called, or there is a request.
type awaitedRequest struct{ cancel context.CancelFunc }

// awaitRequest gives the lease back when a process requests it and the session does not need it then.
func (s *Session) awaitRequest() {
	requester, ok := s.host.cfg.Store.(journal.LeaseRequester)
	if !ok || s.lease.awaited != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	awaited := &awaitedRequest{cancel}
	s.lease.awaited = awaited
	s.lease.following.Go(func() {
		defer cancel()
		if requester.AwaitRequest(ctx, s.id) != nil {
			return
		}
		s.mu.Lock()
		defer s.unlock()
		if s.lease.awaited == awaited {
			s.lease.awaited = nil
		}
	})
}

// stopAwaiting ends the wait of awaitRequest.
func (s *Session) stopAwaiting() {
	if s.lease.awaited != nil {
		s.lease.awaited.cancel()
		s.lease.awaited = nil
	}
}
