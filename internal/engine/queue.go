package engine

import (
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/event"
)

// A Queue is the steers and follow-ups of a session that wait.
type Queue struct{ s *Session }

// Queue returns the queue of the session; State says what is in it.
func (s *Session) Queue() Queue { return Queue{s} }

// Clear removes everything that waits, and returns it. Steers that the agent of a back end may have already are not returned.
func (q Queue) Clear() (steering, followUps []event.Queued, err error) {
	s := q.s
	if err := s.lockToWrite(); err != nil {
		return nil, nil, err
	}
	defer s.unlock()
	held, steering := s.steersOf()
	followUps = s.fold.State.FollowUps
	if len(steering)+len(followUps) > 0 {
		s.log.Append("", event.QueueChanged{Steering: held})
	}
	return steering, followUps, nil
}

// TakeFollowUps removes the waiting follow-ups for which which returns true, and returns them; a
// nil which means all.
func (q Queue) TakeFollowUps(which func(event.PromptID) bool) (taken []event.Queued, err error) {
	s := q.s
	if err := s.lockToWrite(); err != nil {
		return nil, err
	}
	defer s.unlock()
	st := s.fold.State
	var left []event.Queued
	for _, waiting := range st.FollowUps {
		if which == nil || which(waiting.ID) {
			taken = append(taken, waiting)
		} else {
			left = append(left, waiting)
		}
	}
	if len(taken) > 0 {
		s.log.Append("", event.QueueChanged{Steering: st.Steering, FollowUps: left})
	}
	return taken, nil
}

// TakeSteers removes the waiting steers, and returns them, except for those that the agent of a back end may have already.
func (q Queue) TakeSteers() (taken []event.Queued, err error) {
	s := q.s
	if err := s.lockToWrite(); err != nil {
		return nil, err
	}
	defer s.unlock()
	held, steering := s.steersOf()
	if len(steering) > 0 {
		s.log.Append("", event.QueueChanged{Steering: held, FollowUps: s.fold.State.FollowUps})
	}
	return steering, nil
}

// Withdraw removes what the client has queued, and returns it. Steers that the agent of a back end may have already are not returned, and
// prompts of other clients wait on.
func (c *Client) Withdraw() (steering, followUps []event.Queued, err error) {
	s := c.session
	if err := s.lockToWrite(); err != nil {
		return nil, nil, err
	}
	defer s.unlock()
	held, free := s.steersOf()
	left := event.QueueChanged{Steering: held}
	steering, left.Steering = c.own(free, left.Steering)
	followUps, left.FollowUps = c.own(s.fold.State.FollowUps, nil)
	if len(steering)+len(followUps) > 0 {
		s.log.Append("", left)
	}
	return steering, followUps, nil
}

// WithdrawSteers removes the waiting steers of the client, except for those that the agent of a back end may have already.
func (c *Client) WithdrawSteers() error {
	s := c.session
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	held, free := s.steersOf()
	if own, others := c.own(free, held); len(own) > 0 {
		s.log.Append("", event.QueueChanged{Steering: others, FollowUps: s.fold.State.FollowUps})
	}
	return nil
}

// own returns the prompts of the client in a queue, and those of other clients, appended to before.
func (c *Client) own(queue, before []event.Queued) (own, others []event.Queued) {
	others = before
	for _, q := range queue {
		if q.Client == c.who {
			own = append(own, q)
		} else {
			others = append(others, q)
		}
	}
	return own, others
}

// Hold keeps what waits from beginning a turn, whatever ends meanwhile, until release is called: it begins the first of that if the session
// is idle then.
func (q Queue) Hold() (release func()) {
	s := q.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease.queueHolds++
	return sync.OnceFunc(func() {
		err := s.lockToWrite()
		if err != nil {
			s.mu.Lock()
		}
		defer s.unlock()
		if s.lease.queueHolds--; s.slot == nil && err == nil {
			if s.beginSteered(); s.slot == nil {
				s.beginNext()
			}
		}
	})
}

func (s *Session) enqueue(steering, followUps []event.Queued) {
	st := &s.fold.State
	s.log.Append(st.Turn, event.QueueChanged{
		Steering:  append(slices.Clone(st.Steering), steering...),
		FollowUps: append(slices.Clone(st.FollowUps), followUps...),
	})
	if s.slot != nil {
		s.slot.steering.notify()
	}
}

// delivered reports whether a prompt does not wait in the queue.
func (s *Session) delivered(id event.PromptID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(s.fold.State.Steering, func(q event.Queued) bool { return q.ID == id })
}

// deliver moves waiting steers into the history; follow-ups too when the turn would end
// otherwise. It reports whether there were any.
func (t *turn) deliver(ending bool) bool { return len(t.take(ending)) > 0 }

