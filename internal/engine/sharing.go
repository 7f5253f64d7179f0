package engine

import (
	"context"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// This file contains what holds for a session that several callers have open at once, and for one that
// all of them have left.

// Sharing is how a host treats sessions that several callers of Open have open at once, and sessions
// that all have left.
type Sharing struct {
	Left WhenLeft
	Wait time.Duration // what is asked under WaitWhenLeft is denied after it; 0: never
	Idle time.Duration // a session that is idle and left is closed after it
	// HandOver hands an idle session to a process that requests it, even if it is open here.
	HandOver bool
	// MaxOpen is how many sessions may be open, subagents included; 0: any number. One more is ErrTooManyOpen.
	MaxOpen int
}

// WhenLeft is how the work of a session is handled when the last client that opened it has closed it.
type WhenLeft uint8

// The ways.
const (
	EndWhenLeft    WhenLeft = iota // it is interrupted, and the session is closed
	WaitWhenLeft                   // it goes on; what is asked waits for a client
	FinishWhenLeft                 // it goes on; what is asked is denied
)

// An EndReason is why a session was closed.
type EndReason string

// The reasons.
const (
	EndedByAll     EndReason = "closed"  // by the last that had it open
	EndedByClient  EndReason = "ended"   // by one of its clients, for all
	EndedIdle      EndReason = "idle"    // it was left, and had nothing to do
	EndedRemoved   EndReason = "removed" // it is about to be removed
	EndedByClosing EndReason = "closing" // the host closes
	EndedMoved     EndReason = "moved"   // another process has taken it over
)

// A holding is the users of an open session; the lock of the host guards it.
type holding struct {
	holders int           // calls of Open and the like without their Close
	ending  bool          // it is being closed: it is not to be joined any more
	ended   chan struct{} // closed when it is closed
	wake    func()        // ends the wait for its idle time; nil: it is not left
}

// Close ends the use of the session by one of those that have opened it. The last one closes the session: that
// interrupts what runs, waits for its end, and closes the journal; followers get everything, then their
// end. Where Config.Sharing says so the session goes on instead.
func (s *Session) Close(ctx context.Context) error {
	if !s.host.drop(s) {
		s.mu.Lock()
		s.unlock() // the last one has needed the lease
		return nil
	}
	return s.End(ctx, EndedByAll)
}

// End closes the session for all that have it open. A second call does nothing.
func (s *Session) End(ctx context.Context, reason EndReason) error {
	s.host.leaving(s)
	return s.end(ctx, reason)
}

// Ended returns why the session was closed; "": it is open.
func (s *Session) Ended() EndReason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// Options returns what the session was opened with.
func (s *Session) Options() Options { return s.opts }

// WaitIdle waits until no session of the host works, or ctx has ended. From then on sessions begin no turns by themselves.
func (h *Host) WaitIdle(ctx context.Context) {
	h.finishing.Store(true)
	for _, s := range h.all() {
		_ = s.Wait(ctx) // the end of ctx ends the others as well
	}
}

// Shares reports whether several callers of Open can have a session open, see Config.Sharing.
func (h *Host) Shares() bool { return h.cfg.Sharing != nil }

// OpenSessions returns how many sessions are open that the caller can reach.
func (h *Host) OpenSessions() (n int) {
	for _, s := range h.all() {
		if h.Reaches(s) {
			n++
		}
	}
	return n
}

// Holders returns how many have the session open; 0: it is not open here.
func (h *Host) Holders(id event.SessionID) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s, hold := range h.open {
		if s.id == id {
			n += hold.holders
		}
	}
	return n
}

// EndsSession reports whether the session is closed when this client closes it. It is not joined any more then, and Close
// must follow.
func (c *Client) EndsSession() bool { return c.session.host.endsWith(c.session) }

// Outlives reports whether a session goes on when one of those that have it open closes it.
func (h *Host) Outlives(s *Session) bool {
	return h.cfg.Sharing != nil && (h.cfg.Sharing.Left != EndWhenLeft || h.Holders(s.id) > 1)
}

// leaving makes sure that a session is not joined any more.
func (h *Host) leaving(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if hold := h.open[s]; hold != nil {
		hold.ending = true
	}
}

// endsWith reports whether the next Close closes the session, and makes sure that it stays so.
func (h *Host) endsWith(s *Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	hold := h.open[s]
	if h.cfg.Sharing == nil || hold == nil {
		return true
	}
	if h.cfg.Sharing.Left == EndWhenLeft && hold.holders == 1 {
		hold.ending = true
	}
	return hold.ending
}

// drop takes one of the holders away, and reports whether the session is to be closed.
func (h *Host) drop(s *Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cfg.Sharing == nil {
		return true
	}
	hold := h.open[s]
	if hold == nil || hold.holders == 0 {
		return false
	}
	h.watchers.note(s.id)
	if hold.holders--; hold.holders > 0 {
		return false
	}
	if hold.ending || h.cfg.Sharing.Left == EndWhenLeft {
		hold.ending = true
		return true
	}
	ctx, cancel := context.WithCancel(context.Background())
	hold.wake = cancel
	go h.closeIdle(ctx, s)
	return false
}