// take is deliver, and returns what was moved.
func (t *turn) take(ending bool) []event.Queued {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Budget.Err() != nil {
		return nil
	}
	st := &s.fold.State
	steering, followUps := st.Steering, st.FollowUps
	var via event.Via
	var taken []event.Queued
	switch {
	case len(steering) > 0:
		via = event.BySteer
		taken, steering = split(steering, s.opts.Steers&SteerOneByOne != 0)
	case ending && len(followUps) > 0 && s.opts.FollowUps&FollowUpInNewTurn == 0:
		via = event.ByFollowUp
		taken, followUps = split(followUps, s.opts.FollowUps&FollowUpOneByOne != 0)
	default:
		return nil
	}
	events := []event.Event{event.QueueChanged{Steering: steering, FollowUps: followUps}}
	for _, q := range taken {
		events = append(events, s.messagesOf(q, via)...)
		if q.Instructions != "" {
			t.tuning.Instructions = strings.TrimSpace(t.tuning.Instructions + "\n\n" + q.Instructions)
		}
	}
	s.log.Append(t.id, events...)
	t.prolonged, t.reminded, t.prompted = 0, 0, true
	return taken
}

// dropWithdrawn removes the steers of clients that have interrupted the turn, at its end. The others stay in the queue, and begin the next
// turn: they are those of other clients, or came after the interrupt or after the turn looked for them last, or the turn has failed before.
func (t *turn) dropWithdrawn() {
	s, st := t.s, t.s.fold.State
	if s.opts.Steers&SteerRunningTurn == 0 {
		return
	}
	left := slices.DeleteFunc(slices.Clone(st.Steering), func(q event.Queued) bool { return slices.Contains(t.slot.withdrawn, q.ID) })
	if len(left) < len(st.Steering) {
		s.log.Append(t.id, event.QueueChanged{Steering: left, FollowUps: st.FollowUps})
	}
}

// beginSteered starts a turn with the first steer that a turn has left, if there is one. The session is idle.
func (s *Session) beginSteered() {
	st := &s.fold.State
	if s.ended != "" || s.lease.queueHolds > 0 || s.opts.Budget.Err() != nil || s.opts.Steers&SteerRunningTurn == 0 || len(st.Steering) == 0 {
		return
	}
	s.beginFirstSteer()
}

// beginFirstSteer starts a turn with the first steer that waits.
func (s *Session) beginFirstSteer() {
	st := &s.fold.State
	left := event.QueueChanged{Steering: slices.Clone(st.Steering[1:]), FollowUps: st.FollowUps}
	s.beginWaiting(st.Steering[0], event.BySteer, left)
}

// beginFollowUp starts a turn with the follow-up at a position of the queue.
func (s *Session) beginFollowUp(i int) {
	st := &s.fold.State
	left := event.QueueChanged{Steering: st.Steering, FollowUps: slices.Delete(slices.Clone(st.FollowUps), i, i+1)}
	s.beginWaiting(st.FollowUps[i], event.ByFollowUp, left)
}

func (s *Session) beginWaiting(q event.Queued, via event.Via, left event.QueueChanged) {
	if _, err := s.begin(q, "", Tuning{Instructions: q.Instructions}, via, left); err != nil {
		s.log.Report(err) // it stays queued
	}
}

// split returns what is delivered of a queue now, and what goes on waiting.
func split(queue []event.Queued, oneByOne bool) (taken, left []event.Queued) {
	n := len(queue)
	if oneByOne {
		n = 1
	}
	return slices.Clone(queue[:n]), slices.Clone(queue[n:])
}

// steered reports whether a steer waits that does not let the step end first.
func (t *turn) steered() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.s.opts.Steers&SteerAfterCall != 0 && len(t.s.fold.State.Steering) > 0
}

// beginQueued starts the turn of the next follow-up, if there is one and it may have a
// turn of its own, unless a turn has begun already.
func (s *Session) beginQueued() {
	st := &s.fold.State
	if s.slot != nil || s.ended != "" || s.lease.queueHolds > 0 || s.opts.Budget.Err() != nil {
		return
	}
	next := slices.IndexFunc(st.FollowUps, func(q event.Queued) bool {
		return s.opts.FollowUps&FollowUpInNewTurn != 0 || s.clients.runFollowUps[q.Client.N]
	})
	if next >= 0 {
		s.beginFollowUp(next)
	}
}

// messagesOf returns a prompt and its notes as they go into the history.
func (s *Session) messagesOf(q event.Queued, via event.Via) []event.Event {
	messages := []event.Event{event.UserMessage{ID: q.ID, Via: via, Blocks: s.log.StoreBlocks(q.Blocks), Sent: q.Sent, Client: q.Client}}
	for _, n := range q.Notes {
		messages = append(messages, event.UserMessage{ID: s.newPromptID(), Via: event.ByEngine, Blocks: s.log.StoreBlocks(n.Blocks), Sent: n.Sent})
	}
	return messages
}