// closeIdle closes a session that was left, once it has been idle for some time.
func (h *Host) closeIdle(ctx context.Context, s *Session) {
	for {
		if s.Wait(ctx) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(h.cfg.Sharing.Idle):
		}
		if h.endIdle(s) {
			break
		}
	}
	if err := s.end(context.Background(), EndedIdle); err != nil {
		h.cfg.Log.Error("idle session not closed", "session", s.id, "error", err)
	}
}

// endIdle reports whether the session is still left and idle; it is ending then.
func (h *Host) endIdle(s *Session) bool {
	s.mu.Lock()
	busy := s.slot != nil || s.shell.running != nil
	s.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	hold := h.open[s]
	if busy || hold == nil || hold.holders > 0 || hold.ending {
		return false
	}
	hold.ending = true
	return true
}

// openings are the sessions that are being opened.
type openings struct {
	mu  lock.Mutex
	ids map[event.SessionID]chan struct{} // closed when it is open, or cannot be opened
}

// lock waits until no other caller opens the session, and returns what ends the caller's turn.
func (o *openings) lock(id event.SessionID) (unlock func()) {
	for {
		o.mu.Lock()
		other := o.ids[id]
		if other == nil {
			break
		}
		o.mu.Unlock()
		<-other
	}
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids = map[event.SessionID]chan struct{}{}
	}
	opened := make(chan struct{})
	o.ids[id] = opened
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.ids, id)
		close(opened)
	}
}

// shared returns the session of that id if it is open here, for one more holder. One that is being closed is
// waited for.
func (h *Host) shared(ctx context.Context, id event.SessionID) (*Session, error) {
	for {
		s, ended := h.take(id)
		if ended == nil {
			return s, nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take adds a holder to an open session. Of one that is being closed it returns what is closed with it.
func (h *Host) take(id event.SessionID) (s *Session, ended <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s, hold := range h.open {
		switch {
		case s.id != id:
		case hold.ending:
			return nil, hold.ended
		default:
			hold.holders++
			h.watchers.note(id)
			if hold.wake != nil {
				hold.wake()
				hold.wake = nil
			}
			return s, nil
		}
	}
	return nil, nil
}

// attends reports whether the session is one of a host, and a client has it open.
func (h *Host) attends(s *Session) bool {
	if h.cfg.Sharing == nil || h.cfg.Sharing.HandOver {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	hold := h.open[s]
	return hold != nil && hold.holders > 0
}

// waits reports whether what is asked waits for a client.
func (h *Host) waits() bool { return h.cfg.Sharing != nil && h.cfg.Sharing.Left == WaitWhenLeft }

// A lacking is what a client cannot answer.
type lacking struct{ approvals, questions bool }

// count adds n clients that can answer, but for what they lack.
func (c *clientState) count(l lacking, n int) {
	c.attached += n
	if !l.approvals {
		c.approvers += n
	}
	if !l.questions {
		c.responses += n
	}
}

// attended reports whether there is a client that can answer approvals, or may still come. Where all clients that are there cannot,
// none is waited for.
func (s *Session) attended() bool {
	return s.clients.approvers > 0 || s.clients.attached == 0 && s.host.waits()
}

// attendedQuestions is attended for questions.
func (s *Session) attendedQuestions() bool {
	return s.clients.responses > 0 || s.clients.attached == 0 && s.host.waits()
}

// unattended reports whether something waits that no client can answer which is there.
func (s *Session) unattended() bool {
	return s.clients.approvers == 0 && len(s.clients.approvals) > 0 || s.clients.responses == 0 && len(s.clients.questions) > 0
}

// checkAbsence denies what waits and no client can answer, or begins to wait for one. A client has just ceased to answer.
func (s *Session) checkAbsence() {
	if s.clients.attached == 0 && s.host.waits() {
		s.awaitClient()
	} else {
		s.denyAbsent()
	}
}

// awaitAnswer shows that the session waits for an answer. It is called after something was asked.
func (s *Session) awaitAnswer(turn event.TurnID) {
	s.setStatus(turn, event.Waiting)
	s.awaitClient()
	for _, stop := range s.clients.draining {
		stop()
	}
}

// awaitClient begins the time after which what waits is denied, if there is no client.
func (s *Session) awaitClient() {
	if !s.unattended() || s.clients.absence != nil || s.host.cfg.Sharing == nil || s.host.cfg.Sharing.Wait == 0 {
		return
	}
	s.clients.absence = time.AfterFunc(s.host.cfg.Sharing.Wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.clients.absence != nil {
			s.clients.absence = nil
			s.denyAbsent()
		}
	})
}

// denyAbsent denies what waits and no client can answer which is there.
func (s *Session) denyAbsent() {
	if s.clients.approvers == 0 {
		s.denyAll(s.absence(), event.ByAbsence)
	}
	if s.clients.responses == 0 {
		s.cancelQuestions(event.ByAbsence)
	}
}

// absence returns why an approval is denied that no client can answer.
func (s *Session) absence() string {
	if s.clients.attached > 0 {
		return s.text(TextNoApprover)
	}
	return s.text(TextClientGone)
}

// stopAbsence ends the time of awaitClient.
func (c *clientState) stopAbsence() {
	if c.absence != nil {
		c.absence.Stop()
		c.absence = nil
	}
}
